// SPDX-License-Identifier: Apache-2.0
#include "cli/view/inspection_table.hpp"

#include <gtest/gtest.h>

#include <sstream>
#include <vector>

namespace docent::cli {
namespace {

using namespace std::chrono_literals;

const std::chrono::system_clock::time_point now{1000s};

Participant participant(ParticipantKind kind, std::size_t position, bool holds, const std::string& label,
                        RecipeKind recipe = RecipeKind::mutex) {
    return {.recipe = recipe,
            .kind = kind,
            .node_path = "/a/lock-000000000" + std::to_string(position),
            .position = position,
            .holds = holds,
            .data = label,
            .session_id = 0x1a,
            .fencing_token = 7,
            .created = 960'000 + 1000 * static_cast<std::int64_t>(position)};
}

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
}

const Inspection two{{participant(ParticipantKind::lock, 0, true, "root@a:12 import.sh"),
                      participant(ParticipantKind::lock, 1, false, "ann@b:7")},
                     {"odd one"}};

TEST(InspectionTable, IsAligned) {
    EXPECT_EQ(inspection_table(two, "/a", now, {.columns = 100}),
              "mutex /a: 1 holds, 1 waits\n"
              "#  KIND  STATE        AGE  SESSION  LABEL                NODE\n"
              "0  lock  holds        40s  0x1a     root@a:12 import.sh  /a/lock-0000000000\n"
              "1  lock  waits for 0  39s  0x1a     ann@b:7              /a/lock-0000000001\n"
              "stranger odd one\n");
}

TEST(InspectionTable, WarnsOfLocksOfSeveralKinds) {
    EXPECT_EQ(mixture_of(two.participants), "");
    Inspection mixed = two;
    mixed.participants.push_back(participant(ParticipantKind::read, 0, true, "x", RecipeKind::read_write_lock));
    EXPECT_NE(inspection_table(mixed, "/a", now, {.columns = 100})
                  .find("warning: mutex and read_write_lock are at one path: they do not exclude each other\n"),
              std::string::npos);
}

TEST(InspectionTable, ShortensLabelsAndNeverNames) {
    const auto lines = lines_of(inspection_table(two, "/a", now, {.columns = 70, .charset = Charset::ascii}));
    EXPECT_EQ(lines[2], "0  lock  holds        40s  0x1a     root@a:12 imp~  /a/lock-0000000000");
    for (const std::size_t columns : {40U, 20U, 5U, 1U, 0U}) {
        const auto narrow = lines_of(inspection_table(two, "/a", now, {.columns = columns}));
        ASSERT_EQ(narrow.size(), 8U) << columns;
        EXPECT_EQ(narrow[4], "    /a/lock-0000000000") << "on a line of its own";
        for (const std::size_t cut : {0U, 1U, 3U, 5U}) EXPECT_LE(columns_of(narrow[cut]), columns);
    }
}

TEST(InspectionTable, ALabelCannotCommandTheTerminal) {
    const Inspection bad{{participant(ParticipantKind::lock, 0, true, "\x1b[31m\nroot\xff")},
                         {"a\x1b"
                          "c"}};
    const auto text = inspection_table(bad, "/a", now, {.columns = 100});
    EXPECT_EQ(text.find('\x1b'), std::string::npos);
    EXPECT_NE(text.find("?[31m?root?"), std::string::npos) << text;
    EXPECT_EQ(lines_of(text).size(), 4U);
}

TEST(InspectionTable, ColoursEndWhereTheyBegan) {
    const auto text = inspection_table(two, "/a", now, {.columns = 100, .colours = true});
    EXPECT_NE(text.find("\x1b[32m0  lock  holds "), std::string::npos) << text;
    for (const auto& line : lines_of(text)) {
        if (line.find('\x1b') == std::string::npos) continue;
        EXPECT_GT(line.rfind("\x1b[0m"), line.find('\x1b')) << line;
    }
}

TEST(InspectionTable, WithNoneAndAThousand) {
    EXPECT_EQ(inspection_table({}, "/a", now, {}), "nobody is at /a\n");
    Inspection many;
    for (std::size_t i = 0; i < 1000; ++i) {
        many.participants.push_back(participant(ParticipantKind::lock, i, i == 0, std::string(i * 10, 'x')));
    }
    const auto lines = lines_of(inspection_table(many, "/a", now, {.columns = 120}));
    ASSERT_EQ(lines.size(), 1002U);
    EXPECT_EQ(lines[0], "mutex /a: 1 holds, 999 wait");
    for (const auto& line : lines) EXPECT_LE(columns_of(line), 120U);
    EXPECT_EQ(columns_of(lines[2].substr(0, lines[2].find("lock-"))),
              columns_of(lines[1001].substr(0, lines[1001].find("lock-"))));
}

TEST(WhoWaitsForWhom, AsTheQueuesHaveIt) {
    using enum ParticipantKind;
    constexpr auto rw = RecipeKind::read_write_lock;
    constexpr auto permits = RecipeKind::semaphore;
    const std::vector<Participant> all{participant(write, 0, true, "", rw),      participant(read, 1, false, "", rw),
                                       participant(read, 2, false, "", rw),      participant(write, 3, false, "", rw),
                                       participant(lease, 0, true, "", permits), participant(lock, 0, false, "", permits),
                                       participant(lock, 1, false, "", permits)};
    std::vector<std::string> states;
    for (std::size_t i = 0; i < all.size(); ++i) states.push_back(state_text(all, i));
    EXPECT_EQ(states, (std::vector<std::string>{"holds", "waits for 0", "waits for 0", "waits for 2", "holds",
                                                "waits for permits", "waits for 0"}));
}

/// Two permits. The second is reserved for the waiter at the gate.
Inspection reserved_permit() {
    constexpr auto permits = RecipeKind::semaphore;
    Inspection found{{participant(ParticipantKind::lease, 0, true, "ann", permits),
                      participant(ParticipantKind::lease, 1, true, "bob", permits),
                      participant(ParticipantKind::lock, 0, false, "bob", permits)},
                     {}};
    found.participants[0].session_id = 1;
    found.participants[2].fencing_token = 5;
    return found;
}

TEST(WhoWaitsForWhom, AReservedPermitIsNotHeld) {
    Inspection seen = reserved_permit();
    auto& all = seen.participants;
    EXPECT_EQ(state_text(all, 0), "holds");
    EXPECT_EQ(state_text(all, 1), "reserved");
    EXPECT_EQ(lines_of(inspection_table(seen, "/a", now, {.columns = 200})).at(0), "semaphore /a: 1 holds, 0 wait, 1 reserved");
    all[1].fencing_token = 4;
    EXPECT_EQ(state_text(all, 1), "holds") << "since before it came to the gate";
    all[1].fencing_token = 7;
    all[1].owner = "bob/1";
    all[2].owner = "bob/2";
    EXPECT_EQ(state_text(all, 1), "holds") << "another thread of it";
    all.pop_back();
    EXPECT_EQ(state_text(all, 1), "holds") << "nobody is at the gate";
}

TEST(InspectionText, ForScriptsAReservedPermitIsNotHeld) {
    const Inspection seen = reserved_permit();
    const auto lines = lines_of(inspection_text(seen, {.path = "/a"}, std::nullopt, std::nullopt));
    EXPECT_TRUE(lines.at(0).starts_with("semaphore 0 holds lease ann ")) << lines[0];
    EXPECT_TRUE(lines.at(1).starts_with("semaphore 1 reserved lease bob ")) << lines[1];
    EXPECT_TRUE(lines.at(2).starts_with("semaphore 0 waits lock bob ")) << lines[2];
    const auto json = inspection_text(seen, {.format = OutputFormat::json, .path = "/a"}, std::nullopt, std::nullopt);
    EXPECT_NE(json.find(R"("position":0,"holds":true,)"), std::string::npos) << json;
    EXPECT_NE(json.find(R"("position":1,"holds":false,)"), std::string::npos) << json;
    EXPECT_NE(json.find(R"("reserved":true)"), std::string::npos) << json;
}

TEST(InspectionTable, SaysOfLocksBelowHowToLookAtThem) {
    EXPECT_EQ(inspection_table({{}, {"import", "odd"}}, "/app", now, {.columns = 100}, std::vector<std::string>{"import"}),
              "lock import: docent inspect /app/import\n"
              "stranger odd\n"
              "nobody takes part here; all locks below: docent top /app\n");
}

TEST(BrokenNode, OnlyNodesOfRecipes) {
    for (const char* node : {"/a/_c_0f3a0e5e-0d5f-4c0e-9d6b-5e6f0b1c7a11-lock-0000000001", "/a/lock-0000000001",
                             "/a/_c_0f3a0e5e-0d5f-4c0e-9d6b-5e6f0b1c7a11-__READ__0000000001", "/a/__WRIT__0000000002",
                             "/a/leases/_c_0f3a0e5e-0d5f-4c0e-9d6b-5e6f0b1c7a11-lease-0000000003",
                             "/a/_c_0f3a0e5e-0d5f-4c0e-9d6b-5e6f0b1c7a11-latch-0000000004"}) {
        EXPECT_TRUE(is_participant(node, {})) << node;
    }
    for (const char* node : {"/", "/a", "/a/lock-1", "/a/config", "/a/0f3a__lock__0000000001"}) {
        EXPECT_FALSE(is_participant(node, {})) << node;
    }
    EXPECT_TRUE(is_participant("/a/0f3a__lock__0000000001", {.others = kazoo_contenders()}));
}

TEST(BrokenNode, ItsRecipeMayBeTwoLevelsUp) {
    EXPECT_EQ(paths_of_recipe("/a/leases/lease-0000000001"), (std::vector<std::string>{"/a", "/a/leases"}));
    EXPECT_EQ(paths_of_recipe("/a/lock-0000000001"), std::vector<std::string>{"/a"});
    EXPECT_EQ(paths_of_recipe("/lock-0000000001"), std::vector<std::string>{"/"});
}

TEST(BrokenNode, NamesTheHolder) {
    const Participant holder{.recipe = RecipeKind::mutex,
                             .kind = ParticipantKind::lock,
                             .node_path = "/a/lock-0000000001",
                             .position = 0,
                             .holds = true,
                             .data = "root@a:1 \x1b[2J",
                             .session_id = 0x1a,
                             .fencing_token = 7,
                             .created = 100'000};
    Participant waiter = holder;
    waiter.node_path = "/a/lock-0000000002";
    waiter.holds = false;
    const std::chrono::system_clock::time_point later{400s};
    EXPECT_EQ(broken_node_text({holder, waiter}, "/a/lock-0000000001", later, Charset::utf8),
              "/a/lock-0000000001\n  recipe   mutex, lock\n  state    holds; 1 waits there\n  label    root@a:1 ?[2J\n"
              "  age      5m00s\n  session  0x1a\n  token    7\n");
}

TEST(BrokenNode, SaysThatAPersistentNodeStays) { // made by hand
    Participant holder{};
    holder.node_path = "/a/lock-0000000001";
    holder.holds = true;
    const auto text = broken_node_text({holder}, "/a/lock-0000000001", {}, Charset::utf8);
    EXPECT_NE(text.find("\n  session  none: it stays until it is removed\n"), std::string::npos) << text;
}

} // namespace
} // namespace docent::cli
