// SPDX-License-Identifier: Apache-2.0
#include "session/lookups.hpp"

#include "posix/process_mark.hpp"
#include "posix/threads.hpp"

#include <dlfcn.h>
#include <netdb.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <exception>
#include <utility>

namespace docent::session {
namespace {

/// Keeps this library, or the plugin that contains it, in memory from the first lookup on: a lookup may still run when the
/// program unloads the library (dlclose). Does nothing if the program itself contains the library.
void keep_code_loaded() {
    static const bool kept = [] {
        Dl_info here{};
        static const int anything_here = 0;
        if (::dladdr(&anything_here, &here) == 0 || here.dli_fname == nullptr) return false;
        return ::dlopen(here.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE) != nullptr;
    }();
    static_cast<void>(kept);
}

std::string numeric_text(const sockaddr& address, socklen_t size) {
    std::array<char, NI_MAXHOST> text{};
    const int rc = ::getnameinfo(&address, size, text.data(), text.size(), nullptr, 0, NI_NUMERICHOST);
    return rc == 0 ? std::string(text.data()) : std::string();
}

} // namespace

NameAnswer look_up_by_system(const std::string& name) {
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    errno = 0;
    const int rc = ::getaddrinfo(name.c_str(), nullptr, &hints, &found);
    if (rc != 0) return {{}, rc == EAI_SYSTEM ? std::strerror(errno) : ::gai_strerror(rc)};
    NameAnswer answer;
    for (const addrinfo* each = found; each != nullptr; each = each->ai_next) {
        std::string text = numeric_text(*each->ai_addr, each->ai_addrlen);
        const bool is_new = std::find(answer.addresses.begin(), answer.addresses.end(), text) == answer.addresses.end();
        if (!text.empty() && is_new) answer.addresses.push_back(std::move(text));
    }
    ::freeaddrinfo(found);
    if (answer.addresses.empty()) answer.fault = "the name has no address";
    return answer;
}

bool Lookups::Lookup::poll(NameAnswer& answer) const {
    const std::lock_guard lock(mutex_);
    if (done_) answer = answer_;
    return done_;
}

void Lookups::Lookup::tell(const std::shared_ptr<posix::EventFd>& event) {
    const std::lock_guard lock(mutex_);
    if (done_) return event->raise();
    std::erase_if(events_, [&](const auto& weak) { return weak.expired() || weak.lock() == event; });
    events_.push_back(event);
}

void Lookups::Lookup::finish(NameAnswer answer) {
    const std::lock_guard lock(mutex_);
    answer_ = std::move(answer);
    done_ = true;
    for (const auto& weak : std::exchange(events_, {})) {
        if (const auto event = weak.lock()) event->raise();
    }
}

std::shared_ptr<Lookups> Lookups::of_process() {
    struct BySystem {
        std::shared_ptr<Lookups> lookups = std::make_shared<Lookups>(&look_up_by_system);
    };
    return posix::of_this_process<BySystem>().lookups;
}

std::shared_ptr<Lookups::Lookup> Lookups::begin(const std::string& name, Lookup::Time now) {
    const std::lock_guard lock(mutex_);
    if (const auto found = under_way_.find(name); found != under_way_.end()) return found->second;
    auto lookup = std::make_shared<Lookup>(now);
    if (under_way_.size() >= most_at_once) {
        lookup->finish({{}, "too many other names are being looked up"});
        return lookup;
    }
    const auto entry = under_way_.emplace(name, lookup).first;
    try {
        start_thread(name, lookup);
    } catch (const std::exception& error) {
        under_way_.erase(entry);
        lookup->finish({{}, error.what()});
    }
    return lookup;
}

void Lookups::start_thread(const std::string& name, const std::shared_ptr<Lookup>& lookup) {
    keep_code_loaded();
    posix::start_quiet_thread([self = shared_from_this(), name, lookup] {
        NameAnswer answer;
        try {
            answer = self->look_up_(name);
        } catch (const std::exception& error) { // no memory
            answer.fault = error.what();
        }
        {
            const std::lock_guard lock(self->mutex_);
            self->under_way_.erase(name);
        }
        lookup->finish(std::move(answer));
    }).detach();
}

} // namespace docent::session
