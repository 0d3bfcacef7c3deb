// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fake_server/fake_rules.hpp"
#include "zk/request.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace docent::conformance {

/// The target of a script: clients with a session each, on real or fake servers.
class Subject {
public:
    virtual ~Subject() = default;

    static constexpr std::size_t clients = 2;

    virtual void submit(std::size_t client, zk::Request request, zk::ReplyHandler handler) = 0;
    /// The client's session; 0 if it has none.
    virtual std::int64_t session_of(std::size_t client) = 0;
    /// Closes the session.
    virtual void close(std::size_t client) = 0;
    /// Runs until `done()` returns true; returns false if that takes far too long.
    virtual bool run_until(const std::function<bool()>& done) = 0;
    /// Makes the server remove empty containers soon.
    virtual void reap() = 0;
};

/// Debian's server and the unchanged client. The server is started once.
std::unique_ptr<Subject> real_subject();
/// The permission that `exists` needs on that server. The fakes do the same.
detail::ExistsNeeds real_exists_needs();
/// The fake ensemble of the recipes' scenarios. The seed chooses each client's server and the order of events.
std::unique_ptr<Subject> ensemble_subject(std::uint64_t seed, detail::ExistsNeeds exists_needs);
/// The unchanged client on a fake C client and fake servers.
std::unique_ptr<Subject> c_client_subject(detail::ExistsNeeds exists_needs);

} // namespace docent::conformance
