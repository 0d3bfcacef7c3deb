// SPDX-License-Identifier: Apache-2.0
#include "cli/top/top_screen.hpp"

#include <gtest/gtest.h>

namespace docent::cli {
namespace {

using namespace std::chrono_literals;

class TopScreenTest : public ::testing::Test {
protected:
    TopScreenTest() {
        for (const char* path : {"/app/a", "/app/b", "/app/c"}) facts.rows.push_back(row(path));
        facts.path = "/app";
    }
    static LockRow row(const std::string& path) {
        LockRow row{.path = path};
        row.kind = "mutex";
        row.holders = 1;
        row.limit = 1;
        row.label = "ann";
        row.holder_node = path + "/lock-0000000001";
        return row;
    }
    static Participant holder(const std::string& node) {
        return {.recipe = RecipeKind::mutex,
                .kind = ParticipantKind::lock,
                .node_path = node,
                .position = 0,
                .holds = true,
                .data = "ann",
                .session_id = 1,
                .fencing_token = 1};
    }
    std::optional<TopWish> press(Key key) { return screen.on_key({key}, facts); }
    std::optional<TopWish> type(const std::string& text) {
        std::optional<TopWish> last;
        for (const char c : text) last = screen.on_key({Key::letter, std::string(1, c)}, facts);
        return last;
    }
    std::vector<ScreenLine> draw(ScreenSize size = {10, 80}) { return screen.draw(facts, size); }
    std::string selected() {
        for (const auto& line : draw()) {
            if (line.style == Style::selected) return line.text.substr(0, line.text.find(' '));
        }
        return "";
    }
    std::string bottom() { return draw().back().text; }
    using What = TopWish::What;

