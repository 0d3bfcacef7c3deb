// SPDX-License-Identifier: Apache-2.0
#include "client/events/event_source.hpp"

#include <docent/error.hpp>

#include <gtest/gtest.h>

#include <memory>

namespace docent::detail {
namespace {

class MailboxTest : public testing::Test {
protected:
    std::shared_ptr<Mailbox<int>> mailbox = std::make_shared<Mailbox<int>>();
    int arrived = 0;
    error_code ec;
    int reads = 0;

    void read() {
        mailbox->read([this](error_code result, int item) {
            ec = result;
            arrived = item;
            ++reads;
        });
    }
};

TEST_F(MailboxTest, GivesEachItemOnce) {
    mailbox->push(1);
    mailbox->push(2);
    read();
    EXPECT_EQ(arrived, 1);
    read();
    EXPECT_EQ(arrived, 2);
    read();
    EXPECT_EQ(reads, 2) << "the third one waits";
}

TEST_F(MailboxTest, ItemsThatCameBeforeTheCloseAreReadBeforeItsError) {
    mailbox->push(1);
    mailbox->push(2);
    mailbox->close(error::closed);
    for (const int item : {1, 2}) {
        read();
        EXPECT_EQ(arrived, item);
        EXPECT_FALSE(ec);
    }
    read();
    EXPECT_EQ(ec, error::closed);
}

TEST_F(MailboxTest, GivesTheLastItemToEachRead) {
    read();
    mailbox->push_last(7);
    EXPECT_EQ(reads, 1) << "to the one that waited";
    for (int i = 2; i < 5; ++i) {
        read();
        EXPECT_EQ(reads, i);
        EXPECT_EQ(arrived, 7);
    }
    mailbox->push_last(8);
    mailbox->close(error::closed);
    read();
    EXPECT_EQ(arrived, 7);
    EXPECT_FALSE(ec) << "also behind the end";
}

} // namespace
} // namespace docent::detail
