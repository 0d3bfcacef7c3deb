// SPDX-License-Identifier: Apache-2.0
#include "cli/run.hpp"

#include "cli/connection.hpp"
#include "cli/messages.hpp"
#include "cli/signals.hpp"
#include "cli/view/inspection_table.hpp"
#include "cli/view/terminal.hpp"
#include "posix/event_fd.hpp"

#include <docent/client.hpp>
#include <docent/error.hpp>
#include <docent/path.hpp>
#include <docent/recipes/inspection.hpp>

#include <chrono>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <signal.h>

namespace docent::cli {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

/// Looks at the participants of one path again and again, when a watch reports a change. A look lists the path with a watch (a
/// semaphore has three lists), and reads the nodes that earlier looks have not read. No label is read twice.
class QueueWatch {
public:
    /// All calls end early, with `operation_aborted`, when `stop` is requested.
    QueueWatch(Client& client, std::string path, InspectOptions options, std::stop_token stop)
        : client_(client), path_(std::move(path)), options_(std::move(options)), stop_(std::move(stop)),
          sessions_(client.listen([change = change_](const SessionEvent&) { change->raise(); })),
          on_stop_(stop_, [change = change_] { change->raise(); }) {}

    /// The present participants; empty if the node does not exist. Errors: those of Client::children_watched() and get().
    Inspection look(error_code& ec) {
        change_->clear();                                // later changes may be missing in this look
        const auto before = std::exchange(watches_, {}); // dropped after the new watches, which share the servers' watches
        RecipeChildren names{list(path_, true, ec)};
        if (!ec && contains(names.children, "leases")) names.leases = list(join_path(path_, "leases"), false, ec);
        if (!ec && contains(names.children, "locks")) names.gate = list(join_path(path_, "locks"), false, ec);
        if (ec) return {};
        Inspection result = inspect_names(path_, names, options_);
        read_details(result, ec);
        if (ec) return {};
        std::erase_if(result.participants, [&](const Participant& one) { return !known_.contains(one.node_path); });
        for (Participant& one : result.participants) {
            const auto& [owned, stat] = known_.at(one.node_path);
            one.data = owned.data;
            one.owner = owned.owner;
            one.session_id = stat.ephemeral_owner;
            one.fencing_token = stat.czxid;
            one.created = stat.ctime;
        }
        return result;
    }

    /// Waits until a watch of the last look has fired, the session has changed its state, or a stop is requested, for `longest`
    /// at most. Returns whether that has happened.
    bool wait(milliseconds longest) {
        posix::wait_readable({change_->fd()}, longest);
        return change_->raised();
    }

private:
    std::vector<std::string> list(const std::string& path, bool wait_for_it, error_code& ec) {
        while (true) {
            auto listed = client_.children_watched(path, ec, {.stop = stop_});
            if (!ec) {
                keep(std::move(listed.watch));
                return std::move(listed.value.names);
            }
            if (ec != server_error::no_node) return {};
            ec = {};
            if (!wait_for_it) return {}; // the parent's list shows when the node comes
            auto seen = client_.exists_watched(path, ec, {.stop = stop_});
            if (ec) return {};
            if (seen.value) continue; // the node has just come
            keep(std::move(seen.watch));
            return {};
        }
    }

    void keep(Watch watch) {
        watches_.push_back(std::make_shared<Watch>(std::move(watch)));
        // A watch that is dropped ends its wait with an error, which is no change.
        watches_.back()->async_wait([change = change_](error_code ec, const WatchEvent&) {
            if (!ec) change->raise();
        });
    }

    /// Reads the details that are not known yet, all at once.
    void read_details(const Inspection& inspection, error_code& ec) {
        using Answer = std::pair<error_code, NodeData>;
        std::vector<std::pair<std::string, std::future<Answer>>> asked;
        std::set<std::string> present;
        for (const Participant& one : inspection.participants) {
            present.insert(one.node_path);
            if (known_.contains(one.node_path)) continue;
            auto answer = std::make_shared<std::promise<Answer>>();
            asked.emplace_back(one.node_path, answer->get_future());
            client_.async_get(one.node_path, GetOptions{}, {.stop = stop_}, [answer](error_code failed, NodeData read) {
                answer->set_value({failed, std::move(read)});
            });
        }
        std::erase_if(known_, [&](const auto& entry) { return !present.contains(entry.first); });
        for (auto& [path, answer] : asked) {
            auto [failed, read] = answer.get();
            if (!failed) known_.emplace(path, std::pair(split_owner(std::move(read.data)), read.stat));
            else if (failed != server_error::no_node) ec = failed;
        }
    }

