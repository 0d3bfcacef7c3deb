// SPDX-License-Identifier: Apache-2.0
#include "cli/top/lock_rows.hpp"

#include <gtest/gtest.h>

namespace docent::cli {
namespace {

using namespace std::chrono_literals;

LockRow row(const std::string& path, std::size_t waiters, std::optional<std::chrono::milliseconds> age,
            std::optional<double> turns) {
    LockRow row{.path = path};
    row.kind = "mutex";
    row.holders = 1;
    row.limit = 1;
    row.waiters = waiters;
    row.label = "root@a:1 import.sh";
    row.age = age;
    row.turns_per_minute = turns;
    row.holder_node = path + "/lock-0000000001";
    return row;
}

std::string order(std::vector<LockRow> rows, SortKey key) {
    sort_rows(rows, key);
    std::string text;
    for (const LockRow& one : rows) text += one.path;
    return text;
}

TEST(LockRows, AreSortedByTheChosenColumn) {
    const std::vector<LockRow> rows{row("/b", 1, 5s, 3), row("/a", 1, std::nullopt, 9), row("/c", 7, 1s, std::nullopt)};
    EXPECT_EQ(order(rows, SortKey::path), "/a/b/c");
    EXPECT_EQ(order(rows, SortKey::waiters), "/c/a/b") << "equal ones by path";
    EXPECT_EQ(order(rows, SortKey::age), "/b/c/a");
    EXPECT_EQ(order(rows, SortKey::turns), "/a/b/c");
}

TEST(LockRows, AreFoundByPathKindAndLabel) {
    const LockRow one = row("/app/Import", 0, 1s, 1);
    for (const char* text : {"", "import", "MUTEX", "root@a"}) EXPECT_TRUE(matches(one, text)) << text;
    EXPECT_FALSE(matches(one, "export"));
}

TEST(LockRows, AreAlignedAndFitTheScreen) {
    const auto lines =
        row_lines({row("/app/a", 12, 65s, 3.4), row("/app/long/path", 0, std::nullopt, std::nullopt)}, 120, Charset::utf8);
    EXPECT_EQ(lines, (std::vector<std::string>{
                         "LOCK            KIND   HOLD  WAIT    AGE  OLDEST  TURNS/MIN  STRANGERS  HOLDER",
                         "/app/a          mutex   1/1    12  1m05s       -          3          -  root@a:1 import.sh",
                         "/app/long/path  mutex   1/1     0      -       -          -          -  root@a:1 import.sh"}));
    for (const std::size_t columns : {0U, 1U, 20U, 70U, 80U}) {
        for (const auto& line : row_lines({row("/app/" + std::string(200, 'x'), 1, 1s, 1)}, columns, Charset::utf8))
            EXPECT_LE(columns_of(line), columns);
    }
}

TEST(LockRows, ShowLockAndHolderFirst) {
    const std::vector<LockRow> rows{row("/production/billing/import-eu", 0, 1s, 1),
                                    row("/production/billing/import-us", 2, 1s, 1)};
    EXPECT_EQ(row_lines(rows, 80, Charset::ascii),
              (std::vector<std::string>{"LOCK                          KIND   HOLD  WAIT  AGE  OLDEST  HOLDER",
                                        "~roduction/billing/import-eu  mutex   1/1     0   1s       -  root@a:1 import.sh",
                                        "~roduction/billing/import-us  mutex   1/1     2   1s       -  root@a:1 import.sh"}));
    EXPECT_EQ(row_lines(rows, 40, Charset::ascii)[1], "~mport-eu  mutex   1/1     0  root@a:1~");
    auto beside = rows;
    beside.front().strangers = 3;
    EXPECT_NE(row_lines(beside, 80, Charset::ascii)[0].find("STRANGERS"), std::string::npos);
}

TEST(LockRows, ALabelCannotCommandTheTerminal) {
    LockRow one = row("/a\x1b"
                      "c",
                      0, 1s, 1);
    one.label = "\x1b[2J\n";
    for (const auto& line : row_lines({one}, 200, Charset::utf8)) EXPECT_EQ(line.find_first_of("\x1b\n"), std::string::npos);
}

TEST(LockRows, SayWhereLocksOfSeveralKindsAre) {
    const auto at = [](const char* path, const char* kind) { return LockRow{.path = path, .kind = kind}; };
    EXPECT_EQ(mixtures_text({at("/a", "mutex"), at("/b", "semaphore"), at("/b", "semaphore")}), "");
    EXPECT_EQ(mixtures_text({at("/a", "mutex"), at("/a", "read"), at("/a", "semaphore"), at("/b", "mutex")}),
              "/a: mutex, read and semaphore are at one path: they do not exclude each other");
    EXPECT_EQ(mixtures_text({at("/a", "mutex"), at("/a", "read"), at("/b", "leader"), at("/b", "mutex")}),
              "/a: mutex and read are at one path: they do not exclude each other; and so at 1 more");
}

TEST(LockRows, AreMadeOfATree) {
    LockTree tree("/app");
    const LockTree::Time now{100s};
    tree.start(now);
    tree.due(now);
    const auto list = [&](const std::string& path, std::vector<std::string> names) {
        Children children{std::move(names), {}};
        children.stat.num_children = static_cast<std::int32_t>(children.names.size());
        tree.on_listed(path, children, now);
        tree.due(now);
    };
    list("/app", {"a", "b", "empty"});
    list("/app/a", {"lock-0000000000", "lock-0000000001", "odd"});
    list("/app/b", {"_c_0f3a0e5e-0d5f-4c0e-9d6b-5e6f0b1c7a11-__READ__0000000000",
                    "_c_0f3a0e5e-0d5f-4c0e-9d6b-5e6f0b1c7a12-__READ__0000000001"});
    tree.on_read("/app/a/lock-0000000000", {.label = "ann", .session_id = 1, .czxid = 2, .created = 940'000});
    const auto rows = rows_of(tree, now, std::chrono::system_clock::time_point{1000s});
    ASSERT_EQ(rows.size(), 2U);
    EXPECT_EQ(rows[0].path, "/app/a");
    EXPECT_EQ(rows[0].label, "ann");
    EXPECT_EQ(rows[0].age, 60s);
    EXPECT_EQ(rows[0].oldest, std::nullopt) << "not read yet";
    EXPECT_EQ(rows[0].strangers, 1U);
    EXPECT_EQ(rows[1].kind, "read");
    EXPECT_EQ(rows[1].holders, 2U);
    EXPECT_EQ(rows[1].limit, std::nullopt);
    EXPECT_EQ(rows_as_json({rows[0]}),
              R"({"locks":[{"path":"/app/a","kind":"mutex","holders":1,"limit":1,"waiters":1,"reserved":0,)"
              R"("holder":"/app/a/lock-0000000000","label":"ann","ageMs":60000,"oldestWaiterMs":null,"strangers":1}]})"
              "\n");
}

} // namespace
} // namespace docent::cli
