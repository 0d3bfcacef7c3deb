// SPDX-License-Identifier: Apache-2.0
#include "queue/contender.hpp"

#include <gtest/gtest.h>

#include <ostream>

namespace docent::detail {

void PrintTo(const WaitFor& wait, std::ostream* out) {
    *out << "WaitFor{" << wait.name << (wait.deletion == Deletion::admits ? ", admits}" : ", list_again}");
}

namespace {

// W7 is a writer, R7 a reader. A mutex has writers only.
Contender contender(const std::string& name) {
    const auto kind = name[0] == 'R' ? ContenderKind::shared : ContenderKind::exclusive;
    return {name, kind, std::stoi(name.substr(1))};
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

/// Curator puts them first and grants them the lock.
TEST(Admission, WaitsForNegativeNumbers) {
    EXPECT_EQ(in_mutex({"W-2147483648", "W2147483646"}, "W2147483646"), list_again("W-2147483648"));
    EXPECT_EQ(in_read_write_lock({"W-2147483648", "R2147483646"}, "R2147483646"), list_again("W-2147483648"));
}

TEST(Admission, NearTheLastNumberADeletionAloneAdmitsNoWaiter) {
    EXPECT_EQ(in_mutex({"W2147483640", "W2147483641"}, "W2147483641"), list_again("W2147483640"));
    EXPECT_EQ(in_read_write_lock({"W2147483640", "R2147483641"}, "R2147483641"), list_again("W2147483640"));
}

} // namespace
} // namespace docent::detail
