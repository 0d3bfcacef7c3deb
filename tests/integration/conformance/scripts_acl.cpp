// SPDX-License-Identifier: Apache-2.0
#include "play.hpp"

namespace docent::conformance {

using namespace zk;
using enum CreateMode;

namespace {

Acl world(Permission permissions) {
    return {{permissions, "world", "anyone"}};
}

const Acl unreadable = world(Permission::write | Permission::create | Permission::delete_);
const Acl ruled = world(Permission::write | Permission::create | Permission::delete_ | Permission::admin);

} // namespace

std::vector<Script> acl_scripts() {
    return {
        {"AclsAreReadAndReplaced",
         [](Play& play) {
             play.ask(alice, CreateRequest{"/x"});
             play.ask(alice, GetAclRequest{"/x"});
             play.ask(alice, SetAclRequest{"/x", ruled, 1});
             play.ask(alice, SetAclRequest{"/x", ruled, 0});
             play.ask(bob, SyncRequest{""});
             play.ask(bob, GetAclRequest{"/x"}); // ADMIN allows it
             play.ask(bob, SetAclRequest{"/x", unreadable});
             play.ask(bob, GetAclRequest{"/x"});
             play.ask(bob, SetAclRequest{"/x", open_acl()});
             play.ask(alice, SetAclRequest{"/none", open_acl()});
             play.ask(alice, GetAclRequest{"/none"});
         }},
        {"ReadsOfWhatMayNotBeRead",
         [](Play& play) {
             play.ask(alice, CreateRequest{.path = "/x", .data = "1", .acl = unreadable});
             play.ask(alice, GetRequest{"/x"});
             play.ask(alice, ExistsRequest{"/x"}); // the answer depends on the version of the server
             play.ask(alice, ChildrenRequest{"/x"});
             play.ask(alice, MultiRequest{{CheckRequest{"/x"}}});
             play.ask(alice, SetRequest{"/x", "2"});
             play.ask(alice, CreateRequest{"/x/y"});
             play.ask(alice, GetRequest{"/x/y"});
             play.ask(alice, ChildrenRequest{""});
         }},
        {"EventsOfWhatMayNotBeReadAreDropped",
         [](Play& play) {
             play.ask(alice, CreateRequest{"/x"});
             play.watch_all(alice, "/x");
             play.ask(bob, SyncRequest{""});
             play.watch(bob, ChildrenRequest{""});
             play.ask(bob, SetAclRequest{"/x", ruled});
             play.ask(bob, SetRequest{"/x", "1"});
             play.ask(bob, CreateRequest{"/x/y"});
             play.ask(bob, SetAclRequest{"/x", open_acl()});
             play.ask(bob, SetRequest{"/x", "2"}); // the watch is gone with its event
             play.ask(bob, RemoveRequest{"/x/y"});
             play.ask(bob, RemoveRequest{"/x"});
             play.await_events(bob, 1);
         }},
        {"DeletionsOfWhatMayNotBeReadAreDropped",
         [](Play& play) {
             play.ask(alice, CreateRequest{"/x"});
             play.watch_all(alice, "/x");
             play.watch(alice, ChildrenRequest{""});
             play.ask(alice, SetAclRequest{"/x", unreadable});
             play.ask(alice, RemoveRequest{"/x"}); // every client hears of the change of the parent's children
         }},
        {"CreationsOfWhatMayNotBeReadAreDropped",
         [](Play& play) {
             play.watch(alice, ExistsRequest{"/x"});
             play.ask(alice, CreateRequest{.path = "/x", .acl = unreadable});
             play.ask(alice, RemoveRequest{"/x"});
         }},
        {"ANewReadTellsOfTheEventThatWasDropped",
         [](Play& play) {
             play.ask(alice, CreateRequest{"/x"});
             play.watch(alice, GetRequest{"/x"});
             play.ask(alice, SetAclRequest{"/x", ruled});
             play.ask(alice, SetRequest{"/x", "1"});
             play.ask(alice, SetAclRequest{"/x", open_acl()});
             play.watch(alice, GetRequest{"/x"});
         }},
    };
}

} // namespace docent::conformance
