// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "atomic/atomic_core.hpp"
#include "client/core/connected_operation.hpp"
#include "client/core/parents/parents.hpp"
#include "queue/acquire_driver.hpp"

#include <docent/recipes/lease.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace docent::detail {

/// Carries out the actions of an AtomicMachine, after the earlier calls on the value.
class AtomicOperation final : public ConnectedOperation<AtomicBytes> {
public:
    /// The retry policies come from the core's options, and not from `plan`.
    AtomicOperation(std::shared_ptr<ClientView> view, std::shared_ptr<AtomicCore> core, AtomicMachine::Plan plan,
                    Done<AtomicBytes> done);

    void begin() override;
    void abort(error_code ec) override;
    Awaited awaited() const override;
    bool in_doubt() const override { return machine_ && machine_->in_doubt() && !making_marker_; }

private:
    /// A write, with the answers to the requests sent with it.
    struct Flight {
        SharedParentAnswers parents = nullptr; // set if creates of parents were sent
        std::optional<WriteAnswer> refused = {};
        bool read = false;
        std::optional<SeenValue> behind = {};
    };

    void perform(const AtomicAction& action);
    void act(const ReadValue& action);
    void act(const WriteValue& action);
    void act(const FindOut& action);
    void act(const PauseAtomic& action);
    void act(const TakeMutex& action);
    void act(const FinishAtomic& action);
    void make_marker(std::function<void(error_code)> then);
    void with_marker(std::function<void()> next, SharedParentAnswers parents = nullptr);
    void send(const WriteValue& action, std::string data);
    void on_written(Flight& flight, const zk::Reply& reply);
    void on_read_behind(Flight& flight, error_code ec, SeenValue seen);
    void on_refused(Flight& flight);
    void complete(error_code ec, AtomicBytes result);

    std::shared_ptr<AtomicCore> core_;
    AtomicMachine::Plan plan_;
    std::optional<AtomicMachine> machine_;
    bool has_turn_ = false;
    bool making_marker_ = false;         // before the first write
    std::shared_ptr<Operation> acquire_; // while it waits for the mutex
    Lease mutex_;
};

} // namespace docent::detail
