// SPDX-License-Identifier: Apache-2.0
#include "play.hpp"

#include <chrono>

namespace docent::conformance {

using namespace zk;
using enum CreateMode;

std::vector<Script> create_scripts() {
    return {
        {"CreateInEveryMode",
         [](Play& play) {
             for (const CreateMode mode : {persistent, persistent_sequential, ephemeral, ephemeral_sequential, container}) {
                 const std::string path = "/" + std::to_string(static_cast<int>(mode)) + "-";
                 play.ask(alice, CreateRequest{path, "data", mode});
                 if (!is_sequential(mode)) play.ask(alice, GetRequest{path});
                 play.ask(alice, GetRequest{""});
             }
             play.ask(alice, ChildrenRequest{""});
         }},
        {"CreateWithATimeToLive",
         [](Play& play) {
             using std::chrono::hours;
             play.ask(alice, CreateRequest{"/long", "x", persistent_with_ttl, {}, hours{1}});
             play.ask(alice, CreateRequest{"/many-", "y", persistent_sequential_with_ttl, {}, hours{2}});
             play.ask(alice, CreateRequest{"/never", "", persistent_with_ttl, {}, hours{0}});
             play.ask(alice, CreateRequest{"/longest", "", persistent_with_ttl, {}, hours{24 * 365 * 40}});
             play.ask(alice, CreateRequest{"/long/child", "", ephemeral});
             play.ask(alice, ExistsRequest{"/long"});
             play.ask(alice, ChildrenRequest{""});
         }},
        {"NumbersCountAllThatWasMade",
         [](Play& play) {
             play.ask(alice, CreateRequest{"/n-", "", persistent_sequential});
             play.ask(alice, CreateRequest{"/plain"});
             play.ask(alice, CreateRequest{"/m-", "", ephemeral_sequential});
             play.ask(alice, RemoveRequest{"/plain"});
             play.ask(alice, CreateRequest{"/n-", "", persistent_sequential});
             play.ask(alice, CreateRequest{"/n-0000000009"});
             play.ask(alice, CreateRequest{"/n-0000000010"});
             for (int i = 0; i < 6; ++i) play.ask(alice, CreateRequest{"/n-", "", persistent_sequential});
             play.ask(alice, ChildrenRequest{""});
         }},
        {"NumberThatIsTaken",
         [](Play& play) {
             play.ask(alice, CreateRequest{"/n-0000000001"});
             play.ask(alice, CreateRequest{"/n-", "", persistent_sequential});
             play.ask(alice, CreateRequest{"/n-", "", persistent_sequential});
             play.ask(alice, GetRequest{""});
         }},
        {"NameThatIsNothingButANumber",
         [](Play& play) {
             play.ask(alice, CreateRequest{"/", "", ephemeral_sequential});
             play.ask(alice, CreateRequest{"/", "", persistent_sequential});
             play.ask(alice, ChildrenRequest{""});
         }},
        {"CreateWhatIsThere",
         [](Play& play) {
             play.ask(alice, CreateRequest{"/x", "first"});
             play.ask(alice, CreateRequest{"/x", "second", ephemeral});
             play.ask(bob, CreateRequest{"/x", "third"});
             play.ask(alice, GetRequest{"/x"});
             play.ask(alice, GetRequest{""});
             play.ask_as_is(alice, CreateRequest{"/"});
         }},
        {"CreateWithoutAParent",
         [](Play& play) {
             play.ask(alice, CreateRequest{"/x/y"});
             play.ask(alice, CreateRequest{"/x/y/z-", "", ephemeral_sequential});
             play.ask(alice, ChildrenRequest{""});
         }},
        {"CreateBelowAnEphemeralNode",
         [](Play& play) {
             play.ask(alice, CreateRequest{"/e", "", ephemeral});
             play.ask(alice, CreateRequest{"/e/x"});
             play.ask(alice, CreateRequest{"/e/x", "", ephemeral});
             play.ask(alice, CreateRequest{"/e/x-", "", persistent_sequential});
             play.ask(alice, CreateRequest{"/e/x/y"});
             play.ask(alice, GetRequest{"/e"});
         }},
        {"PathsThatAreNone",
         [](Play& play) {
             for (const std::string path : {"//x", "/x/", "/.", "/..", "/a/../b", "/tab\tbed", "/\xff"}) {
                 play.ask(alice, CreateRequest{path});
                 play.ask(alice, CreateRequest{path, "", ephemeral_sequential});
                 play.ask(alice, GetRequest{path});
                 play.ask(alice, RemoveRequest{path});
                 play.ask(alice, MultiRequest{{CreateRequest{"/fine"}, CheckRequest{path}}});
             }
             play.ask_as_is(alice, ExistsRequest{""});
             play.ask_as_is(alice, ExistsRequest{"relative"});
             play.ask(alice, ChildrenRequest{""});
         }},
        {"DataOfAllSizes",
         [](Play& play) {
             play.ask(alice, CreateRequest{"/empty"});
             play.ask(alice, CreateRequest{"/zeros", std::string("a\0b\0", 4)});
             play.ask(alice, GetRequest{"/empty"});
             play.ask(alice, GetRequest{"/zeros"});
             play.ask(alice, CreateRequest{"/large", std::string(1'000'000, 'x')});
             play.ask(alice, ExistsRequest{"/large"});
             play.ask(alice, CreateRequest{"/too_large", std::string(1'100'000, 'x')});
             play.ask(alice, SetRequest{"/large", ""});
             play.ask(alice, ChildrenRequest{""});
         }},
    };
}

} // namespace docent::conformance