    Client& client_;
    const std::string path_;
    const InspectOptions options_;
    const std::stop_token stop_;
    const std::shared_ptr<posix::EventFd> change_ = std::make_shared<posix::EventFd>();
    const Subscription sessions_;
    const std::stop_callback<std::function<void()>> on_stop_;
    std::vector<std::shared_ptr<Watch>> watches_;
    std::map<std::string, std::pair<OwnedData, Stat>> known_; // by path
};

constexpr milliseconds between_looks = 1s;
constexpr milliseconds for_ever = 24h; // after this time it looks again without an event

/// Redraws in place on a terminal. Elsewhere it prints one state after the other, for scripts.
class Follower {
public:
    Follower(Client& client, const InspectCommand& command, Redrawing* screen, const std::stop_token& stop)
        : client_(client), command_(command), stop_(stop),
          queue_(client, command.path, {.others = command.kazoo ? kazoo_contenders() : OtherContenders{}}, stop),
          screen_(screen) {}
    ~Follower() {
        if (screen_ != nullptr) screen_->end(); // restores the terminal before an error is printed
    }
    Follower(const Follower&) = delete;
    Follower& operator=(const Follower&) = delete;

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
    /// Returns whether anything has changed. Redraws the ages while it waits for a server.
    bool look() {
        error_code ec;
        auto looking = std::async(std::launch::async, [&] {
            if (!synced_) client_.sync("/", ec, {.stop = stop_}); // once: later changes come by watches
            return ec ? Inspection{} : queue_.look(ec);
        });
        while (looking.wait_for(between_looks) != std::future_status::ready) {
            if (screen_ != nullptr && seen_) show(false);
        }
        Inspection inspection = looking.get();
        if (ec && !is_outage(ec) && !stop_.stop_requested()) throw Error(ec);
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
        const auto page = page_of_output();
        if (screen_ == nullptr) {
            const std::string separator = command_.format == OutputFormat::json ? "" : "\n";
            if (changed) print(inspection_text(*last_, command_, page) + separator);
            tell_connection();
            return;
        }
        std::string text =
            "docent inspect " + shown(command_.path, page.value_or(Page{}).charset) + " --watch   Ctrl-C ends it\n";
        if (behind_ || !connected()) text += since_when() + "\n";
        if (last_) text += "\n" + inspection_text(*last_, command_, page);
        screen_->draw(text);
    }

    /// Reports each change of the connection once, unless the screen shows it.
    void tell_connection() {
        const bool lost = behind_ || !connected();
        if (lost && !told_) print_error("inspect " + command_.path + ": " + since_when());
        if (!lost && told_) print_error("inspect " + command_.path + ": a server answers again");
        told_ = lost;
    }

    std::string since_when() const {
        if (!seen_) return "no server has answered yet";
        const auto age = std::chrono::duration_cast<std::chrono::seconds>(steady_clock::now() - *seen_);
        return "no server answers; the last known state is " + std::to_string(age.count()) + " s old";
    }

    /// Waits at least until `next_look`, and then for a change. On a screen, redraws the ages meanwhile, without a request.
    void wait_until(steady_clock::time_point next_look) {
        while (!stop_.stop_requested()) {
            const auto left = std::chrono::duration_cast<milliseconds>(next_look - steady_clock::now());
            if (left > 0ms) {
                pause_for(left, stop_);
            } else if (queue_.wait(behind_ ? 0ms : screen_ != nullptr ? between_looks : for_ever) || behind_) {
                return;
            }
            show(false);
        }
    }

    Client& client_;
    const InspectCommand& command_;
    const std::stop_token stop_;
    QueueWatch queue_;
    Redrawing* const screen_; // null without a screen
    std::optional<Inspection> last_;
    std::optional<steady_clock::time_point> seen_; // when the state was last up to date
    bool synced_ = false;
    bool behind_ = false; // the last look has failed
    bool told_ = false;   // that no server answers
};

} // namespace

int follow(const InspectCommand& command) {
    const bool on_screen = command.format == OutputFormat::text && page_of_output() && can_redraw();
    Redrawing screen;
    // Without a screen, Ctrl-Z keeps its default action, and SIGINT is in the list twice.
    StopOnSignal stop({SIGINT, SIGTERM, SIGHUP, SIGQUIT, on_screen ? SIGTSTP : SIGINT}, BlockedOutput::ends_process,
                      [&] { screen.suspend(); });
    return with_client(reading_config(command.connection), "inspect " + command.path, [&](Client& client) {
        error_code ec;
        client.wait_connected(ec, {.stop = stop.token()});
        if (stop.token().stop_requested()) return exit_code::success;
        if (ec) throw Error(ec);
        return Follower(client, command, on_screen ? &screen : nullptr, stop.token()).run();
    });
}

} // namespace docent::cli
