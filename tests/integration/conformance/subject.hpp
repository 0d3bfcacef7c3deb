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

/// What scripts are put to: clients with a session each, on servers that are real or not.
class Subject {
public:
    virtual ~Subject() = default;

    static constexpr std::size_t clients = 2;

    virtual void submit(std::size_t client, zk::Request request, zk::ReplyHandler handler) = 0;
    /// 0: none, or none any more.
    virtual std::int64_t session_of(std::size_t client) = 0;
    /// In an orderly way.
    virtual void close(std::size_t client) = 0;
    /// Lets things happen until then; false if that takes far too long.
    virtual bool run_until(const std::function<bool()>& done) = 0;
    /// Sees to it that containers that may go do so soon.
    virtual void reap() = 0;
};

/// Debian's server and the client as it is. The server is started once.
std::unique_ptr<Subject> real_subject();
/// What `exists` needs on that server: the fakes follow it.
detail::ExistsNeeds real_exists_needs();
/// The ensemble that the recipes' scenarios run on. The seed draws who is at which server, and what happens first.
std::unique_ptr<Subject> ensemble_subject(std::uint64_t seed, detail::ExistsNeeds exists_needs);
/// The client as it is, but for the C client and what is behind it.
std::unique_ptr<Subject> c_client_subject(detail::ExistsNeeds exists_needs);

} // namespace docent::conformance
