// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "barrier/double_barrier_rules.hpp"
#include "barrier/passage_operation.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace docent::detail {

/// Creates a member's node and waits until enough members are there. Begins again in a new session.
class EnterOperation final : public PassageOperation {
public:
    using PassageOperation::PassageOperation;

    void begin() override { pass(DoubleBarrierCore::Stage::outside, DoubleBarrierCore::Stage::entering); }

private:
    struct Seen {
        EnteringView view;
        std::vector<std::string> others;
        std::int32_t ready_version = 0;
        error_code failure;
    };
    using SeenPtr = std::shared_ptr<Seen>;

    void look() override;
    void on_end(error_code ec) override;
    void make_own();
    void on_made(error_code ec);
    void look_around();
    void decide(const SeenPtr& seen);
    void act(const SeenPtr& seen, OwnNodeGone step);
    void act(const SeenPtr& seen, GoIn step);
    void act(const SeenPtr& seen, MakeReady step);
    void act(const SeenPtr& seen, LookAtOthers step);
    void act(const SeenPtr& seen, RemoveStaleReady step);
    void act(const SeenPtr& seen, AwaitReady step);
    void look_after(const error_code& ec);

    std::string own_path_; // empty before the first try
    std::uint64_t epoch_ = 0;
    bool made_ = false;
    std::int64_t own_czxid_ = 0;     // from the reply to the create
    bool ready_was_missing_ = false; // while the member's node existed
    int rounds_ = 0;                 // of creating parents
};

} // namespace docent::detail
