// SPDX-License-Identifier: Apache-2.0
// Following a node through every change, disconnection and loss of the session: the code that docs/client/watches.md shows.
// Usage: watching [CONNECT_STRING]; without one it starts a server of its own.

#include "example_server.hpp"

#include <docent/docent.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <functional>
#include <future>
#include <iostream>
#include <optional>
#include <stop_token>
#include <string>

namespace asio = boost::asio;
using namespace std::chrono_literals;

// [follow]
using OnValue = std::function<void(std::optional<std::string>)>;

void follow(docent::Client& client, const std::string& path, const std::stop_token& stop, const OnValue& on_value) {
    while (!stop.stop_requested()) {
        docent::error_code ec;
        auto seen = client.exists_watched(path, ec, {.stop = stop}); // first the watch,
        docent::NodeData read;
        if (!ec && seen.value) read = client.get(path, ec, {.stop = stop}); // then what there is to see
        if (ec == docent::condition::retryable || ec == docent::server_error::session_expired) continue; // in vain: again
        if (ec && ec != docent::server_error::no_node) return; // stopped, closed, not allowed
        on_value(seen.value && !ec ? std::optional(read.data) : std::nullopt);
        seen.watch.wait(ec, {.stop = stop}); // any event means: look again; session_lost, too
    }
}
// [follow]

asio::awaitable<void> once(docent::Client& client, std::string path) {
    // [once]
    docent::Watched<docent::NodeData> config = co_await client.async_get_watched(path, asio::use_awaitable);
    client.async_set(path, "new", {}, [](docent::error_code, docent::Stat) {});
    docent::WatchEvent event = co_await config.watch.async_wait(asio::use_awaitable);
    std::cout << event.path << ": " << to_string(event.type) << '\n'; // data_changed
    // [once]
    if (event.type != docent::WatchEventType::data_changed) throw std::logic_error("another event");
    co_await client.async_close(asio::use_awaitable);
}

void watch_once(const std::string& servers, const std::string& path) {
    asio::io_context io;
    docent::Client client{io.get_executor(), {.connect_string = servers}};
    client.start();
    asio::co_spawn(io, once(client, path), [](const std::exception_ptr& failure) {
        if (failure) std::rethrow_exception(failure); // out of run()
    });
    io.run();
}

/// Each value is heard of, and so are the node's end and a value that was set while the session was lost.
void follow_through_everything(const std::string& servers, const std::string& path) {
    docent::Client follower{{.connect_string = servers}};
    docent::Client writer{{.connect_string = servers}};
    follower.start();
    writer.start();
    const std::vector<std::optional<std::string>> expected{"new", "1", "2", std::nullopt};
    std::size_t heard = 0;
    std::stop_source stop;
    follow(follower, path, stop.get_token(), [&](const std::optional<std::string>& value) {
        if (heard == expected.size() || value != expected[heard]) return; // the same again, after the session was lost
        switch (heard++) {
        case 0: return void(writer.set(path, "1"));
        case 1: follower.renew_session(); return void(writer.set(path, "2"));
        case 2: return writer.remove(path);
        case 3: stop.request_stop();
        }
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
    std::cout << "heard of every value\n";
}
