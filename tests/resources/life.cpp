// SPDX-License-Identifier: Apache-2.0
#include "life.hpp"

#include <docent/recipes/inter_process_mutex.hpp>
#include <docent/transaction.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace docent::resources {
namespace {

constexpr std::size_t locks_of_lives = 64; // a session has ended before its lock is used again

struct Request {
    const char* name;
    testing::Opcode opcode;
};
using testing::Opcode;
constexpr std::array requests_of_a_life{
    Request{"create", Opcode::create},
    Request{"create", Opcode::create2},
    Request{"create", Opcode::create_container},
    Request{"children", Opcode::children},
    Request{"children", Opcode::children2},
    Request{"get", Opcode::get},
    Request{"exists", Opcode::exists},
    Request{"sync", Opcode::sync},
    Request{"multi", Opcode::multi},
    Request{"remove", Opcode::remove},
    Request{"set_watches", Opcode::set_watches},
    Request{"remove_watches", Opcode::remove_watches},
    Request{"ping", Opcode::ping},
};

} // namespace

Place::Place(Client& keeper, std::string path) : path_(std::move(path)) {
    for (const std::string& node : {held_by_another(), data(), markers()}) keep(keeper, node);
    for (std::size_t i = 0; i < locks_of_lives; ++i) keep(keeper, next_lock());
    held_ = InterProcessMutex(keeper, held_by_another()).acquire({.timeout = longest});
}

std::string Place::next_lock() {
    return path_ + "/lock" + std::to_string(next_++ % locks_of_lives);
}

Life::Life(testing::FaultProxy& proxy, Place& place, std::chrono::milliseconds session_timeout)
    : proxy_(proxy), place_(place), lock_(place.next_lock()), client_(config_for(proxy.connect_string(), session_timeout)) {}

Life::~Life() {
    on_request([](const char*, std::size_t) {}); // requests that are forwarded late are not counted
}

void Life::on_request(const std::function<void(const char*, std::size_t)>& act) {
    for (const Request& request : requests_of_a_life) {
        proxy_.on_forwarded(request.opcode, [sent = requests_, act, name = request.name] { act(name, (*sent)++); });
    }
}

template <typename Then> auto Life::one_more(Then then) {
    const std::lock_guard lock(mutex_);
    int& completions = completions_.emplace_back(0);
    return [this, &completions, then = std::move(then)](const error_code& ec, auto&&... result) {
        {
            const std::lock_guard again(mutex_);
            ++completions;
        }
        if (ec) rest();
        else then(std::forward<decltype(result)>(result)...);
    };
}

void Life::begin() {
    client_.start();
    InterProcessMutex(client_, place_.held_by_another()).async_acquire(one_more([](const Lease&) {}));
    acquire(&Life::commit);
}

void Life::acquire(void (Life::*then)()) {
    InterProcessMutex(client_, lock_).async_acquire(one_more([this, then](Lease lease) {
        {
            const std::lock_guard lock(mutex_);
            lease_ = std::move(lease);
        }
        (this->*then)();
    }));
}

void Life::commit() {
    Transaction changes;
    {
        const std::lock_guard lock(mutex_);
        changes.guard(lease_).set_data(place_.data(), "x").exactly_once(place_.markers());
    }
    client_.async_commit(std::move(changes), one_more([this](const TransactionResult&) { connect_again(); }));
}

void Life::connect_again() {
    proxy_.cut();
    client_.async_sync("/", one_more([this](auto&&...) { release(); }));
}

void Life::release() {
    auto handler = one_more([this] { acquire(&Life::rest); });
    const std::lock_guard lock(mutex_);
    lease_.async_release(std::move(handler));
}

void Life::close() {
    client_.async_close(one_more([] {}));
}

bool Life::each_completed_once() const {
    const std::lock_guard lock(mutex_);
    return std::all_of(completions_.begin(), completions_.end(), [](int times) { return times == 1; });
}

bool Life::owns() const {
    const std::lock_guard lock(mutex_);
    return lease_.owns();
}

} // namespace docent::resources
