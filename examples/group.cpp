// SPDX-License-Identifier: Apache-2.0
// Servers of a service publish their addresses, and a client lists them. docs/recipes/persistent_node.md and
// docs/recipes/group_member.md show it. Usage: group [CONNECT_STRING]; without a connect string it starts a server.

#include "example_server.hpp"

#include <docent/docent.hpp>

#include <iostream>
#include <string>

/// Publishes the address of a server, then a new address. Returns the address that the servers have.
std::string publish(docent::Client& client, const std::string& name) {
    // [here]
    const std::string path = "/examples/here/" + name;
    docent::PersistentNode here{client, path, {.data = "10.0.0.1:80"}};
    here.await_node();              // the node is there, and is made again
    here.set_data("10.0.0.1:8080"); // now, and whenever it is made again
    // [here]
    return client.get(path).data;
}

int main(int argc, char** argv) {
    const ExampleServer server(argc, argv);
    try {
        docent::Client first{{.connect_string = server.connect_string()}};
        docent::Client second{{.connect_string = server.connect_string()}};
        first.start();
        second.start();
        const std::string where = publish(first, "first");

        // [group]
        const std::string group = "/examples/group";
        docent::GroupMember one{first, group, "one", "10.0.0.1:80"};
        docent::GroupMember two{second, group, "two", "10.0.0.2:80"};
        one.await_node();
        two.await_node();
        for (const auto& [id, address] : one.members()) {
            std::cout << id << " is at " << address << '\n';
        }
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
