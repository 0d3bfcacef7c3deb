// SPDX-License-Identifier: Apache-2.0
#include "play.hpp"

namespace docent::conformance {

using namespace zk;
using enum CreateMode;

std::vector<Script> change_scripts() {
    return {
        {"SetAndItsVersions",
         [](Play& play) {
             play.ask(alice, CreateRequest{"/x", "0"});
             play.ask(alice, SetRequest{"/x", "one", 0});
             play.ask(alice, SetRequest{"/x", "wrong", 0});
             play.ask(alice, SetRequest{"/x", "wrong", 2});
             play.ask(alice, SetRequest{"/x", "", 1});
             play.ask(alice, SetRequest{"/x", "anyhow"});
             play.ask(alice, SetRequest{"/x", "anyhow"}); // equal data is a change, too
             play.ask(alice, GetRequest{"/x"});
         }},
        {"RemoveAndItsVersions",
         [](Play& play) {
             play.ask(alice, CreateRequest{"/x"});
             play.ask(alice, SetRequest{"/x", "1"});
             play.ask(alice, RemoveRequest{"/x", 0});
             play.ask(alice, RemoveRequest{"/x", 2});
             play.ask(alice, RemoveRequest{"/x", 1});
             play.ask(alice, RemoveRequest{"/x", 1});
             play.ask(alice, CreateRequest{"/x"});
             play.ask(alice, RemoveRequest{"/x"});
             play.ask(alice, GetRequest{""});
         }},
        {"RemoveOfWhatHasChildren",
         [](Play& play) {
             play.ask(alice, CreateRequest{"/x"});
             play.ask(alice, CreateRequest{"/x/y", "", ephemeral});
             play.ask(alice, RemoveRequest{"/x"});
             play.ask(alice, RemoveRequest{"/x", 0});
             play.ask(alice, RemoveRequest{"/x", 5}); // the request has two faults: which of them is reported?
             play.ask(alice, RemoveRequest{"/x/y"});
             play.ask(alice, RemoveRequest{"/x"});
             play.ask(alice, GetRequest{""});
         }},
        {"WhatIsNotThere",
         [](Play& play) {
             play.ask(alice, GetRequest{"/x"});
             play.ask(alice, ExistsRequest{"/x"});
             play.ask(alice, ChildrenRequest{"/x"});
             play.ask(alice, SetRequest{"/x", ""});
             play.ask(alice, SetRequest{"/x", "", 3});
             play.ask(alice, RemoveRequest{"/x"});
             play.ask(alice, RemoveRequest{"/x", 3});
             play.ask(alice, RemoveRequest{"/x/y"});
             play.ask(alice, SyncRequest{"/x"});
         }},
        {"TheRootCannotBeRemoved",
         [](Play& play) {
             play.ask_as_is(alice, RemoveRequest{"/"});
             play.ask_as_is(alice, RemoveRequest{"/", 77});
             play.ask_as_is(alice, MultiRequest{{RemoveRequest{"/"}}});
         }},
        {"WhatAParentKnows",
         [](Play& play) {
             play.ask(alice, CreateRequest{"/a"});
             play.ask(alice, GetRequest{""});
             play.ask(alice, CreateRequest{"/b", "", ephemeral});
             play.ask(alice, CreateRequest{"/a/c"});
             play.ask(alice, GetRequest{""});
             play.ask(alice, SetRequest{"/a", "a"});
             play.ask(alice, SetRequest{"", "base"});
             play.ask(alice, GetRequest{""});
             play.ask(alice, RemoveRequest{"/b"});
             play.ask(alice, GetRequest{""});
             play.ask(alice, GetRequest{"/a"});
             play.ask(alice, ChildrenRequest{""});
         }},
        {"NodeMadeAnewIsAnother",
         [](Play& play) {
             play.ask(alice, CreateRequest{"/x"});
             play.ask(alice, SetRequest{"/x", "1"});
             play.ask(alice, CreateRequest{"/x/n-", "", persistent_sequential});
             play.ask(alice, RemoveRequest{"/x/n-0000000000"});
             play.ask(alice, RemoveRequest{"/x"});
             play.ask(alice, CreateRequest{"/x", "new"});
             play.ask(alice, CreateRequest{"/x/n-", "", persistent_sequential});
             play.ask(alice, GetRequest{"/x"});
         }},
        {"OthersReadBehindASync",
         [](Play& play) {
             play.ask(alice, CreateRequest{"/x", "1"});
             play.ask_all(bob, {SyncRequest{"/x"}, GetRequest{"/x"}, ExistsRequest{"/y"}});
             play.ask(alice, SetRequest{"/x", "2"});
             play.ask(alice, CreateRequest{"/y", "", ephemeral});
             play.ask_all(bob, {SyncRequest{""}, GetRequest{"/x"}, ExistsRequest{"/y"}, ChildrenRequest{""}});
             play.ask(alice, RemoveRequest{"/y"});
             play.ask_all(bob, {SyncRequest{""}, ExistsRequest{"/y"}});
         }},
        {"OwnWritesAreReadWithoutASync",
         [](Play& play) {
             play.ask_all(alice, {CreateRequest{"/x", "1"}, GetRequest{"/x"}, SetRequest{"/x", "2"}, GetRequest{"/x"},
                                  CreateRequest{"/x/n-", "", ephemeral_sequential}, ChildrenRequest{"/x"}, RemoveRequest{"/x"},
                                  RemoveRequest{"/x/n-0000000000"}, RemoveRequest{"/x"}, GetRequest{"/x"}});
         }},
        {"WritesOfTwoComeToTheSameNode",
         [](Play& play) {
             play.ask(alice, CreateRequest{"/x"});
             play.ask(bob, SetRequest{"/x", "bob", 0});
             play.ask(alice, SetRequest{"/x", "alice", 0});
             play.ask(alice, GetRequest{"/x"});
             play.ask(bob, CreateRequest{"/x/n-", "", ephemeral_sequential});
             play.ask(alice, CreateRequest{"/x/n-", "", ephemeral_sequential});
             play.ask(alice, ExistsRequest{"/x/n-0000000000"});
             play.ask(alice, RemoveRequest{"/x/n-0000000000"}); // any client may remove it
             play.ask_all(bob, {SyncRequest{""}, ChildrenRequest{"/x"}, ExistsRequest{"/x/n-0000000001"}});
         }},
    };
}

} // namespace docent::conformance
