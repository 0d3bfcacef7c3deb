// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/arguments/command.hpp"
#include "cli/hold/hold.hpp"
#include "cli/hold/loss/loss_reason.hpp"

namespace docent::cli {

/// `--on-lost`: what the shell is to run when what is held is lost.
class LossCommand {
public:
    LossCommand(const HoldRequest& request, const Held& held, const LossListener& losses)
        : request_(request), held_(held), losses_(losses) {}

    /// Starts it, the first time, if there is one, and does not wait for its end; it goes on when we end. Only when the program
    /// and all that it started is gone: until then all that descends from us belongs to it, and is ended. Says so when it
    /// cannot be started.
    void start();

private:
    const HoldRequest& request_;
    const Held& held_;
    const LossListener& losses_;
    bool started_ = false;
};

} // namespace docent::cli
