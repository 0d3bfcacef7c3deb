// SPDX-License-Identifier: Apache-2.0
#include "cli/view/follow.hpp"

#include "cli/connection.hpp"
#include "cli/signals.hpp"
#include "cli/messages.hpp"
#include "cli/view/inspection_table.hpp"
#include "cli/view/queue_watch.hpp"
#include "cli/view/terminal.hpp"

#include <docent/error.hpp>

#include <chrono>
#include <condition_variable>
#include <future>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>

#include <signal.h>

namespace docent::cli {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

constexpr milliseconds between_looks = 1s;
constexpr milliseconds for_ever = 24h; // after this time it looks again without an event

/// Whether a look can succeed later: servers come back, and so do sessions.
bool passes(const error_code& ec) {
    return ec == condition::retryable || ec == error::not_connected || ec == server_error::session_expired;
}

std::string since_when(const std::optional<steady_clock::time_point>& seen) {
    if (!seen) return "no server has answered yet";
    const auto age = std::chrono::duration_cast<std::chrono::seconds>(steady_clock::now() - *seen);
    return "no server answers; the last known state is " + std::to_string(age.count()) + " s old";
}

/// Redraws in place on a terminal. Elsewhere it prints one state after the other, for scripts.
class Follower {
public:
    Follower(Client& client, const InspectCommand& command, Redrawing* screen, const std::stop_token& stop)
        : client_(client), command_(command), stop_(stop), queue_(client, command.path, options(command), stop),
          screen_(screen) {}

    int run() {
        while (!stop_.stop_requested()) {
            const auto looked = steady_clock::now();
            if (seen_ && !connected()) show(false); // the look waits for a server
            const bool changed = look();
            if (stop_.stop_requested()) break;
            show(changed);
            wait_until(looked + between_looks);
        }
        return exit_code::success;
    }

private:
    static InspectOptions options(const InspectCommand& command) {
        InspectOptions options;
        if (command.kazoo) options.others = kazoo_contenders();
        return options;
    }

    /// Looks, and redraws the ages while it waits for a server.
    Inspection look_on_screen(error_code& ec) {
        auto looking = std::async(std::launch::async, [&] {
            if (!synced_) client_.sync("/", ec, {.stop = stop_}); // once: later changes come by watches
            return ec ? Inspection{} : queue_.look(ec);
        });
        while (looking.wait_for(between_looks) != std::future_status::ready) {
            if (screen_ != nullptr && seen_) show(false);
        }
        return looking.get();
    }

    bool look() {
        error_code ec;
        Inspection inspection = look_on_screen(ec);
        if (ec && !passes(ec) && !stop_.stop_requested()) throw Error(ec);
        behind_ = ec.failed();
        if (ec) return false;
        synced_ = true;
        seen_ = steady_clock::now();
        const bool changed = !last_ || *last_ != inspection;
        last_ = std::move(inspection);
        return changed;
    }

    bool connected() const { return client_.session().state == SessionState::connected; }

    void show(bool changed) {
        if (last_ && !behind_ && connected()) seen_ = steady_clock::now(); // the watches would report a change
        if (screen_ == nullptr) {
            if (changed) print(inspection_text(*last_, command_, page_of_output()) + separator());
            tell_connection();
            return;
        }
        std::string text =
            "docent inspect " + shown(command_.path, page_of_output().value_or(Page{}).charset) + " --watch   Ctrl-C ends it\n";
        if (behind_ || !connected()) text += since_when(seen_) + "\n";
        if (last_) text += "\n" + inspection_text(*last_, command_, page_of_output());
        screen_->draw(text);
    }
    std::string separator() const { return command_.format == OutputFormat::json ? "" : "\n"; }

    /// Reports each change of the connection once, unless the screen shows it.
    void tell_connection() {
        const bool lost = behind_ || !connected();
        if (lost && !told_) print_error("inspect " + command_.path + ": " + since_when(seen_));
        if (!lost && told_) print_error("inspect " + command_.path + ": a server answers again");
        told_ = lost;
    }

    /// Waits at least until `next_look`, and then for a change. On a screen, redraws the ages meanwhile, without a request.
    void wait_until(steady_clock::time_point next_look) {
        while (!stop_.stop_requested()) {
            const auto left = std::chrono::duration_cast<milliseconds>(next_look - steady_clock::now());
            if (left > 0ms) {
                pause_.wait(stop_, left);
            } else if (queue_.wait(behind_ ? 0ms : screen_ != nullptr ? between_looks : for_ever) || behind_) {
                return;
            }
            show(false);
        }
    }

    /// A pause that only a stop request ends early.
    struct Pause {
        std::mutex mutex;
        std::condition_variable_any never;
        void wait(const std::stop_token& stop, milliseconds length) {
            std::unique_lock lock(mutex);
            never.wait_for(lock, stop, length, [] { return false; });
        }
    };

    Client& client_;
    const InspectCommand& command_;
    const std::stop_token stop_;
    QueueWatch queue_;
    Redrawing* const screen_; // null without a screen
    Pause pause_;
    std::optional<Inspection> last_;
    std::optional<steady_clock::time_point> seen_;
    bool synced_ = false;
    bool behind_ = false;
    bool told_ = false;
};

struct ScreenEnd {
    explicit ScreenEnd(Redrawing& given) : screen(given) {}
    ~ScreenEnd() { screen.end(); }
    ScreenEnd(const ScreenEnd&) = delete;
    ScreenEnd& operator=(const ScreenEnd&) = delete;
    Redrawing& screen;
};

} // namespace

int follow(const InspectCommand& command) {
    const bool on_screen = command.format == OutputFormat::text && page_of_output() && can_redraw();
    Redrawing screen;
    // Without a screen, the default action of Ctrl-Z is right.
    StopOnSignal stop({SIGINT, SIGTERM, SIGHUP, SIGQUIT, on_screen ? SIGTSTP : SIGINT}, BlockedOutput::ends_process,
                      [&] { screen.suspend(); });
    return with_client(reading_config(command.connection), "inspect " + command.path, [&](Client& client) {
        error_code ec;
        client.wait_connected(ec, {.stop = stop.token()});
        if (stop.token().stop_requested()) return exit_code::success;
        if (ec) throw Error(ec);
        const ScreenEnd end(screen); // restores the terminal before an error is printed
        return Follower(client, command, on_screen ? &screen : nullptr, stop.token()).run();
    });
}

} // namespace docent::cli
