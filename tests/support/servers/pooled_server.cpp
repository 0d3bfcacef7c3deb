// SPDX-License-Identifier: Apache-2.0
#include "servers/pooled_server.hpp"

#include "servers/pool_words.hpp"

#include <unistd.h>

#include <sstream>
#include <stdexcept>

namespace docent::test {

using docent::testing::ServerOptions;
using docent::testing::TestingServer;

struct PooledServer::FromPool {
    PoolStream stream;

    std::string ask(const std::string& line) {
        const PoolAnswer answer = ask_pool(stream, line);
        if (!answer.ok) throw std::runtime_error("PooledServer: " + line + ": " + answer.text);
        return answer.text;
    }
};

namespace {

/// Lets the server look for empty containers once a day. By default it looks once a minute, and a server of the pool is older
/// than the test that uses it: the path of a lock that nobody holds could be gone at any step of the test. If the test sets
/// this option, too, its value comes later on the command line, and wins.
ServerOptions that_keep_containers(ServerOptions options) {
    options.java_options.insert(options.java_options.begin(), "-Dznode.container.checkIntervalMs=86400000");
    return options;
}

} // namespace

PooledServer::PooledServer(const ServerOptions& wanted) {
    const ServerOptions options = that_keep_containers(wanted);
    auto pool = std::make_unique<FromPool>();
    const bool any_place = options.port == 0 && options.data_dir.empty();
    if (any_place) pool->stream.connect(pool_endpoint(::getppid()));
    if (any_place && pool->stream) {
        std::istringstream answer(pool->ask("take " + line_of(options)));
        answer >> port_ >> std::ws;
        std::string folder;
        std::getline(answer, folder);
        data_dir_ = folder;
        from_pool_ = std::move(pool);
    } else {
        own_ = std::make_unique<TestingServer>(options);
        port_ = own_->port();
        data_dir_ = own_->data_dir();
    }
}

PooledServer::~PooledServer() = default;

void PooledServer::tell(std::string_view word, void (TestingServer::*act)()) {
    if (from_pool_) {
        from_pool_->ask(std::string(word));
    } else {
        (*own_.*act)();
    }
}

std::string PooledServer::four_letter_word(std::string_view word) const {
    return from_pool_ ? from_pool_->ask("ask " + std::string(word)) : own_->four_letter_word(word);
}

std::int64_t PooledServer::metric(std::string_view name) const {
    return from_pool_ ? std::stoll(from_pool_->ask("metric " + std::string(name))) : own_->metric(name);
}

} // namespace docent::test
