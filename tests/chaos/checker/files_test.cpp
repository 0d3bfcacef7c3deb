// SPDX-License-Identifier: Apache-2.0

// Reads histories while they are written, and transaction logs of servers.

#include <gtest/gtest.h>

#include "checker/made_up.hpp"
#include "folder.hpp"
#include "history/journal.hpp"

#include <docent/client.hpp>
#include <docent/testing/testing_server.hpp>

#include <fstream>
#include <iterator>

namespace docent::chaos {
namespace {

std::string text_of(const std::filesystem::path& file) {
    std::ifstream in(file);
    return {std::istreambuf_iterator<char>(in), {}};
}

Violation violation_of(const std::string& kind, const std::string& text = {}) {
    Violation violation;
    violation.kind = kind;
    violation.text = text;
    return violation;
}

TEST(Journal, KeepsTheFirstYesAndTheLast) {
    const test::Folder folder;
    Journal journal(folder / "a.history");
    journal.add(1, "granted 1 /m exclusive 5 /m/x-5");
    journal.add(2, "yes 1");
    journal.still(3, 1);
    journal.still(4, 1);
    journal.add(5, "session 1 7 suspended");
    journal.still(6, 1);
    EXPECT_EQ(text_of(folder / "a.history"), "1 granted 1 /m exclusive 5 /m/x-5\n2 yes 1\n00000000000000000004 still 1\n"
                                             "5 session 1 7 suspended\n00000000000000000006 still 1\n");
    Reader reader;
    reader.read(folder.path());
    EXPECT_EQ(reader.history().holds.at(0).first_yes, 2);
    EXPECT_EQ(reader.history().holds.at(0).last_yes, 6);
}

TEST(Reader, GoesOnWhereItWas) {
    const test::Folder folder;
    std::ofstream out(folder / "a.history");
    out << "1 granted 1 /m exclusive 5 /m/x-5\n2 ye" << std::flush;
    Reader reader;
    reader.read(folder.path());
    EXPECT_EQ(reader.history().holds.at(0).first_yes, 0);
    out << "s 1\n" << std::flush;
    reader.read(folder.path());
    EXPECT_EQ(reader.history().holds.size(), 1U);
    EXPECT_EQ(reader.history().holds.at(0).first_yes, 2);
    EXPECT_TRUE(reader.history().unreadable.empty());
}

TEST(Story, ContainsOnlyTheParticipants) {
    const test::Folder folder;
    std::ofstream(folder / "a.history") << "20000000 ask 1 mutex /m\n21000000 ask 2 mutex /m\n";
    std::ofstream(folder / "b.history") << "20000000 ask 1 mutex /m\n";
    std::ofstream(folder / "nemesis.history") << "10000000 fault way-cut client-1\n";
    Violation violation = violation_of("tokens");
    violation.works = {{"a", 2}};
    violation.from = 20'000'000;
    violation.to = 21'000'000;
    const auto story = story_of(violation, folder.path());
    EXPECT_EQ(story, (std::vector<std::string>{"     -10.000  nemesis  fault way-cut client-1",
                                               "       1.000  a        ask 2 mutex /m"}));
}

TEST(TransactionLogs, ShowTheSessionsThatMadeAndRemovedANode) {
    const test::Folder folder;
    testing::TestingServer server({.data_dir = folder / "data"});
    std::int64_t session_end = 0;
    {
        Client client({.connect_string = server.connect_string()});
        client.start();
        client.create("/made", "");
        client.create("/removed", "");
        client.remove("/removed");
        client.create("/with-session", "", {.mode = CreateMode::ephemeral});
        client.commit(Transaction().create("/in-multi").create("/made-in-multi").remove("/in-multi"));
        session_end = client.exists("/made-in-multi")->czxid + 1;
        client.close();
    }
    server.stop();
    TransactionLogs logs;
    logs.add_folder(folder / "data");

    const auto kinds = [&](const std::string& node) {
        std::string text;
        for (const NodeChange& change : logs.changes_of(node)) text += "+-$"[static_cast<int>(change.kind)];
        return text;
    };
    EXPECT_EQ(kinds("/made"), "+");
    EXPECT_EQ(kinds("/removed"), "+-");
    EXPECT_EQ(kinds("/with-session"), "+$");
    EXPECT_TRUE(logs.ended_with_session("/with-session"));
    EXPECT_FALSE(logs.ended_with_session("/removed"));
    EXPECT_EQ(logs.changes_of("/with-session").back().zxid, session_end);
    EXPECT_EQ(kinds("/made-in-multi"), "+");
    EXPECT_EQ(kinds("/nowhere"), "");

    // Evidence: a node exists after its removal, or a holder's node is gone without a removal.
    const auto left = [&](const std::string& node) {
        return evidence_in({}, logs, violation_of("left", node + " czxid 1 session 7 after 1000000"));
    };
    EXPECT_EQ(left("/made"), "");
    EXPECT_NE(left("/removed"), "");
    const auto twice = [&](const char* kind, const std::string& node) {
        Violation violation = violation_of(kind);
        violation.holds.resize(2);
        violation.holds.front().node = node;
        return evidence_in({}, logs, violation);
    };
    EXPECT_NE(twice("exclusion", "/made"), "");
    EXPECT_EQ(twice("exclusion", "/removed"), "");
    EXPECT_EQ(twice("tokens", "/made"), "");
}

TEST(TransactionLogs, ANumberGivenOutTwiceTellsOfAHistoryThatWasGivenUp) {
    constexpr std::int64_t later = 1LL << 32;
    const auto node = [](char guid, const std::string& name) { return "/m/_c_" + std::string(36, guid) + name; };
    const std::string first = node('a', "-lock-0000000001");
    const std::string second = node('b', "-lock-0000000002");
    const std::string third = node('c', "-lock-0000000003");
    TransactionLogs logs;
    logs.add_file("0", made_up_log({{1, first}, {2, second}, {3, third}, {4, node('e', "__WRIT__0000000004")}}));
    // A lock that was downgraded has the same number, with another kind of name.
    logs.add_file("1", made_up_log({{1, first}, {later + 1, node('f', "__READ__0000000004")}}));
    logs.add_file("0", made_up_log({{5, node('h', "-transaction")}}));
    logs.add_file("1", made_up_log({{later + 2, node('i', "-transaction")}})); // names without numbers
    EXPECT_EQ(logs.given_up(second), "");
    logs.add_file("1", made_up_log({{later, node('d', "-lock-0000000003")}}));
    EXPECT_EQ(logs.given_up(first), "");  // two servers logged it
    EXPECT_NE(logs.given_up(second), ""); // only one server logged it, before the number that was given out twice
    EXPECT_NE(logs.given_up(third), "");
    EXPECT_NE(logs.given_up(node('e', "__WRIT__0000000004")), "");
    EXPECT_EQ(logs.given_up(node('d', "-lock-0000000003")), ""); // belongs to the history that continued
    EXPECT_EQ(logs.given_up("/m"), "");
    logs.add_file("1", made_up_log({{2, second}}));
    EXPECT_EQ(logs.given_up(second), "");
    EXPECT_EQ(logs.transactions(), 8U);
}

TEST(TransactionLogs, AVersionMadeTwiceTellsOfAForgottenWrite) {
    const test::Folder folder;
    testing::TestingServer server({.data_dir = folder / "server"});
    std::int64_t zxid = 0;
    {
        Client client({.connect_string = server.connect_string()});
        client.start();
        client.create("/counter", "");
        client.set("/counter", "1");
        client.commit(Transaction().check("/counter", 1).set_data("/counter", "2"));
        zxid = client.exists("/counter")->mzxid;
    }
    server.stop();
    std::filesystem::copy(folder / "server" / "version-2", folder / "1-0");
    TransactionLogs of_one;
    of_one.add_folder(folder / "server");
    TransactionLogs of_both = of_one;
    of_both.add_folder(folder / "1-0");
    using Type = LoggedTransaction::Type;
    const auto evidence = [&](TransactionLogs logs, std::initializer_list<LoggedTransaction> later) {
        logs.add_file("2", made_up_log(later));
        Violation violation = violation_of("counter");
        violation.lost = zxid;
        return evidence_in({}, logs, violation);
    };
    const auto later = [&](std::int64_t after, Type type, std::int32_t version = 0) {
        return LoggedTransaction{.zxid = zxid + after, .path = "/counter", .type = type, .version = version};
    };
    EXPECT_EQ(evidence(of_both, {later(1, Type::set, 3), later(2, Type::set, 4)}), "");
    EXPECT_NE(evidence(of_both, {later(1, Type::set, 2), later(2, Type::set, 3)}), "");
    EXPECT_NE(evidence(of_both, {later(1, Type::set, 1)}), "");
    EXPECT_EQ(evidence(of_one, {later(1, Type::set, 2)}), "") << "one server logged it: perhaps it was never decided";
    EXPECT_EQ(evidence(of_both, {later(1, Type::remove), later(2, Type::create), later(3, Type::set, 1)}), "");
}

TEST(TransactionLogs, ATruncatedLogIsReadUpToItsEnd) {
    TransactionLogs logs;
    logs.add_file("0", "ZKLG");
    logs.add_file("0", std::string_view("ZKLG\0\0\0\2\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\50\0\0", 30));
    EXPECT_EQ(logs.files(), 2U);
    EXPECT_EQ(logs.transactions(), 0U);
}

} // namespace
} // namespace docent::chaos