    TopFacts facts;
    TopScreen screen{Charset::utf8};
};

TEST_F(TopScreenTest, HasALineForEachLock) {
    const auto lines = draw();
    ASSERT_EQ(lines.size(), 10U);
    EXPECT_EQ(lines[0].text, "docent top /app   3 locks, 0 waiting   by path");
    EXPECT_EQ(lines[2].style, Style::titles);
    EXPECT_TRUE(lines[3].text.starts_with("/app/a "));
    EXPECT_EQ(lines[3].style, Style::selected);
    EXPECT_TRUE(lines[5].text.starts_with("/app/c "));
}

TEST_F(TopScreenTest, TextThatDoesNotFitTheChosenLineStandsAbove) {
    facts.rows = {row("/production/billing/nightly/import-of-europe")};
    EXPECT_EQ(draw({10, 120})[1].text, "");
    EXPECT_EQ(draw({10, 60})[1].text, "/production/billing/nightly/import-of-europe  held by ann");
    facts.notice = "no server answers";
    EXPECT_EQ(draw({10, 60})[1].text, "no server answers");
}

TEST_F(TopScreenTest, NeverMoreThanTheScreenHas) {
    for (std::size_t lines = 0; lines < 12; ++lines) {
        for (const std::size_t columns : {0U, 1U, 10U, 300U}) {
            const auto drawn = draw({lines, columns});
            ASSERT_EQ(drawn.size(), lines);
            for (const auto& line : drawn) EXPECT_LE(columns_of(line.text), columns);
        }
    }
}

TEST_F(TopScreenTest, TheChosenLineStaysChosenWhenOthersComeAndGo) {
    press(Key::down);
    EXPECT_EQ(selected(), "/app/b");
    facts.rows.push_back(row("/app/aa"));
    EXPECT_EQ(selected(), "/app/b");
    std::erase_if(facts.rows, [](const LockRow& one) { return one.path == "/app/b"; });
    EXPECT_EQ(selected(), "/app/c") << "the one in its place";
    press(Key::home);
    EXPECT_EQ(selected(), "/app/a");
    press(Key::end);
    EXPECT_EQ(selected(), "/app/c");
    facts.rows.clear();
    EXPECT_EQ(selected(), "");
    EXPECT_EQ(press(Key::enter), std::nullopt);
    EXPECT_EQ(press(Key::down), std::nullopt);
}

TEST_F(TopScreenTest, MovesThroughMoreThanFits) {
    for (int i = 0; i < 100; ++i) facts.rows.push_back(row("/app/x" + std::to_string(100 + i)));
    press(Key::end);
    EXPECT_EQ(selected(), "/app/x199");
    press(Key::page_up);
    EXPECT_EQ(selected(), "/app/x193");
    press(Key::home);
    EXPECT_EQ(selected(), "/app/a");
}

TEST_F(TopScreenTest, SortsAndFilters) {
    facts.rows[2].waiters = 5;
    type("s");
    EXPECT_TRUE(draw()[3].text.starts_with("/app/c "));
    type("/B");
    EXPECT_EQ(bottom(), "show only lines with: B");
    EXPECT_TRUE(draw()[3].text.starts_with("/app/b "));
    EXPECT_EQ(type("q"), std::nullopt) << "into the filter";
    press(Key::backspace);
    press(Key::enter);
    EXPECT_TRUE(draw()[3].text.starts_with("/app/b "));
    EXPECT_EQ(draw()[4].text, "");
    press(Key::escape);
    EXPECT_TRUE(draw()[4].text.starts_with("/app/a "));
    EXPECT_EQ(type("q"), TopWish{What::quit});
}

TEST_F(TopScreenTest, OpensTheQueueOfALine) {
    press(Key::down);
    EXPECT_EQ(press(Key::enter), (TopWish{What::open, "/app/b"}));
    facts.queue.participants = {holder("/app/b/lock-0000000001")};
    facts.queue.strangers = {"odd"};
    const auto lines = draw();
    EXPECT_EQ(lines[0].text, "docent top: the queue of /app/b");
    EXPECT_EQ(lines[1].text, "/app/b/lock-0000000001");
    EXPECT_NE(lines[3].text.find("holds"), std::string::npos) << lines[3].text;
    EXPECT_EQ(lines[4].text, "stranger odd");
    EXPECT_EQ(press(Key::escape), TopWish{What::open});
    EXPECT_EQ(selected(), "/app/b");
}

TEST_F(TopScreenTest, StrangersOfAQueueCanBeReached) {
    press(Key::enter);
    facts.queue.participants = {holder("/app/a/lock-0000000001")};
    facts.queue.strangers.reserve(21);
    for (int i = 0; i < 20; ++i) facts.queue.strangers.push_back("odd-" + std::to_string(10 + i));
    draw();
    press(Key::end);
    const auto lines = draw();
    EXPECT_EQ(lines[8].text, "stranger odd-29");
    EXPECT_EQ(lines[8].style, Style::selected);
    EXPECT_EQ(lines[1].text, "/app/a/odd-29") << "as docent delete takes it";
    type("r");
    EXPECT_EQ(bottom(), "no recipe has made it: there is nobody to ask");
    facts.queue.strangers.insert(facts.queue.strangers.begin(), "new");
    EXPECT_EQ(draw()[1].text, "/app/a/odd-29") << "stays chosen";
    press(Key::home);
    EXPECT_EQ(draw()[1].text, "/app/a/lock-0000000001");
}

TEST_F(TopScreenTest, AsksBeforeItAsks) {
    type("r");
    EXPECT_EQ(bottom(), "y/n: ask ann to give up lock-0000000001");
    EXPECT_EQ(type("n"), std::nullopt);
    EXPECT_EQ(bottom(), "nobody was asked");
    type("r");
    EXPECT_EQ(type("y"), (TopWish{What::revoke, "/app/a/lock-0000000001"}));
    facts.rows[0].holder_node = "/app/a/_c_0f3a0e5e-0d5f-4c0e-9d6b-5e6f0b1c7a11-latch-0000000001";
    type("r");
    EXPECT_EQ(bottom(), "leaders, and waiters for permits, cannot be asked");
    facts.rows[0].holder_node.clear();
    type("r");
    EXPECT_EQ(bottom(), "nobody holds it");
}

TEST_F(TopScreenTest, AsksForTheNodeThatItShowed) {
    type("r");
    facts.rows[0].holder_node = "/app/a/lock-0000000002"; // meanwhile the next waiter holds the lock
    EXPECT_EQ(type("y"), (TopWish{What::revoke, "/app/a/lock-0000000001"}));
}

TEST_F(TopScreenTest, ShowsErrors) {
    facts.notice = "asked";
    EXPECT_EQ(draw()[1].text, "asked");
    facts.trouble = "no server answers\x1b";
    EXPECT_EQ(draw()[1], (ScreenLine{"no server answers?", Style::warning}));
    type("?");
    EXPECT_EQ(bottom(), "any key: back");
    EXPECT_EQ(draw()[1].text, "no server answers?");
    type("x");
    EXPECT_NE(bottom(), "any key: back");
}

} // namespace
} // namespace docent::cli
