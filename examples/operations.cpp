// SPDX-License-Identifier: Apache-2.0
// Calls of a client without recipes: the code of docs/client/client.md, retries.md, errors.md and namespaces-and-acls.md.
// Usage: operations [CONNECT_STRING]; without a connect string it starts a server.

#include "example_server.hpp"

#include <docent/docent.hpp>

#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>

#include <future>
#include <iostream>
#include <memory>
#include <stdexcept>

namespace asio = boost::asio;
using namespace std::chrono_literals;

void expect(bool holds, const char* claim) {
    if (!holds) throw std::logic_error(claim);
}

void start_and_close(const std::string& servers) {
    // [start]
    docent::Client client{{.connect_string = servers, .session_timeout = 10s}};
    client.start();                          // returns at once
    client.wait_connected({.timeout = 30s}); // optional: fails early, and says why
    // [start]
    client.create("/examples/operations", "", {.parents = docent::Parents::persistent, .if_exists = docent::IfExists::accept});
    client.remove("/examples/operations", {.children = docent::RemoveChildren::yes});
}

void on_own_executor(const std::string& servers) {
    bool found = false;
    // [own-executor]
    asio::io_context io;
    docent::Client client{io.get_executor(), {.connect_string = servers}};
    client.start();
    client.async_exists("/", [&](docent::error_code ec, auto root) {
        found = !ec && root;
        client.async_close(asio::detached);
    });
    io.run(); // returns when the client is closed
    // [own-executor]
    expect(found, "the root exists");
}

void forms(docent::Client& client) {
    // [forms]
    docent::NodeData read = client.get("/config"); // throws docent::Error

    docent::error_code ec;
    client.get("/nothing", ec);
    const bool missing = ec == docent::server_error::no_node;

    client.async_get("/config", [](docent::error_code failed, auto config) {
        if (!failed) std::cout << config.data << '\n';
    });
    auto later = client.async_get("/config", asio::use_future); // a std::future
    // [forms]
    expect(missing, "there is no such node");
    expect(read == later.get(), "both forms read the same");
}

void bounds(docent::Client& client, const std::stop_token& stop) {
    // [bounds]
    client.get("/config", {}, {.timeout = 2s, .stop = stop});
    client.set("/config", "a=3", {}, {.retry_policy = docent::RetryPolicy::none()});
    // [bounds]
}

void create(docent::Client& client) {
    // [create]
    client.create("/config", "a=1");
    client.create("/config", "a=2", {.if_exists = docent::IfExists::set_data});

    docent::CreateOptions options{.mode = docent::CreateMode::ephemeral_sequential};
    options.protection = docent::Protection::protected_;
    options.parents = docent::Parents::container;
    docent::Created member = client.create("/members/m-", "host1:8080", options);
    std::cout << member.path << '\n'; // /members/_c_<uuid>-m-0000000000
    // [create]
    expect(client.get("/config").data == "a=2", "the second create replaces the data");
    expect(client.exists(member.path).has_value(), "the path is that of the node");
}

void set(docent::Client& client) {
    // [set]
    docent::NodeData now = client.get("/config");
    docent::error_code ec;
    client.set("/config", now.data + "\nb=2", {.version = now.stat.version}, ec);
    const bool too_late = ec == docent::server_error::bad_version; // read again
    // [set]
    expect(!ec && !too_late && client.get("/config").stat.version == now.stat.version + 1, "no other client was faster");
}

void remove(docent::Client& client) {
    client.create("/jobs/today/1", "", {.parents = docent::Parents::persistent});
    // [remove]
    docent::RemoveOptions all{.children = docent::RemoveChildren::yes};
    all.if_missing = docent::IfMissing::accept;
    client.remove("/jobs", all);
    // [remove]
    expect(!client.exists("/jobs"), "it is gone, with its children");
}

