// SPDX-License-Identifier: Apache-2.0
#include "play.hpp"

namespace docent::conformance {

using namespace zk;
using enum CreateMode;

std::vector<Script> session_scripts() {
    return {
        {"EndOfASessionRemovesItsNodes",
         [](Play& play) {
             play.ask(alice, CreateRequest{"/stays"});
             play.ask(alice, CreateRequest{"/e", "", ephemeral});
             play.ask(alice, CreateRequest{"/stays/n-", "", ephemeral_sequential});
             play.ask(alice, MultiRequest{{CreateRequest{"/m", "", ephemeral}}});
             play.ask(bob, CreateRequest{"/bobs", "", ephemeral});
             play.ask(bob, SyncRequest{""});
             play.watch(bob, ExistsRequest{"/e"});
             play.close(alice);
             play.await_events(bob, 1);
             play.ask_all(bob, {ChildrenRequest{""}, ChildrenRequest{"/stays"}, ExistsRequest{"/e"}, ExistsRequest{"/bobs"}});
         }},
        {"EndOfASessionIsOneTransaction",
         [](Play& play) {
             play.ask(alice, CreateRequest{"/a"});
             play.ask(alice, CreateRequest{"/b"});
             play.ask(alice, CreateRequest{"/a/x", "", ephemeral});
             play.ask(alice, CreateRequest{"/b/y", "", ephemeral});
             play.ask(bob, SyncRequest{""});
             play.watch(bob, ExistsRequest{"/a/x"});
             play.close(alice);
             play.await_events(bob, 1);
             play.ask_all(bob, {ExistsRequest{"/a"}, ExistsRequest{"/b"}, SetRequest{"/a", ""}});
         }},
        {"EventsOfTheEndOfASession",
         [](Play& play) {
             play.ask(alice, CreateRequest{"/a"});
             play.ask(alice, CreateRequest{"/a/x", "", ephemeral});
             play.ask(bob, SyncRequest{""});
             play.watch(bob, GetRequest{"/a"});
             play.watch(bob, ChildrenRequest{"/a"});
             play.watch(bob, GetRequest{"/a/x"});
             play.watch(bob, ExistsRequest{"/a/x"});
             play.watch(bob, ChildrenRequest{"/a/x"});
             play.close(alice);
             play.await_events(bob, 4);
         }},
        {"WatchesEndWithTheirSession",
         [](Play& play) {
             play.watch(alice, ExistsRequest{"/x"});
             play.watch(alice, ChildrenRequest{""});
             play.close(alice);
             play.ask(bob, CreateRequest{"/x"});
             play.ask(alice, GetRequest{"/x"});
             play.ask(alice, CreateRequest{"/y"});
         }},
        {"ContainersThatAreEmptyAgainAreReaped",
         [](Play& play) {
             play.ask(alice, CreateRequest{"/c", "", container});
             play.watch(alice, ExistsRequest{"/c"});
             play.watch(alice, ChildrenRequest{""});
             play.ask(alice, CreateRequest{"/c/x", "", ephemeral});
             play.ask(alice, RemoveRequest{"/c/x"});
             play.reap();
             play.await_events(alice, 2);
             play.ask(alice, CreateRequest{"/c/y"});
             play.ask(alice, GetRequest{""});
         }},
        {"OtherContainersStay",
         [](Play& play) {
             play.ask(alice, CreateRequest{"/never_used", "", container});
             play.ask(alice, CreateRequest{"/used", "", container});
             play.ask(alice, CreateRequest{"/used/x"});
             play.ask(alice, CreateRequest{"/none"});
             play.ask(alice, CreateRequest{"/none/x"});
             play.ask(alice, RemoveRequest{"/none/x"});
             play.ask(alice, CreateRequest{"/goes", "", container});
             play.ask(alice, CreateRequest{"/goes/x"});
             play.watch(alice, ExistsRequest{"/goes"});
             play.ask(alice, RemoveRequest{"/goes/x"});
             play.reap();
             play.await_events(alice, 1); // the server has looked at the other watches by then
             play.ask(alice, ChildrenRequest{""});
         }},
        {"ContainersOfContainersGoOneAfterTheOther",
         [](Play& play) {
             play.ask(alice, CreateRequest{"/c", "", container});
             play.ask(alice, CreateRequest{"/c/d", "", container});
             play.watch(alice, ExistsRequest{"/c"});
             play.watch(alice, ExistsRequest{"/c/d"});
             play.ask(alice, CreateRequest{"/c/d/x"});
             play.ask(alice, RemoveRequest{"/c/d/x"});
             play.reap();
             play.await_events(alice, 1);
             play.reap();
             play.await_events(alice, 2);
             play.ask(alice, GetRequest{""});
         }},
    };
}

} // namespace docent::conformance
