// SPDX-License-Identifier: Apache-2.0
// Nodes in memory, and their changes: a setting, the servers of a service, a tree of flags.
// docs/recipes/caches.md shows it. Usage: caches [CONNECT_STRING]; without a connect string it starts a server.

#include "example_server.hpp"

#include <docent/docent.hpp>

#include <future>
#include <iostream>
#include <memory>
#include <string>

int main(int argc, char** argv) {
    const ExampleServer server(argc, argv);
    try {
        docent::Client client{{.connect_string = server.connect_string()}};
        client.start();
        const docent::CreateOptions with_parents{.parents = docent::Parents::persistent, .if_exists = docent::IfExists::accept};
        client.create("/examples/setting", "blue", with_parents);
        client.create("/examples/servers/one", "10.0.0.1:80", with_parents);
        client.create("/examples/flags/search/fuzzy", "on", with_parents);

        // [node]
        docent::NodeCache setting{client, "/examples/setting"};
        setting.start();
        if (const auto node = setting.get()) { // from memory
            std::cout << "the setting is " << node->data << '\n';
        }
        // [node]

        const auto news = std::make_shared<std::promise<std::string>>(); // shared with the listener, which may still run
        // [children]
        docent::PathChildrenCache servers{client, "/examples/servers"};
        const auto on_event = [news](const docent::CacheEvent& event) {
            const bool changed = event.change == docent::CacheChange::changed;
            if (changed) news->set_value(event.node->data);
        };
        const docent::Subscription listening = servers.listen(on_event);
        servers.start(); // waits until all children have been read
        for (const auto& [name, node] : servers.children()) {
            std::cout << name << " is at " << node->data << '\n';
        }
        // [children]
        client.set("/examples/servers/one", "10.0.0.2:80");
        const std::string moved = news->get_future().get();

        // [tree]
        docent::TreeCache flags{client, "/examples/flags", {.max_depth = 2}};
        flags.start();
        const auto flag = flags.get("/examples/flags/search/fuzzy");
        const bool fuzzy = flag && flag->data == "on";
        // [tree]
        return moved == "10.0.0.2:80" && fuzzy && setting.get()->data == "blue" ? 0 : 1;
    } catch (const std::exception& e) {
        std::cerr << e.what() << '\n';
        return 1;
    }
}
