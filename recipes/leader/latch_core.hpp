// SPDX-License-Identifier: Apache-2.0
#pragma once

// A candidate that enters the election again after each leadership, until it is closed.

#include "base/listeners.hpp"
#include "client/core/operation.hpp"
#include "leader/candidate.hpp"

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace docent::detail {

/// Members are called on the strand unless they say otherwise.
class LatchCore final : public Candidate {
public:
    using Listener = std::function<void(const LeadershipEvent&)>;
    using Waiter = std::function<void(error_code, Leadership)>;

    /// `terms`: contain the id as the node's data.
    LatchCore(std::shared_ptr<ClientView> view, std::string path, LatchOptions options, LeaseTerms terms,
              BootNow boot_now = &session::BootClock::now);

    /// Calls `waiter` when the latch leads (at once if it leads now) or cannot enter. Dropping the registration cancels this.
    Registration when_leading(Waiter waiter);
    Registration listen(Listener listener) { return listeners_.add(std::move(listener)); }

    /// Both call `done` when the server has confirmed the end of the leadership, or when the connection broke. `through`: the
    /// view of the call.
    void resign(ClientView& through, std::function<void()> done);
    void close(LatchClose how, ClientView& through, std::function<void()> done);

private:
    void on_started() override;
    void on_granted(GrantedNode node) override;
    void on_hindered(error_code ec) override;
    void on_client_closed() override;
    void on_over(error_code ec);
    void give_up(ClientView& through, std::function<void()> done);
    bool forget_kept();

    const WhenLost when_lost_;
    std::shared_ptr<LeaseCore> lease_; // of the leadership
    Leadership kept_;                  // the leadership of lease_, if it is lost and its node stays
    Registration over_;
    Registration session_; // ends the election when the client is closed, also while no attempt is under way
    Listeners<error_code, Leadership> waiting_;
    Listeners<const LeadershipEvent&> listeners_;
};

} // namespace docent::detail
