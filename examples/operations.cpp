// SPDX-License-Identifier: Apache-2.0
// What a client does besides locks: the code that docs/client/client.md, docs/client/retries.md and
// docs/client/namespaces-and-acls.md show. Usage: operations [CONNECT_STRING]; without one it starts a server of its own.

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
    client.start();                          // returns at once; operations wait for the connection
    client.wait_connected({.timeout = 30s}); // only to fail early, with a text that says why
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
    client.async_exists("/", [&](docent::error_code ec, std::optional<docent::Stat> root) {
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

    client.async_get("/config", [](docent::error_code failed, docent::NodeData config) {
        if (!failed) std::cout << "read on the client's second thread: " << config.data << '\n';
    });
    std::future<docent::NodeData> later = client.async_get("/config", asio::use_future); // or asio::use_awaitable
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

    docent::Created member = client.create("/members/m-", "host1:8080",
                                           {.mode = docent::CreateMode::ephemeral_sequential,
                                            .protection = docent::Protection::protected_,
                                            .parents = docent::Parents::container});
    std::cout << "I am " << member.path << '\n'; // /members/_c_<uuid>-m-0000000000
    // [create]
    expect(client.get("/config").data == "a=2", "the second create replaces the data");
    expect(client.exists(member.path).has_value(), "the path is that of the node");
}

void set(docent::Client& client) {
    // [set]
    docent::NodeData now = client.get("/config");
    docent::error_code ec;
    client.set("/config", now.data + "\nb=2", {.version = now.stat.version, .if_changed = docent::IfChanged::accept_same}, ec);
    const bool too_late = ec == docent::server_error::bad_version; // somebody was faster: read again
    // [set]
    expect(!ec && !too_late && client.get("/config").stat.version == now.stat.version + 1, "nobody was faster");
}

void remove(docent::Client& client) {
    client.create("/jobs/today/1", "", {.parents = docent::Parents::persistent});
    // [remove]
    client.remove("/jobs", {.children = docent::RemoveChildren::yes, .if_missing = docent::IfMissing::accept});
    // [remove]
    expect(!client.exists("/jobs"), "it is gone, with its children");
}

void compression(const std::string& servers) {
    // [compression]
    docent::Client client{{.connect_string = servers, .compression = docent::Compression::compressed}};
    client.start();
    client.create("/examples/operations/page", std::string(100'000, 'x'));
    const std::size_t text = client.get("/examples/operations/page").data.size();                                // 100'000
    const std::size_t stored = client.get("/examples/operations/page", {docent::Compression::none}).data.size(); // far less
    // [compression]
    expect(text == 100'000 && stored < 1'000, "it is compressed");
}

void tracing(const std::string& servers) {
    // [tracing]
    auto counts = std::make_shared<docent::CountingTracer>();
    docent::Client client{{.connect_string = servers, .tracer = counts}};
    client.start();
    client.exists("/");
    client.close();
    for (const auto& [name, sum] : counts->snapshot().operations) {
        std::cout << name << ": " << sum.calls << " calls, " << sum.failures << " failed, " << sum.retries << " retries\n";
    }
    // [tracing]
    expect(counts->snapshot().operations.at("exists").calls == 1, "the operation was counted");
}

bool add_server(docent::Client& client) {
    // [reconfigure]
    std::cout << client.ensemble_config().data << '\n'; // server.1=zk1.example:2888:3888:participant;2181 ...

    docent::error_code ec;
    client.reconfigure({.joining = "server.4=zk4.example:2888:3888;2181"}, ec, {.timeout = 10s});
    // [reconfigure]
    return !ec;
}

void retries(const std::string& servers) {
    // [policy]
    docent::Client client{{.connect_string = servers, .retry_policy = docent::RetryPolicy::exponential_backoff(100ms, 10, 3s)}};
    client.start();
    client.exists("/", {.timeout = 1min, .retry_policy = docent::RetryPolicy::forever(500ms)});
    // [policy]

    // [outcome]
    docent::error_code ec;
    client.create("/examples/operations/e-", "paid", {.mode = docent::CreateMode::persistent_sequential}, ec);
    if (ec == docent::condition::outcome_unknown) {
        std::cout << "it may be there: look, before it is made twice\n";
    } else if (ec) {
        std::cout << "not made: " << ec.message() << '\n';
    }
    // [outcome]
    expect(!ec, "the server answers");

    // [within-session]
    const std::uint64_t epoch = client.session().epoch;
    client.set("/examples/operations/state", "ready", {}, ec,
               {.retry_policy = docent::RetryPolicy::n_times(3, 1s).within_session()});
    const bool same_session = !ec && client.session().epoch == epoch;
    // [within-session]
    expect(!same_session && ec == docent::server_error::no_node, "there is no such node");
}

void name_spaces(docent::Client& client) {
    // [namespace]
    docent::Client billing = client.in_namespace("examples/operations/billing");
    billing.create("/rate", "3"); // made as /examples/operations/billing/rate
    const bool same = client.in_namespace("").get("/examples/operations/billing/rate").data == billing.get("/rate").data;
    // [namespace]
    expect(same, "a view changes paths only");
}

// [acl-provider]
class TeamAcls : public docent::AclProvider {
public:
    docent::Acl acl_for(const std::string& path) override {
        if (path.starts_with("/examples/operations/secret")) return {{docent::Permission::all, "auth", ""}};
        return {}; // ClientConfig::default_acl
    }
};
// [acl-provider]

void acls(const std::string& servers) {
    // [acl]
    docent::Client alice{
        {.connect_string = servers, .auth = {{"digest", "alice:secret"}}, .acl_provider = std::make_shared<TeamAcls>()}};
    alice.start();
    alice.create("/examples/operations/secret", "x"); // the provider's: for alice alone
    alice.create("/examples/operations/notice", "x",  // its own: hers, and read by everybody
                 {.acl = {{docent::Permission::all, "digest", "alice:aYXlLOpEooaV1cRAvUL1fp9Qt7E="},
                          {docent::Permission::read, "world", "anyone"}}});
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
