// SPDX-License-Identifier: Apache-2.0
// Follows a node through changes, disconnections and the loss of the session: the code of docs/client/watches.md.
// Usage: watching [CONNECT_STRING]; without a connect string it starts a server.

#include "example_server.hpp"

#include <docent/docent.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <functional>
#include <future>
#include <iostream>
#include <optional>
#include <string>

namespace asio = boost::asio;
using namespace std::chrono_literals;

// [follow]
using OnValue = std::function<bool(std::optional<std::string>)>;

/// Calls `on_value` with each value of the node, and with nothing while there
/// is no node. Returns when `on_value` returns false or the client is closed.
void follow(docent::Client& client, std::string path, OnValue on_value) {
    for (;;) {
        docent::error_code ec;
        auto seen = client.exists_watched(path, ec); // first set the watch
        std::optional<std::string> value;
        if (!ec && seen.value) value = client.get(path, ec).data; // then read
        if (ec == docent::condition::retryable) continue;
        if (ec == docent::server_error::session_expired) continue;
        if (ec == docent::server_error::no_node) {
            value.reset(); // removed after the watch was set
        } else if (ec) {
            return; // closed, or not permitted
        }
        if (!on_value(value)) return;
        seen.watch.wait(ec); // after any event: set the watch again, and read
    }
}
// [follow]

asio::awaitable<void> once(docent::Client& client, std::string path) {
    // [once]
    auto config = co_await client.async_get_watched(path, asio::use_awaitable);
    std::cout << config.value.data << '\n';

    client.async_set(path, "new", asio::detached);
    auto event = co_await config.watch.async_wait(asio::use_awaitable);
    std::cout << to_string(event.type) << '\n'; // data_changed
    // [once]
    if (event.type != docent::WatchEventType::data_changed) throw std::logic_error("another event");
    co_await client.async_close(asio::use_awaitable);
}

void watch_once(const std::string& servers, const std::string& path) {
    asio::io_context io;
    docent::Client client{io.get_executor(), {.connect_string = servers}};
    client.start();
    asio::co_spawn(io, once(client, path), [](const std::exception_ptr& failure) {
        if (failure) std::rethrow_exception(failure); // leaves through run()
    });
    io.run();
}

/// `follow` reports each value, the removal, and a value that was set while the session was lost.
void follow_through_everything(const std::string& servers, const std::string& path) {
    docent::Client follower{{.connect_string = servers}};
    docent::Client writer{{.connect_string = servers}};
    follower.start();
    writer.start();
    const std::vector<std::optional<std::string>> expected{"new", "1", "2", std::nullopt};
    std::size_t heard = 0;
    follow(follower, path, [&](const std::optional<std::string>& value) {
        if (value != expected[heard]) return true; // the same again, after the session was lost
        switch (heard++) {
        case 0: writer.set(path, "1"); break;
        case 1:
            follower.renew_session();
            writer.set(path, "2");
            break;
        case 2: writer.remove(path); break;
        default: break;
        }
        return heard < expected.size();
    });
    if (heard != expected.size()) throw std::logic_error("a value was missed");
}

int main(int argc, char** argv) {
    const ExampleServer server(argc, argv);
    const std::string path = "/examples/watching";
    try {
        docent::Client client{{.connect_string = server.connect_string()}};
        client.start();
        client.create(path, "old", {.parents = docent::Parents::container, .if_exists = docent::IfExists::set_data});
        watch_once(server.connect_string(), path);
        follow_through_everything(server.connect_string(), path);
    } catch (const std::exception& e) {
        std::cerr << e.what() << '\n';
        return 1;
    }
    std::cout << "followed every value\n";
}
