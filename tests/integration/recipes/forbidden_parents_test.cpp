// SPDX-License-Identifier: Apache-2.0

// A missing parent that the client may not make: each recipe that needs it fails with a clear error at once.

#include "clients.hpp"
#include "heard.hpp"
#include "recipe_calls.hpp"
#include "servers/any_server.hpp"

#include <docent/docent.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace docent {
namespace {

using namespace std::chrono_literals;

struct Recorder : Tracer {
    void on_operation(const OperationTrace& trace) override { requests.add(trace.requests); }
    void on_warning(std::string_view text) override { warnings.add(std::string(text)); }

    test::Heard<int> requests;
    test::Heard<std::string> warnings;
};

class ForbiddenParentsTest : public ::testing::Test {
protected:
    void SetUp() override {
        admin.start();
        const Acl read_only{{Permission::read, "world", "anyone"}};
        admin.create("/closed", "", {.acl = read_only});
    }
    ClientConfig config() const { return {.connect_string = server.connect_string(), .tracer = recorder}; }

    docent::test::AnyServer server;
    std::shared_ptr<Recorder> recorder = std::make_shared<Recorder>();
    Client admin{{.connect_string = server.connect_string()}};
};

TEST_F(ForbiddenParentsTest, EverythingThatNeedsTheParentFailsWithNoAuthAtOnce) {
    const CallOptions soon{.timeout = 30s};
    using Verb = std::function<void(Client&, error_code&)>;
    std::map<std::string, Verb> verbs = {
        {"create",
         [&](Client& c, error_code& ec) { c.create("/closed/a/b/c", "", {.parents = Parents::container}, ec, soon); }},
        {"create in a namespace", [&](Client& c, error_code& ec) { c.in_namespace("closed/a/b").create("/c", ec, soon); }},
        {"create with parents in a namespace",
         [&](Client& c, error_code& ec) {
             c.in_namespace("closed/a").create("/b/c", "", {.parents = Parents::persistent}, ec, soon);
         }},
        {"use a namespace", [&](Client& c, error_code& ec) { c.in_namespace("closed/a").children("/", ec, soon); }},
        {"commit in a namespace",
         [&](Client& c, error_code& ec) { c.in_namespace("closed/a").commit(Transaction().create("/b"), ec, soon); }},
        {"commit exactly once",
         [&](Client& c, error_code& ec) { c.commit(Transaction().check("/").exactly_once("/closed/a/b"), ec, soon); }},
    };
    const docent::test::RecipeCalls recipes = docent::test::recipe_calls();
    for (const auto& call : recipes.that_need_parents) {
        verbs.emplace(call.text, [make = call.make, &soon](Client& c, error_code& ec) { make(c, "/closed/a/b/c", ec, soon); });
    }
    for (const auto& [what, verb] : verbs) {
        recorder = std::make_shared<Recorder>();
        {
            Client client = started(config());
            error_code ec;
            verb(client, ec);
            EXPECT_EQ(ec, server_error::no_auth) << what << ": " << ec.message();
        }
        for (const int requests : recorder->requests.all()) EXPECT_LE(requests, 16) << what; // ten tries would take 32 or more
        EXPECT_EQ(recorder->warnings.all(),
                  std::vector<std::string>{"the parent /closed/a is missing and cannot be made: not permitted "
                                           "by the node's ACL"})
            << what;
    }
    EXPECT_TRUE(admin.children("/closed").names.empty());
}

TEST_F(ForbiddenParentsTest, TheExceptionOfACreateNamesTheParent) {
    Client client = started(config());
    const Failure failure = failure_of([&] { client.create("/closed/a/b", "", {.parents = Parents::container}); });
    EXPECT_EQ(failure.code, server_error::no_auth);
    EXPECT_PRED_FORMAT2(::testing::IsSubstring, "create /closed/a/b, whose parent /closed/a is missing", failure.text);
}

TEST_F(ForbiddenParentsTest, ParentsThatAreThereMayForbidIt) {
    admin.create("/closed-top", "", {.acl = open_acl()});
    admin.create("/closed-top/open", "", {.acl = open_acl()});
    admin.set_acl("/closed-top", {{Permission::read, "world", "anyone"}});
    Client client = started(config());
    client.create("/closed-top/open/a/b", "", {.parents = Parents::container});
    EXPECT_TRUE(InterProcessMutex(client, "/closed-top/open/lock").acquire().owns());
    Client view = client.in_namespace("closed-top/open/ns");
    view.create("/x");
    EXPECT_TRUE(admin.exists("/closed-top/open/ns/x"));
    Client prefix_is_there = client.in_namespace("closed-top/open");
    error_code ec;
    prefix_is_there.create("/missing/x", ec);
    EXPECT_EQ(ec, server_error::no_node) << "nobody asked for its parent";
    prefix_is_there.commit(Transaction().create("/missing/x"), ec);
    EXPECT_EQ(ec, server_error::no_node);
    EXPECT_TRUE(recorder->warnings.all().empty());
}

TEST_F(ForbiddenParentsTest, AForbiddenParentInAnExistingNamespaceIsNotBlamedOnItsPrefix) {
    admin.create("/ns");
    Client client = started(config());
    Client view = client.in_namespace("ns");
    error_code ec;
    view.commit(Transaction().create("/missing/a"), ec);
    EXPECT_EQ(ec, server_error::no_node) << "its own parent is missing, and nobody asked for that";
    view.create("/missing/a", ec);
    EXPECT_EQ(ec, server_error::no_node);
}

} // namespace
} // namespace docent
