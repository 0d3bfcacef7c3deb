// SPDX-License-Identifier: Apache-2.0
// Locks in PostgreSQL, with libpq. --kind advisory: a session's advisory lock; --kind row: SELECT FOR UPDATE in a transaction
// that begins in the same message.

#include "peer_lock.hpp"

#include <libpq-fe.h>

#include <stdexcept>

namespace {

class PostgresLock : public PeerLock {
public:
    explicit PostgresLock(const std::string& address) {
        const auto colon = address.rfind(':');
        if (colon == std::string::npos) throw std::invalid_argument("--connect needs a port");
        const std::string words = "host=" + address.substr(0, colon) + " port=" + address.substr(colon + 1) +
                                  " user=postgres dbname=postgres sslmode=disable gssencmode=disable connect_timeout=10";
        connection_.reset(PQconnectdb(words.c_str()));
        if (PQstatus(connection_.get()) != CONNECTION_OK) throw std::runtime_error(PQerrorMessage(connection_.get()));
    }
    void ping() override { run("SELECT 1"); }

protected:
    void prepare(const char* name, const char* statement) { check(PQprepare(connection_.get(), name, statement, 0, nullptr)); }
    void run_prepared(const char* name) {
        ++requests_;
        check(PQexecPrepared(connection_.get(), name, 0, nullptr, nullptr, nullptr, 0));
    }
    void run(const char* statements) {
        ++requests_;
        check(PQexec(connection_.get(), statements));
    }

private:
    void check(PGresult* result) {
        const auto status = PQresultStatus(result);
        PQclear(result);
        if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK)
            throw std::runtime_error(PQerrorMessage(connection_.get()));
    }
    struct Finish {
        void operator()(PGconn* connection) const { PQfinish(connection); }
    };
    std::unique_ptr<PGconn, Finish> connection_;
};

class AdvisoryLock final : public PostgresLock {
public:
    explicit AdvisoryLock(const std::string& address) : PostgresLock(address) {
        prepare("acquire", "SELECT pg_advisory_lock(1)");
        prepare("release", "SELECT pg_advisory_unlock(1)");
    }
    void acquire() override { run_prepared("acquire"); }
    void release() override { run_prepared("release"); }
};

class RowLock final : public PostgresLock {
public:
    explicit RowLock(const std::string& address) : PostgresLock(address) {
        run("SET client_min_messages = warning; CREATE TABLE IF NOT EXISTS locks (id int PRIMARY KEY);"
            "INSERT INTO locks VALUES (1) ON CONFLICT DO NOTHING");
    }
    void acquire() override { run("BEGIN; SELECT id FROM locks WHERE id = 1 FOR UPDATE"); }
    void release() override { run("COMMIT"); }
};

} // namespace

int main(int argc, char** argv) {
    return run_peer(argc, argv, "postgres_workload", "postgres", [](const Options& options, const std::string&) {
        const std::string& kind = options.text("kind");
        const std::string& address = options.text("connect");
        if (kind == "advisory") return std::unique_ptr<PeerLock>(std::make_unique<AdvisoryLock>(address));
        if (kind == "row") return std::unique_ptr<PeerLock>(std::make_unique<RowLock>(address));
        throw std::invalid_argument("--kind is advisory or row, not '" + kind + "'");
    });
}
