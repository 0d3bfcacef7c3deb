// SPDX-License-Identifier: Apache-2.0
#include "queue/contender.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <ostream>

namespace docent::detail {

void PrintTo(const WaitFor& wait, std::ostream* out) {
    *out << "WaitFor{" << wait.name << (wait.deletion == Deletion::admits ? ", admits}" : ", list_again}");
}

namespace {

// W7 is a writer, R7 a reader. A mutex has writers only.
Contender contender(const std::string& name) {
    const auto kind = name[0] == 'R' ? ContenderKind::shared : ContenderKind::exclusive;
    return {std::stoi(name.substr(1)), kind, name};
}

std::vector<Contender> queue(const std::vector<std::string>& names) {
    std::vector<Contender> all;
    for (const auto& name : names) all.push_back(contender(name));
    return all;
}

Admission in_mutex(const std::vector<std::string>& names, const std::string& self) {
    return admit(queue(names), self);
}
Admission in_read_write_lock(const std::vector<std::string>& names, const std::string& self) {
    return admit(queue(names), self, Deletion::list_again);
}

const Admission admitted = Admitted{};
const Admission not_in_queue = NotInQueue{};
Admission admits(const std::string& name) {
    return WaitFor{name, Deletion::admits};
}
Admission list_again(const std::string& name) {
    return WaitFor{name, Deletion::list_again};
}

TEST(Admission, OfAMutex) {
    EXPECT_EQ(in_mutex({"W1"}, "W1"), admitted);
    EXPECT_EQ(in_mutex({"W1", "W2"}, "W1"), admitted);
    EXPECT_EQ(in_mutex({"W1", "W2"}, "W2"), admits("W1"));
}

TEST(Admission, LooksAheadPastTheNearest) {
    EXPECT_EQ(in_mutex({"W1", "W2", "W3"}, "W3"), list_again("W1"));
    EXPECT_EQ(in_mutex({"W1", "W2", "W3", "W4"}, "W4"), list_again("W2"));
}

TEST(Admission, OfAContenderOutsideTheQueue) {
    EXPECT_EQ(in_mutex({}, "W1"), not_in_queue);
    EXPECT_EQ(in_mutex({"W1", "W2"}, "W3"), not_in_queue);
}

TEST(Admission, OfAReaderNeedsNoWriterAhead) {
    EXPECT_EQ(in_read_write_lock({"R1"}, "R1"), admitted);
    EXPECT_EQ(in_read_write_lock({"R1", "R2", "R3"}, "R3"), admitted);
    EXPECT_EQ(in_read_write_lock({"R1", "R2", "W3"}, "R2"), admitted);
}

TEST(Admission, OfAReaderWaitsForTheNearestWriter) {
    EXPECT_EQ(in_read_write_lock({"W1", "R2"}, "R2"), admits("W1"));
    EXPECT_EQ(in_read_write_lock({"W1", "R2", "R3"}, "R3"), admits("W1"));
    EXPECT_EQ(in_read_write_lock({"R1", "W2", "R3"}, "R3"), admits("W2"));
    EXPECT_EQ(in_read_write_lock({"W1", "W2", "R3"}, "R3"), list_again("W2"));
    EXPECT_EQ(in_read_write_lock({"W1", "R2", "W3", "R4", "R5"}, "R5"), list_again("W3"));
}

TEST(Admission, OfAWriterWaitsForAllAhead) {
    EXPECT_EQ(in_read_write_lock({"R1", "W2"}, "W2"), admits("R1"));
    EXPECT_EQ(in_read_write_lock({"R1", "R2", "W3"}, "W3"), list_again("R1"));
}

TEST(Admission, OfAWriterBehindOneWriterListsAgain) { // the predecessor may leave a reader with its own number
    EXPECT_EQ(in_read_write_lock({"W1", "W2"}, "W2"), list_again("W1"));
    EXPECT_EQ(in_read_write_lock({"R1", "W2"}, "W2"), admits("R1"));
}

TEST(Admission, OfADowngradedReaderAndThoseBehindIt) {
    EXPECT_EQ(in_read_write_lock({"W5", "R5", "W6"}, "W6"), list_again("W5"));
    EXPECT_EQ(in_read_write_lock({"R5", "W6"}, "W6"), admits("R5"));
    EXPECT_EQ(in_read_write_lock({"W5", "R5", "R6"}, "R6"), admits("W5"));
    EXPECT_EQ(in_read_write_lock({"R5", "R6"}, "R5"), admitted);
}

// The server gives the number 2147483647 again and again, and negative numbers in between.

TEST(Admission, OfTheLastNumberIsRefused) {
    for (const std::string self : {"W2147483647", "R2147483647", "W-2147483648", "R-2147483648"}) {
        EXPECT_EQ(in_mutex({self}, self), Admission{NumbersUsedUp{}}) << self;
        EXPECT_EQ(in_read_write_lock({self}, self), Admission{NumbersUsedUp{}}) << self;
    }
}

TEST(Admission, OfThoseInFrontOfTheLastNumber) {
    EXPECT_EQ(in_mutex({"W2147483646", "W2147483647"}, "W2147483646"), admitted);
    EXPECT_EQ(in_read_write_lock({"R2147483646", "W2147483647"}, "R2147483646"), admitted);
}

/// Curator puts negative numbers first and grants them the lock.
TEST(Admission, WaitsForNegativeNumbers) {
    EXPECT_EQ(in_mutex({"W-2147483648", "W2147483646"}, "W2147483646"), list_again("W-2147483648"));
    EXPECT_EQ(in_read_write_lock({"W-2147483648", "R2147483646"}, "R2147483646"), list_again("W-2147483648"));
}

TEST(Admission, NearTheLastNumberADeletionAloneAdmitsNoWaiter) {
    EXPECT_EQ(in_mutex({"W2147483640", "W2147483641"}, "W2147483641"), list_again("W2147483640"));
    EXPECT_EQ(in_read_write_lock({"W2147483640", "R2147483641"}, "R2147483641"), list_again("W2147483640"));
}

// ---- the queue of a list

constexpr auto exclusive = ContenderKind::exclusive;
constexpr auto shared = ContenderKind::shared;

std::vector<std::string> names_of(const std::vector<Contender>& queue) {
    std::vector<std::string> names;
    for (const auto& contender : queue) names.push_back(contender.name);
    return names;
}

TEST(Contender, IsReadFromItsName) {
    const std::string name = "_c_0f3a4b5c-0000-4000-8000-000000000001-lock-0000000042";
    EXPECT_EQ(parse_contender(mutex_names(), name), (Contender{42, exclusive, name}));
    EXPECT_EQ(parse_contender(read_write_names(), "_c_a-__READ__0000000003")->kind, shared);
    EXPECT_EQ(parse_contender(read_write_names(), "_c_a-__WRIT__0000000003")->kind, exclusive);
}

TEST(Contender, OthersAreIgnored) {
    for (const char* name : {"", "0", "lock-1", "leases", "block-0000000001", "_c_a-__READ__0000000001"}) {
        EXPECT_EQ(parse_contender(mutex_names(), name), std::nullopt) << name;
    }
}

TEST(SortedQueue, OrdersBySequenceForAnyNames) {
    EXPECT_EQ(names_of(sorted_queue(mutex_names(), {"_c_a-lock-0000000010", "_c_z-lock-0000000002", "0", "lock-0000000003"})),
              (std::vector<std::string>{"_c_z-lock-0000000002", "lock-0000000003", "_c_a-lock-0000000010"}));
}

TEST(SortedQueue, PutsAWriterBeforeTheReaderOfTheSameNumber) {
    EXPECT_EQ(names_of(sorted_queue(read_write_names(), {"_c_a-__READ__0000000004", "_c_b-__WRIT__0000000004"})),
              (std::vector<std::string>{"_c_b-__WRIT__0000000004", "_c_a-__READ__0000000004"}));
}

TEST(QueueUpTo, HasTheThreeNearestOfAnExclusiveOne) {
    const std::vector<std::string> children{"lock-0000000005", "stray",           "lock-0000000001", "lock-0000000003",
                                            "lock-0000000002", "lock-0000000006", "lock-0000000004"};
    const auto up_to = [&](const std::string& self) { return names_of(queue_up_to(mutex_names(), children, self)); };
    EXPECT_EQ(up_to("lock-0000000005"),
              (std::vector<std::string>{"lock-0000000002", "lock-0000000003", "lock-0000000004", "lock-0000000005"}));
    EXPECT_EQ(up_to("lock-0000000002"), (std::vector<std::string>{"lock-0000000001", "lock-0000000002"}));
    EXPECT_EQ(up_to("lock-0000000001"), (std::vector<std::string>{"lock-0000000001"}));
    EXPECT_TRUE(up_to("lock-0000000007").empty());
    EXPECT_TRUE(up_to("stray").empty());
}

TEST(QueueUpTo, HasAllBeforeAReader) {
    std::vector<std::string> children;
    for (int n = 0; n < 9; ++n) children.push_back("_c_a-__WRIT__000000000" + std::to_string(n));
    children.push_back("_c_a-__READ__0000000008"); // the reader that the writer with that number has left
    EXPECT_EQ(names_of(queue_up_to(read_write_names(), children, children.back())), children);
    EXPECT_EQ(queue_up_to(read_write_names(), children, children[8]).size(), 4u);
}

// Most names are compared by their digits alone. Whatever text stands there, the result equals the result of reading all names.
TEST(QueueUpTo, IsTheEndOfTheSortedQueue) {
    std::vector<std::string> children{"stray",      "lock-99", "lock-00000000x7", "lock-9999999999", "block-0000000004",
                                      "0000000004", ""};
    for (const char* number : {"-2147483648", "-2147483646", "-0000000002", "0000000000", "0000000003", "0000000004",
                               "0000000005", "0000000011", "2147483646", "2147483647"}) {
        for (const char* token : {"_c_a-__READ__", "__WRIT__", "_c_b-lock-", "latch-"})
            children.push_back(std::string(token) + number);
    }
    for (const QueueNames& names : {mutex_names(), read_write_names(), latch_names()}) {
        const auto queue = sorted_queue(names, children);
        for (std::size_t at = 0; at < queue.size(); ++at) {
            const std::size_t enough = 3;
            const std::size_t from = queue[at].kind == exclusive ? at - std::min(at, enough) : 0;
            const std::vector<Contender> end(queue.begin() + static_cast<std::ptrdiff_t>(from),
                                             queue.begin() + static_cast<std::ptrdiff_t>(at) + 1);
            EXPECT_EQ(queue_up_to(names, children, queue[at].name), end) << queue[at].name;
        }
    }
}

TEST(SortedQueue, IsEmptyWithoutContenders) {
    EXPECT_TRUE(sorted_queue(mutex_names(), {}).empty());
    EXPECT_TRUE(sorted_queue(mutex_names(), {"0", "locks", "leases"}).empty());
}

} // namespace
} // namespace docent::detail