void compression(const std::string& servers) {
    docent::ClientConfig config{.connect_string = servers};
    config.compression = docent::Compression::compressed;
    docent::Client client{config};
    client.start();
    const std::string path = "/examples/operations/page";
    client.create(path, std::string(100'000, 'x'));
    const auto text = client.get(path).data.size(); // 100'000
    const auto stored = client.get(path, {docent::Compression::none}).data.size();
    expect(text == 100'000 && stored < 1'000, "it is compressed");
}

void tracing(const std::string& servers) {
    auto counts = std::make_shared<docent::CountingTracer>();
    docent::Client client{{.connect_string = servers, .tracer = counts}};
    client.start();
    client.exists("/");
    client.close();
    for (const auto& [name, sum] : counts->snapshot().operations) {
        std::cout << name << ": " << sum.calls << " calls\n";
    }
    expect(counts->snapshot().operations.at("exists").calls == 1, "the operation was counted");
}

bool add_server(docent::Client& client) {
    std::cout << client.ensemble_config().data << '\n'; // server.1=zk1.example...

    docent::error_code ec;
    const std::string fourth = "server.4=zk4.example:2888:3888;2181";
    client.reconfigure({.joining = fourth}, ec, {.timeout = 10s});
    return !ec;
}

void retries(const std::string& servers) {
    // [policy]
    docent::ClientConfig config{.connect_string = servers};
    config.retry_policy = docent::RetryPolicy::exponential_backoff(100ms, 10, 3s);
    docent::Client client{config};
    client.start();
    const auto every_500ms = docent::RetryPolicy::forever(500ms);
    client.exists("/", {.timeout = 1min, .retry_policy = every_500ms});
    // [policy]

    // [outcome]
    docent::error_code ec;
    docent::CreateOptions numbered;
    numbered.mode = docent::CreateMode::persistent_sequential;
    client.create("/examples/operations/e-", "paid", numbered, ec);
    if (ec == docent::condition::outcome_unknown) {
        std::cout << "the node may exist: look for it before you create it again\n";
    } else if (ec) {
        std::cout << "not created: " << ec.message() << '\n';
    }
    // [outcome]
    expect(!ec, "the server answers");

    // [within-session]
    const auto this_session = docent::RetryPolicy::n_times(3, 1s).within_session();
    const std::uint64_t epoch = client.session().epoch;
    const std::string path = "/examples/operations/state";
    client.set(path, "ready", {}, ec, {.retry_policy = this_session});
    const bool same_session = !ec && client.session().epoch == epoch;
    // [within-session]
    expect(!same_session && ec == docent::server_error::no_node, "there is no such node");
}

void name_spaces(docent::Client& client) {
    // [namespace]
    docent::Client billing = client.in_namespace("examples/operations/billing");
    billing.create("/rate", "3");
    docent::Client plain = client.in_namespace(""); // no namespace
    const std::string rate = plain.get("/examples/operations/billing/rate").data;
    // [namespace]
    expect(rate == "3", "a view changes paths only");
}

// [acl-provider]
class TeamAcls : public docent::AclProvider {
public:
    docent::Acl acl_for(const std::string& path) override {
        if (!path.ends_with("/secret")) return {}; // ClientConfig::default_acl
        return {{docent::Permission::all, "auth", ""}};
    }
};
// [acl-provider]

void acls(const std::string& servers) {
    // [acl]
    docent::ClientConfig config{.connect_string = servers};
    config.auth = {{"digest", "alice:secret"}};
    config.acl_provider = std::make_shared<TeamAcls>();
    docent::Client alice{config};
    alice.start();
    alice.create("/examples/operations/secret", "x"); // alice only

    const std::string id = "alice:aYXlLOpEooaV1cRAvUL1fp9Qt7E=";
    docent::Acl acl{{docent::Permission::all, "digest", id}};
    acl.push_back({docent::Permission::read, "world", "anyone"});
    alice.create("/examples/operations/notice", "x", {.acl = acl}); // all may read
    // [acl]
    expect(alice.get_acl("/examples/operations/secret").acl.at(0).id == "alice:aYXlLOpEooaV1cRAvUL1fp9Qt7E=",
           "a server stores the digest");
    docent::Client other{{.connect_string = servers}};
    other.start();
    docent::error_code ec;
    expect(other.get("/examples/operations/notice", ec).data == "x" && !ec, "everybody reads the notice");
    other.set("/examples/operations/notice", "y", {}, ec);
    expect(ec == docent::server_error::no_auth, "only alice writes it");
    other.get("/examples/operations/secret", ec);
    expect(ec == docent::server_error::no_auth, "only alice reads the secret");
    alice.remove("/examples/operations/secret");
}

int main(int argc, char** argv) {
    const ExampleServer server(argc, argv);
    const std::string& servers = server.connect_string();
    try {
        start_and_close(servers);
        on_own_executor(servers);
        docent::Client client{{.connect_string = servers, .name_space = "examples/operations"}};
        client.start();
        create(client);
        forms(client);
        bounds(client, {});
        set(client);
        remove(client);
        compression(servers);
        tracing(servers);
        expect(!add_server(client), "there is no such server");
        retries(servers);
        docent::Client plain{{.connect_string = servers}};
        plain.start();
        name_spaces(plain);
        acls(servers);
        plain.remove("/examples/operations", {.children = docent::RemoveChildren::yes});
    } catch (const std::exception& e) {
        std::cerr << e.what() << '\n';
        return 1;
    }
}
