// SPDX-License-Identifier: Apache-2.0
#include "cli/nodes/transaction_file.hpp"

#include "cli/arguments/parse.hpp"
#include "cli/nodes/json.hpp"

#include <boost/json/serialize.hpp>

#include <gtest/gtest.h>

namespace docent::cli {
namespace {

std::string fault_of(std::string_view text) {
    try {
        parse_transaction(text);
    } catch (const UsageError& e) {
        return e.what();
    }
    return {};
}

TEST(TransactionFile, ReadsEveryOperation) {
    const auto transaction = parse_transaction("create /a\ncreate /b data\n\n# a comment\n  set /c \"two words\\n\" 7\r\n"
                                               "delete /d\ndelete /d 2\ncheck /e -1");
    const auto& operations = transaction.operations();
    ASSERT_EQ(operations.size(), 6u);
    EXPECT_EQ(std::get<Transaction::Create>(operations[0]).data, "");
    EXPECT_EQ(std::get<Transaction::Create>(operations[1]).data, "data");
    EXPECT_EQ(std::get<Transaction::SetData>(operations[2]).data, "two words\n");
    EXPECT_EQ(std::get<Transaction::SetData>(operations[2]).version, 7);
    EXPECT_EQ(std::get<Transaction::Remove>(operations[3]).version, -1);
    EXPECT_EQ(std::get<Transaction::Remove>(operations[4]).version, 2);
    EXPECT_EQ(std::get<Transaction::Check>(operations[5]).path, "/e");
    EXPECT_TRUE(parse_transaction("").operations().empty());
    EXPECT_TRUE(parse_transaction("\n\n").operations().empty());
}

TEST(TransactionFile, QuotedWordsKeepBlanksAndTabs) {
    const auto transaction = parse_transaction("set /a \"a \\\"b\\\" \\\\ c\td\" 1\nset /b \"\"");
    EXPECT_EQ(std::get<Transaction::SetData>(transaction.operations()[0]).data, "a \"b\" \\ c\td");
    EXPECT_EQ(std::get<Transaction::SetData>(transaction.operations()[1]).data, "");
}

TEST(TransactionFile, WordsInQuotesAreStringsOfJson) {
    const auto data_of = [](const std::string& word) {
        return std::get<Transaction::SetData>(parse_transaction("set /a " + word).operations().at(0)).data;
    };
    EXPECT_EQ(data_of(R"("\b\f\n\r\t\/\"\\")"), "\b\f\n\r\t/\"\\");
    EXPECT_EQ(data_of(R"("\u0041\u00e9\u20AC\ud83d\ude00")"), "A\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
    EXPECT_EQ(data_of(R"("\u0000\u001f")"), std::string("\0\x1f", 2));
    for (const std::string& text :
         {std::string("plain"), std::string("a \"b\" \\ c/d\n\x01\x7f"), std::string("\xf0\x9f\x98\x80")}) {
        EXPECT_EQ(data_of(json::serialize(json::value(text))), text);
    }
    EXPECT_TRUE(fault_of(R"(set /a "\u12")").ends_with("column 9: four hexadecimal digits follow \\u"));
    EXPECT_TRUE(fault_of(R"(set /a "\u12x4")").ends_with("column 9: four hexadecimal digits follow \\u"));
    for (const auto* half : {R"(set /a "\ud83d")", R"(set /a "\ud83d\u0041")", R"(set /a "\ude00")", R"(set /a "\ud83dA")"}) {
        EXPECT_TRUE(fault_of(half).ends_with("the \\u is half of a pair; the other half is missing")) << half;
    }
}

TEST(TransactionFile, FaultsNameLineAndColumn) {
    EXPECT_EQ(fault_of("create /a\nfoo /b"), "tx: line 2, column 1: 'foo' is not an operation (create, set, delete, check)");
    EXPECT_EQ(fault_of("set /a"), "tx: line 1, column 7: DATA is missing");
    EXPECT_EQ(fault_of("create"), "tx: line 1, column 7: PATH is missing");
    EXPECT_EQ(fault_of("delete /a x"), "tx: line 1, column 11: 'x' is not a version");
    EXPECT_EQ(fault_of("set /a b 1 c"), "tx: line 1, column 12: unexpected 'c'");
    EXPECT_EQ(fault_of("set /a \"b"), "tx: line 1, column 8: the quote is not closed");
    EXPECT_EQ(fault_of("set /a \"b\"c"), "tx: line 1, column 11: a blank must follow the quote");
    EXPECT_TRUE(fault_of("check bad").starts_with("tx: line 1, column 7: 'bad' is not a valid path"));
    EXPECT_TRUE(fault_of("set /a \"\\x\"").starts_with("tx: line 1, column 9"));
    EXPECT_NE(fault_of("check /a 99999999999"), "");
    EXPECT_NE(fault_of("check /a -2"), "");
}

} // namespace
} // namespace docent::cli
