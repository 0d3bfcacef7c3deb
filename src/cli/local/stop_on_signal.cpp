// SPDX-License-Identifier: Apache-2.0
#include "cli/local/stop_on_signal.hpp"

#include "cli/hold/wait_readable.hpp"

namespace docent::cli {

StopOnSignal::StopOnSignal(std::initializer_list<int> numbers)
    : signals_(numbers), listener_([this] {
          while (!end_.raised()) {
              wait_readable({signals_.fd(), end_.fd()});
              if (const auto signal = signals_.next()) {
                  received_ = signal->number;
                  stop_.request_stop();
              }
          }
      }) {}

StopOnSignal::~StopOnSignal() {
    end_.raise();
}

} // namespace docent::cli
