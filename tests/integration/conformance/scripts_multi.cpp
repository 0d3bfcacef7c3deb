// SPDX-License-Identifier: Apache-2.0
#include "play.hpp"

#include <utility>

namespace docent::conformance {

using namespace zk;
using enum CreateMode;

namespace {

/// A transaction of valid operations with a failing one at each place.
void fail_at_each_place(Play& play, const MultiOperation& fault) {
    play.ask(alice, CreateRequest{"/there", "data"});
    play.ask(alice, CreateRequest{"/there/child"});
    const std::vector<MultiOperation> good{CheckRequest{"/there", 0}, CreateRequest{"/new", "", ephemeral},
                                           SetRequest{"/there", "changed"}, RemoveRequest{"/there/child"}};
    for (std::size_t place = 0; place <= good.size(); ++place) {
        auto operations = good;
        operations.insert(operations.begin() + static_cast<std::ptrdiff_t>(place), fault);
        play.ask(alice, MultiRequest{std::move(operations)});
    }
    play.ask(alice, GetRequest{"/there"});
    play.ask(alice, ChildrenRequest{""});
    play.ask(alice, ChildrenRequest{"/there"});
}

} // namespace

std::vector<Script> multi_scripts() {
    return {
        {"MultiThatSucceeds",
         [](Play& play) {
             play.ask(alice, CreateRequest{"/old"});
             play.ask(alice, CreateRequest{"/x", "0"});
             play.ask(alice, MultiRequest{{CheckRequest{"/x", 0}, CreateRequest{"/y", "yy", ephemeral}, SetRequest{"/x", "one"},
                                           CreateRequest{"/n-", "", persistent_sequential}, RemoveRequest{"/old", 0},
                                           CheckRequest{"/x", 1}, SetRequest{"/x", "two", 1}}});
             play.ask(alice, GetRequest{"/x"});
             play.ask(alice, GetRequest{"/y"});
             play.ask(alice, GetRequest{""});
             play.ask(alice, ChildrenRequest{""});
         }},
        {"MultiIsOneTransaction",
         [](Play& play) {
             play.ask(alice, MultiRequest{{CreateRequest{"/a"}, CreateRequest{"/b"}, CreateRequest{"/a/c"}}});
             for (const std::string path : {"/a", "/b", "/a/c", ""}) play.ask(alice, ExistsRequest{path});
             play.ask(alice, CreateRequest{"/d"});
         }},
        {"MultiWithACreateThatFails", [](Play& play) { fail_at_each_place(play, CreateRequest{"/there"}); }},
        {"MultiWithACreateWithoutAParent", [](Play& play) { fail_at_each_place(play, CreateRequest{"/none/x"}); }},
        {"MultiWithASetThatFails",
         [](Play& play) {
             fail_at_each_place(play, SetRequest{"/there", "", 7});
         }},
        {"MultiWithASetOfNothing",
         [](Play& play) {
             fail_at_each_place(play, SetRequest{"/none", ""});
         }},
        {"MultiWithARemoveThatFails",
         [](Play& play) {
             fail_at_each_place(play, RemoveRequest{"", -1});
         }},
        {"MultiWithARemoveOfTheWrongVersion",
         [](Play& play) {
             fail_at_each_place(play, RemoveRequest{"/there/child", 3});
         }},
        {"MultiWithACheckThatFails", [](Play& play) { fail_at_each_place(play, CheckRequest{"/none"}); }},
        {"MultiWithACheckOfTheWrongVersion",
         [](Play& play) {
             fail_at_each_place(play, CheckRequest{"/there", 9});
         }},
        {"MultiWithTwoFaultsTellsTheFirst",
         [](Play& play) {
             play.ask(alice, CreateRequest{"/x"});
             play.ask(alice, MultiRequest{{CreateRequest{"/y"}, SetRequest{"/x", "", 5}, RemoveRequest{"/none"}}});
             play.ask(alice, MultiRequest{{RemoveRequest{"/none"}, SetRequest{"/x", "", 5}, CreateRequest{"/y"}}});
             play.ask(alice, ChildrenRequest{""});
         }},
        {"MultiSeesWhatItHasDone",
         [](Play& play) {
             play.ask(alice,
                      MultiRequest{{CreateRequest{"/a"}, CreateRequest{"/a/b"}, SetRequest{"/a", "x", 0}, CheckRequest{"/a", 1},
                                    RemoveRequest{"/a/b"}, RemoveRequest{"/a", 1}, CreateRequest{"/a", "again"}}});
             play.ask(alice, GetRequest{"/a"});
             play.ask(alice, GetRequest{""});
             play.ask(alice, MultiRequest{{CreateRequest{"/c"}, CreateRequest{"/c"}}});
             play.ask(alice, MultiRequest{{RemoveRequest{"/a"}, CheckRequest{"/a"}}});
             play.ask(alice, MultiRequest{{CreateRequest{"/e", "", ephemeral}, CreateRequest{"/e/x"}}});
             play.ask(alice, ChildrenRequest{""});
         }},
        {"NumbersOfAMulti",
         [](Play& play) {
             const CreateRequest next{"/n-", "", ephemeral_sequential};
             play.ask(alice, MultiRequest{{next, next, CreateRequest{"/plain"}, next}});
             play.ask(alice, MultiRequest{{next, next, CheckRequest{"/none"}}}); // a failed transaction uses no sequence number
             play.ask(alice, next);
             play.ask(alice, ChildrenRequest{""});
         }},
        {"MultiOfNothing", [](Play& play) { play.ask(alice, MultiRequest{}); }},
        {"MultiOfAContainer",
         [](Play& play) {
             play.ask(alice, MultiRequest{{CreateRequest{"/x"}, CreateRequest{"/c", "", container}}});
             play.ask(alice, ChildrenRequest{""});
         }},
    };
}

} // namespace docent::conformance
