// SPDX-License-Identifier: Apache-2.0
#include "play.hpp"

namespace docent::conformance {

using namespace zk;
using enum CreateMode;

std::vector<Script> watch_scripts() {
    return {
        {"WatchesOfWhatIsThere",
         [](Play& play) {
             play.ask(alice, CreateRequest{"/x"});
             play.watch_all(alice, "/x");
             play.ask(alice, SetRequest{"/x", "1"});
             play.ask(alice, SetRequest{"/x", "2"}); // a watch fires once
             play.ask(alice, CreateRequest{"/x/y"});
             play.ask(alice, RemoveRequest{"/x/y"});
             play.watch_all(alice, "/x");
             play.ask(alice, RemoveRequest{"/x"});
             play.ask(alice, CreateRequest{"/x"});
         }},
        {"WatchesOfWhatIsNot",
         [](Play& play) {
             play.watch_all(alice, "/x");
             play.ask(alice, CreateRequest{"/x"});
             play.ask(alice, SetRequest{"/x", "1"});
             play.ask(alice, RemoveRequest{"/x"});
             play.watch(alice, ExistsRequest{"/x"});
             play.ask(alice, CreateRequest{"/x", "", ephemeral});
         }},
        {"WatchesOfChildren",
         [](Play& play) {
             play.watch(alice, ChildrenRequest{""});
             play.ask(alice, CreateRequest{"/x"});
             play.watch(alice, ChildrenRequest{""});
             play.ask(alice, SetRequest{"/x", "1"});
             play.ask(alice, CreateRequest{"/x/y"}); // the child has another watch
             play.ask(alice, RemoveRequest{"/x/y"});
             play.ask(alice, SetRequest{"", "base"});
             play.ask(alice, RemoveRequest{"/x"});
             play.watch(alice, ChildrenRequest{""});
             play.ask(alice, CreateRequest{"/n-", "", ephemeral_sequential});
         }},
        {"WatchesOfNodeAndParentByOneRemove",
         [](Play& play) {
             play.ask(alice, CreateRequest{"/x"});
             play.watch_all(alice, "");
             play.watch_all(alice, "/x");
             play.ask(alice, RemoveRequest{"/x"});
             play.ask(alice, SetRequest{"", "base"});
         }},
        {"EventsComeBeforeTheAnswersOfWhatCausedThem",
         [](Play& play) {
             play.ask(alice, CreateRequest{"/x"});
             play.watch_all(alice, "/x");
             play.ask_all(alice, {GetRequest{"/x"}, SetRequest{"/x", "1"}, GetRequest{"/x"}, CreateRequest{"/x/y"},
                                  ChildrenRequest{"/x"}, RemoveRequest{"/x/y"}, RemoveRequest{"/x"}, SyncRequest{""}});
         }},
        {"EventsComeBeforeAnswersThatShowTheChange",
         [](Play& play) {
             play.ask(alice, CreateRequest{"/x"});
             play.ask(bob, SyncRequest{""});
             play.watch_all(bob, "/x");
             play.watch(bob, ExistsRequest{"/later"});
             play.ask(alice, SetRequest{"/x", "1"});
             play.ask(alice, CreateRequest{"/later"});
             play.ask_all(bob, {SyncRequest{""}, GetRequest{"/x"}});
             play.ask(alice, RemoveRequest{"/x"});
             play.ask_all(bob, {SyncRequest{""}, GetRequest{"/x"}});
         }},
        {"SeveralWatchesOfOneNode",
         [](Play& play) {
             play.ask(alice, CreateRequest{"/x"});
             for (int i = 0; i < 2; ++i) play.watch_all(alice, "/x");
             play.ask(bob, SyncRequest{""});
             play.watch_all(bob, "/x");
             play.ask(alice, SetRequest{"/x", "1"});
             play.ask(bob, SyncRequest{""});
             play.ask(alice, RemoveRequest{"/x"});
         }},
        {"WatchesAreOfOneSession",
         [](Play& play) {
             play.watch(alice, ChildrenRequest{""});
             play.ask(bob, CreateRequest{"/x"});
             play.ask_all(alice, {SyncRequest{""}, ChildrenRequest{""}});
             play.watch(bob, ExistsRequest{"/x"});
             play.ask(alice, SetRequest{"/x", "1"});
             play.ask(bob, SyncRequest{""});
         }},
        {"WatchesByAMulti",
         [](Play& play) {
             play.ask(alice, CreateRequest{"/x"});
             play.ask(alice, CreateRequest{"/z"});
             play.watch_all(alice, "");
             play.watch_all(alice, "/x");
             play.watch(alice, ExistsRequest{"/y"});
             play.watch(alice, GetRequest{"/z"});
             play.ask(alice,
                      MultiRequest{{SetRequest{"/x", "1"}, CheckRequest{"/z"}, CreateRequest{"/y"}, RemoveRequest{"/z"}}});
             play.watch(alice, ExistsRequest{"/new"});
             play.watch(alice, GetRequest{"/x"});
             play.ask(alice, MultiRequest{{SetRequest{"/x", "2"}, CreateRequest{"/new"}, CheckRequest{"/none"}}}); // no event
             play.ask(alice, SetRequest{"/x", "3"});
         }},
        {"ARefusedWriteFiresNothing",
         [](Play& play) {
             play.ask(alice, CreateRequest{"/x"});
             play.ask(alice, CreateRequest{"/x/y"});
             play.watch_all(alice, "/x");
             play.ask(alice, SetRequest{"/x", "", 4});
             play.ask(alice, RemoveRequest{"/x"});
             play.ask(alice, CreateRequest{"/x/y"});
             play.ask(alice, CreateRequest{"/x"});
             play.ask(alice, RemoveRequest{"/x/y", 8});
         }},
    };
}

} // namespace docent::conformance
