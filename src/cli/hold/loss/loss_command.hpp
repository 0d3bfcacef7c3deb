// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/arguments/command.hpp"
#include "cli/hold/hold.hpp"
#include "cli/hold/loss/loss_reason.hpp"

namespace docent::cli {

/// `--on-lost`: the shell command to run after a loss.
class LossCommand {
public:
    LossCommand(const HoldRequest& request, const HeldLeases& held, const LossListener& losses)
        : request_(request), held_(held), losses_(losses) {}

    /// Starts the command once, if there is one. It may outlive docent. Call this only after the end of the program and its
    /// descendants: until then, docent ends all its own descendants. Reports a failure to start.
    void start();

private:
    const HoldRequest& request_;
    const HeldLeases& held_;
    const LossListener& losses_;
    bool started_ = false;
};

} // namespace docent::cli
