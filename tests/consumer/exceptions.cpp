// SPDX-License-Identifier: Apache-2.0
// Exceptions pass through the library and keep their type: an error of docent's reaches the user's program, and a user's
// exception reaches the caller that runs the executor.
#include <docent/docent.hpp>
#include <docent/testing/testing_server.hpp>

#include <boost/asio/io_context.hpp>
#include <boost/thread/thread.hpp>

#include <iostream>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>
#include <tuple>

namespace {

int failures = 0;

void expect(bool holds, const char* what) {
    if (holds) return;
    ++failures;
    std::cerr << "exceptions: " << what << '\n';
}

/// Returns a copy of the exception that the function throws, as an `Exception`. Counts a failure if it is of another type.
template <typename Exception, typename Function> std::optional<Exception> caught(Function&& function) {
    try {
        function();
    } catch (const Exception& e) {
        return e;
    } catch (...) {
        expect(false, "an exception of another type was thrown");
        return {};
    }
    expect(false, "nothing was thrown");
    return {};
}

struct UsersError : std::runtime_error {
    using runtime_error::runtime_error;
};

void errors_of_docent(docent::Client& client) {
    const auto missing = caught<docent::Error>([&] { client.get("/missing"); });
    expect(missing && missing->code() == docent::server_error::no_node, "no_node of the server");
    expect(missing && missing->code().category() == docent::server_category(), "the server's category");
    const auto bare = caught<boost::system::system_error>([&] { docent::InterProcessMutex(client, "no/path"); });
    expect(bare && bare->code() == docent::error::invalid_path, "invalid_path by the base");
    expect(bare && &bare->code().category() == &docent::docent_category(), "one category in the whole program");

    docent::error_code ec;
    client.get("/missing", ec);
    const std::error_code standard = ec;
    expect(standard == std::error_code(docent::make_error_code(docent::server_error::no_node)), "as a std::error_code");
    const auto converted = caught<std::system_error>([&] { throw std::system_error(standard, "get"); });
    expect(converted && converted->code().category() == static_cast<const std::error_category&>(docent::server_category()),
           "the category of a std::system_error");

    docent::Transaction transaction;
    transaction.remove("/missing");
    const auto rejected = caught<docent::TransactionError>([&] { client.commit(transaction); });
    expect(rejected && rejected->result().failed_operation == 0u, "what a TransactionError carries");
    const auto no_lock = caught<docent::MultiLockError>([&] {
        docent::InterProcessMultiLock all(client, {"/a", "/b"});
        const docent::MultiLease held = all.acquire();
        std::ignore = all.acquire({.timeout = std::chrono::milliseconds(1)});
    });
    expect(no_lock && !no_lock->failures().empty(), "what a MultiLockError carries");
}

void interruption(docent::Client& client) {
    docent::InterProcessMutex mutex(client, "/interrupted");
    const docent::Lease held = mutex.acquire();
    bool interrupted = false;
    boost::thread waiter([&] {
        try {
            mutex.lock();
        } catch (const boost::thread_interrupted&) {
            interrupted = true;
        }
    });
    waiter.interrupt();
    waiter.join();
    expect(interrupted, "an interruption");
}

void errors_of_users(const std::string& servers) {
    boost::asio::io_context io;
    docent::Client client{io.get_executor(), {.connect_string = servers}};
    client.start();
    client.async_exists("/", [](docent::error_code, const std::optional<docent::Stat>&) { throw UsersError("mine"); });
    const auto mine = caught<UsersError>([&] { io.run(); });
    expect(mine && mine->what() == std::string("mine"), "what a handler has thrown");
    bool again = false;
    client.async_exists("/", [&](docent::error_code ec, const std::optional<docent::Stat>& root) {
        again = !ec && root;
        client.close();
    });
    io.run();
    expect(again, "the client works on after it");
}

} // namespace

int main() {
    const docent::testing::TestingServer server;
    {
        docent::Client client{{.connect_string = server.connect_string()}};
        client.start();
        errors_of_docent(client);
        interruption(client);
    }
    errors_of_users(server.connect_string());
    if (failures == 0) std::cout << "exceptions: each was caught for what it is\n";
    return failures == 0 ? 0 : 1;
}
