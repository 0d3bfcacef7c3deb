// SPDX-License-Identifier: Apache-2.0
#include "cli/local/stop_on_signal.hpp"

#include "cli/hold/wait_readable.hpp"

#include <utility>

#include <signal.h>

namespace docent::cli {

StopOnSignal::StopOnSignal(std::initializer_list<int> numbers, std::function<void()> suspend)
    : signals_(numbers), suspend_(std::move(suspend)), listener_([this] {
          while (!end_.raised()) {
              wait_readable({signals_.fd(), end_.fd()});
              const auto signal = signals_.next();
              if (!signal) continue;
              if (signal->number == SIGTSTP && suspend_) {
                  suspend_();
                  continue;
              }
              received_ = signal->number;
              stop_.request_stop();
          }
      }) {}

StopOnSignal::~StopOnSignal() {
    end_.raise();
}

} // namespace docent::cli
