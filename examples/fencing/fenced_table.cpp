// SPDX-License-Identifier: Apache-2.0
// A table that refuses late writes: docs/how-to/fence-a-write.md. SQLite here;
// the statement is the same elsewhere.
#include "stale_holder.hpp"

#include <sqlite3.h>

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>

using Database = std::unique_ptr<sqlite3, decltype(&sqlite3_close)>;
using Statement = std::unique_ptr<sqlite3_stmt, decltype(&sqlite3_finalize)>;

Statement prepare(sqlite3* database, const char* sql) {
    sqlite3_stmt* statement = nullptr;
    if (sqlite3_prepare_v2(database, sql, -1, &statement, nullptr) != SQLITE_OK)
        throw std::runtime_error(sqlite3_errmsg(database));
    return {statement, &sqlite3_finalize};
}

// [table]
/// One statement compares and writes. Returns false if the row has a larger
/// token.
bool write_fenced(sqlite3* database, std::int64_t token,
                  const std::string& text) {
    const Statement update =
        prepare(database, "UPDATE report SET token = ?1, text = ?2 "
                          "WHERE id = 1 AND token <= ?1");
    sqlite3_bind_int64(update.get(), 1, token);
    sqlite3_bind_text(update.get(), 2, text.c_str(), -1, SQLITE_TRANSIENT);
    if (sqlite3_step(update.get()) != SQLITE_DONE)
        throw std::runtime_error(sqlite3_errmsg(database));
    return sqlite3_changes(database) == 1;
}
// [table]

int main() {
    sqlite3* opened = nullptr;
    if (sqlite3_open(":memory:", &opened) != SQLITE_OK) return 1;
    const Database database(opened, &sqlite3_close);
    for (const char* sql : {"CREATE TABLE report (id INTEGER PRIMARY KEY, "
                            "token INTEGER NOT NULL, text TEXT)",
                            "INSERT INTO report VALUES (1, 0, '')"}) {
        if (sqlite3_step(prepare(opened, sql).get()) != SQLITE_DONE) return 1;
    }
    StaleHolder holders;
    const bool second =
        write_fenced(opened, holders.second.fencing_token(), "of the second");
    const bool first =
        write_fenced(opened, holders.first.fencing_token(), "of the first");
    const Statement read = prepare(opened, "SELECT text FROM report");
    sqlite3_step(read.get());
    return verdict(
        second, first,
        reinterpret_cast<const char*>(sqlite3_column_text(read.get(), 0)));
}
