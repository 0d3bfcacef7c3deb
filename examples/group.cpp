// SPDX-License-Identifier: Apache-2.0
// Servers of a service that say where they are, and somebody who asks who is there. docs/recipes/persistent_node.md and
// docs/recipes/group_member.md show it. Usage: group [CONNECT_STRING]; without one it starts a server of its own.

#include "example_server.hpp"

#include <docent/docent.hpp>

#include <iostream>
#include <string>

/// Says where one server is, and says it again when that changes.
std::string say_where(docent::Client& client, const std::string& name) {
    // [here]
    docent::PersistentNode here{client, "/examples/here/" + name, {.data = "10.0.0.1:80"}};
    here.await_node();              // it is there, and will be again
    here.set_data("10.0.0.1:8080"); // now, and whenever it is made again
    // [here]
    return client.get("/examples/here/" + name).data;
}

int main(int argc, char** argv) {
    const ExampleServer server(argc, argv);
    try {
        docent::Client first{{.connect_string = server.connect_string()}};
        docent::Client second{{.connect_string = server.connect_string()}};
        first.start();
        second.start();
        const std::string where = say_where(first, "first");

        // [group]
        docent::GroupMember one{first, "/examples/group", "one", "10.0.0.1:80"};
        docent::GroupMember two{second, "/examples/group", "two", "10.0.0.2:80"};
        one.await_node();
        two.await_node();
        for (const auto& [id, address] : one.members()) std::cout << id << " is at " << address << '\n';
        // [group]
        const bool both = one.members() == docent::Members{{"one", "10.0.0.1:80"}, {"two", "10.0.0.2:80"}};
        two.close();
        const bool alone = one.members().size() == 1;
        return where == "10.0.0.1:8080" && both && alone ? 0 : 1;
    } catch (const std::exception& e) {
        std::cerr << e.what() << '\n';
        return 1;
    }
}
