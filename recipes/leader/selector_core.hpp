// SPDX-License-Identifier: Apache-2.0
#pragma once

// One who stands for election for the sake of some work, which is done while it leads.

#include "leader/nominee.hpp"

#include <docent/recipes/leader/leader_selector.hpp>

#include <atomic>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace docent::detail {

/// The thread that does the work of a selector.
using WorkerId = std::shared_ptr<std::atomic<std::thread::id>>;

/// One lead. Whoever is to do the work has it until that has ended: its end ends the lead, whatever became of the work.
class LeadRun {
public:
    /// `ended` is called on the strand.
    LeadRun(std::shared_ptr<ClientView> view, Leadership leadership, WorkerId worker, std::function<void(bool begun)> ended);

    const Leadership& leadership() const noexcept { return leadership_; }
    /// Whether the work is still to be done; says no once the lead is over. Once, when it begins.
    bool begin() noexcept;

    /// While a thread does the work, and may not wait for its end.
    class Worker {
    public:
        explicit Worker(const LeadRun& run) : worker_(run.worker_) { *worker_ = std::this_thread::get_id(); }
        Worker(const Worker&) = delete;
        Worker& operator=(const Worker&) = delete;
        ~Worker() { *worker_ = std::thread::id(); }

    private:
        const WorkerId worker_;
    };

private:
    const Leadership leadership_;
    const WorkerId worker_;
    const std::shared_ptr<bool> begun_;
    const Registration end_;
};

/// Members are called on the strand unless they say otherwise.
class SelectorCore final : public Nominee {
public:
    /// What the user does as the leader: does not wait for its end.
    using Work = std::function<void(std::shared_ptr<LeadRun>)>;
    /// Tells the user of what went wrong, elsewhere; not once it is closed, for then the user may have gone.
    using Report = std::function<void(std::exception_ptr, std::weak_ptr<const Nominee>)>;

    /// `terms`: with the id as the node's data, if there is one.
    SelectorCore(std::shared_ptr<ClientView> view, std::string path, SelectorOptions options, LeaseTerms terms, Work work,
                 Report report, BootNow boot_now = &session::BootClock::now);

    // From any thread.
    /// Whether it was not queued yet. Errors: `error::closed`.
    bool requeue(error_code& ec);
    /// Whether it leads.
    bool interrupt();
    bool works_in_this_thread() const noexcept { return *worker_ == std::this_thread::get_id(); }

    /// Calls `done` when the work has ended and the server has confirmed that the lead is given up, or the connection broke.
    void close(std::function<void()> done);

private:
    void on_started() override { pursue(); }
    void on_granted(GrantedNode node) override;
    void on_hindered(error_code ec) override;
    void on_client_closed() override { end(); }
    void on_run_ended(bool begun);
    void pursue();
    void answer_who_closed();

    const bool auto_requeue_;
    const Work work_;
    const Report report_;
    std::atomic<bool> queued_{true}; // a lead is wanted, after the present one
    const WorkerId worker_ = std::make_shared<std::atomic<std::thread::id>>();

    std::shared_ptr<LeaseCore> lease_; // from the grant until the work has ended
    bool rests_ = false;               // the work could not be begun: not again at once
    int releasing_ = 0;
    std::vector<std::function<void()>> closing_;
};

} // namespace docent::detail
