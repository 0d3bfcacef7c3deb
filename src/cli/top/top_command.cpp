// SPDX-License-Identifier: Apache-2.0
#include "cli/run.hpp"

#include "cli/connection.hpp"
#include "cli/hold/owner.hpp"
#include "cli/messages.hpp"
#include "cli/signals.hpp"
#include "cli/top/curses_terminal.hpp"
#include "cli/top/lock_tree.hpp"
#include "cli/top/top_screen.hpp"
#include "cli/view/terminal.hpp"

#include "base/while_alive.hpp"
#include "posix/descriptors.hpp"

#include <docent/client.hpp>
#include <docent/path.hpp>

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>

#include <cerrno>
#include <chrono>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <system_error>
#include <utility>

#include <signal.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace docent::cli {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;
using std::chrono::steady_clock;
using std::chrono::system_clock;

constexpr auto longest_farewell = 5s;
constexpr auto between_drawings = 250ms; // for changes of the tree; keys redraw at once
constexpr auto ages_go_on = 1s;

/// Sends the requests of a LockTree. Runs on the client's executor, which has one thread.
class TreeWatcher : public std::enable_shared_from_this<TreeWatcher> {
    /// Makes a handler that calls `handle(values...)` while this object exists and is not stopped.
    template <typename Handle> auto guarded(Handle handle) {
        return detail::while_alive(weak_from_this(), [this, handle](auto&&... values) {
            if (!stopped_) handle(std::forward<decltype(values)>(values)...);
        });
    }

    /// Makes the handler of a request. It calls `use(value)` with the value of a successful answer.
    template <typename Use> auto answered(const Ask& ask, Use use) {
        return guarded([this, ask, use](error_code ec, auto&& value) {
            if (ec) return failed(ask, ec);
            failure_ = {};
            use(std::forward<decltype(value)>(value));
            news();
        });
    }

public:
    /// Calls `on_news` when the tree has changed. Without `on_news`, sets no watches. `client` must outlive this object.
    TreeWatcher(Client& client, const TopCommand& command, std::function<void()> on_news)
        : client_(client), tree_(command.path, command.max_nodes), on_news_(std::move(on_news)), timer_(client.get_executor()) {
    }

    /// Begins with a sync, so that earlier writes are visible on any server.
    void start() {
        client_.async_sync("/", guarded([this](error_code ec) {
                               failure_ = ec;
                               started_ = true;
                               tree_.start(steady_clock::now());
                               pump();
                           }));
    }

    /// Sends no more requests, and makes no more calls of `on_news`.
    void stop() {
        stopped_ = true;
        timer_.cancel();
        watches_.clear();
    }

    const LockTree& tree() const { return tree_; }
    void open(const std::string& path) {
        tree_.open(path);
        pump();
    }

    /// The error of the last request that will be sent again; no error after a later answer.
    error_code failure() const { return failure_; }
    bool settled() const { return started_ && tree_.settled(); }

private:
    void pump() {
        for (const Ask& ask : tree_.due(steady_clock::now())) send(ask);
        for (const std::string& path : tree_.take_forgotten()) watches_.erase(path);
        if (const auto next = tree_.next_time()) {
            timer_.expires_at(*next);
            timer_.async_wait(guarded([this](error_code ec) {
                if (!ec) pump();
            }));
        }
    }

    void send(const Ask& ask) {
        switch (ask.what) {
        case Ask::What::list: return list(ask);
        case Ask::What::await: return await_root(ask);
        case Ask::What::read: return read(ask);
        }
    }

    void list(const Ask& ask) {
        if (!on_news_) {
            const auto use_list = [this, path = ask.path](const Children& children) {
                tree_.on_listed(path, children, steady_clock::now());
            };
            return client_.async_children(ask.path, answered(ask, use_list));
        }
        const auto use_list = [this, path = ask.path](Watched<Children> seen) {
            keep(path, std::move(seen.watch));
            tree_.on_listed(path, seen.value, steady_clock::now());
        };
        client_.async_children_watched(ask.path, answered(ask, use_list));
    }

    /// Waits for a missing root. Without watches, a missing root is an empty tree.
    void await_root(const Ask& ask) {
        if (!on_news_) return tree_.on_awaited(ask.path, false, steady_clock::now());
        const auto use_watch = [this, path = ask.path](Watched<std::optional<Stat>> seen) {
            keep(path, std::move(seen.watch));
            tree_.on_awaited(path, seen.value.has_value(), steady_clock::now());
        };
        client_.async_exists_watched(ask.path, answered(ask, use_watch));
    }

    void read(const Ask& ask) {
        const auto use_data = [this, path = ask.path](NodeData node) {
            OwnedData owned = split_owner(std::move(node.data));
            tree_.on_read(path, {std::move(owned.data), node.stat.ephemeral_owner, node.stat.czxid, node.stat.ctime,
                                 std::move(owned.owner)});
        };
        client_.async_get(ask.path, answered(ask, use_data));
    }

    void failed(const Ask& ask, error_code ec) {
        const bool gone = ec == server_error::no_node;
        const bool denied = ec == server_error::no_auth || ec == error::too_many_watches || ec == error::corrupt_data;
        if (!gone && !denied) failure_ = ec;
        tree_.on_failed(ask, gone ? Failure::gone : denied ? Failure::denied : Failure::later, steady_clock::now());
        news();
    }

    void keep(const std::string& path, Watch watch) {
        auto kept = std::make_shared<Watch>(std::move(watch));
        watches_[path] = kept;
        // After any event, look again. A watch that was dropped or replaced reports nothing.
        kept->async_wait(guarded([this, path](error_code ec, const WatchEvent&) {
            if (ec) return;
            tree_.on_changed(path, steady_clock::now());
            news();
        }));
    }

    void news() {
        pump();
        if (on_news_) on_news_();
    }

    Client& client_;
    LockTree tree_;
    const std::function<void()> on_news_;                   // may be empty
    std::map<std::string, std::shared_ptr<Watch>> watches_; // by the path that they watch
    asio::steady_timer timer_;
    error_code failure_;
    bool started_ = false;
    bool stopped_ = false;
};

/// A note about nodes that are not shown; empty if all are shown.
std::string omissions(const LockTree& tree) {
    std::string text;
    if (!tree.root_exists()) text = "there is no such node yet";
    if (tree.left_out() > 0)
        text = "more than " + std::to_string(tree.listed()) + " nodes: " + std::to_string(tree.left_out()) +
               " or more are left out";
    if (tree.denied() > 0) text += (text.empty() ? "" : "; ") + std::to_string(tree.denied()) + " nodes may not be listed";
    return text;
}

/// Closes the session, so that it does not live for a session timeout after the program.
void say_farewell(asio::io_context& io, Client& client) {
    client.close();
    io.restart();
    io.run_for(longest_farewell);
}

int print_once(asio::io_context& io, Client& client, const TopCommand& command) {
    const auto watcher = std::make_shared<TreeWatcher>(client, command, nullptr);
    watcher->start();
    while (!watcher->settled() && !watcher->failure()) io.run_one();
    const error_code failure = watcher->failure();
    const LockTree& tree = watcher->tree();
    auto rows = rows_of(tree, steady_clock::now(), system_clock::now());
    sort_rows(rows, SortKey::path);
    const std::string missing = omissions(tree);
    watcher->stop();
    if (failure) {
        const int status = report_failure(failure, "top " + command.path, client);
        say_farewell(io, client);
        return status;
    }
    say_farewell(io, client);
    if (!tree.root_exists()) {
        print_error("top " + command.path + below_which(command.connection) + ": " + std::string(no_such_node));
    } else if (!missing.empty()) {
        print_error("top " + command.path + ": " + missing);
    }
    if (const std::string mixtures = mixtures_text(rows); !mixtures.empty()) print_error("top " + mixtures);
    if (command.format == OutputFormat::json) {
        print(rows_as_json(rows));
        return exit_code::success;
    }
    const auto page = page_of_output();
    const std::size_t columns = page ? page->columns : std::numeric_limits<std::size_t>::max() / 2;
    std::string text;
    for (const auto& line : row_lines(rows, columns, page ? page->charset : Charset::utf8)) text += line + "\n";
    print(text);
    return exit_code::success;
}

/// A descriptor that is readable when the terminal is. Asio makes each descriptor that it waits for non-blocking. It must not
/// do that to the terminal, which other programs share.
posix::UniqueFd keyboard() {
    posix::UniqueFd outlook(::epoll_create1(EPOLL_CLOEXEC));
    epoll_event wanted{.events = EPOLLIN, .data = {.fd = STDIN_FILENO}};
    if (!outlook || ::epoll_ctl(outlook.get(), EPOLL_CTL_ADD, STDIN_FILENO, &wanted) != 0)
        throw std::system_error(errno, std::generic_category(), "cannot wait for keys");
    return outlook;
}

/// Puts the tree, the screen and the terminal together, on one thread.
class LiveTop {
public:
    LiveTop(asio::io_context& io, Client& client, const TopCommand& command, std::unique_ptr<CursesTerminal> terminal,
            const std::stop_token& stop)
        : io_(io), client_(client), command_(command), terminal_(std::move(terminal)), screen_(terminal_->charset()),
          keys_(io, keyboard().release()), resized_(io, SIGWINCH), timer_(io),
          watcher_(std::make_shared<TreeWatcher>(client, command, [this] { news_ = true; })), on_stop_(stop, [this] {
              asio::post(io_, [this, alive = std::weak_ptr(watcher_)] {
                  if (!alive.expired()) running_ = false;
              });
          }) {}

    int run() {
        watcher_->start();
        await_keys();
        await_resizes();
        tick();
        while (running_) io_.run_one();
        watcher_->stop();
        terminal_.reset();
        keys_.close();
        resized_.cancel();
        timer_.cancel();
        say_farewell(io_, client_); // later handlers still find this object
        return exit_code::success;
    }

private:
    void await_keys() {
        keys_.async_wait(asio::posix::stream_descriptor::wait_read, [this](error_code ec) {
            if (ec || !running_) return;
            int bytes = 0;
            if (::ioctl(STDIN_FILENO, FIONREAD, &bytes) != 0 || bytes == 0) { // the terminal has gone
                running_ = false;
                return;
            }
            while (const auto pressed = terminal_->key()) on_key(*pressed);
            if (!running_) return;
            draw();
            await_keys();
        });
    }

    void await_resizes() {
        resized_.async_wait([this](error_code ec, int) {
            if (ec || !running_) return;
            terminal_->resize();
            draw();
            await_resizes();
        });
    }

    void tick() {
        if (news_ || steady_clock::now() - drawn_ >= ages_go_on) draw();
        timer_.expires_after(between_drawings);
        timer_.async_wait([this](error_code ec) {
            if (!ec && running_) tick();
        });
    }

    void on_key(const KeyPress& pressed) {
        notice_.clear();
        const auto wish = screen_.on_key(pressed, facts());
        if (!wish) return;
        switch (wish->what) {
        case TopWish::What::quit: running_ = false; break;
        case TopWish::What::open:
            open_ = wish->path;
            watcher_->open(open_);
            break;
        case TopWish::What::revoke: ask_for(wish->path); break;
        }
    }

    void ask_for(const std::string& node) {
        notice_ = "asking for " + std::string(node_name(node));
        client_.async_get(node, [this, node, alive = std::weak_ptr(watcher_)](error_code ec, const NodeData& read) {
            if (alive.expired() || !running_) return;
            if (ec) return tell_asked(node, ec, "");
            const std::string remark = is_known_to_listen(read.data) ? "" : "; it is not known to listen";
            client_.async_set(node, with_request(read.data), {.version = read.stat.version},
                              [this, node, remark, alive](error_code set, const Stat&) {
                                  if (!alive.expired() && running_) tell_asked(node, set, remark);
                              });
        });
    }

    void tell_asked(const std::string& node, const error_code& ec, const std::string& remark) {
        notice_ = ec ? "could not ask: " + ec.message() : "asked for " + std::string(node_name(node)) + remark;
        news_ = true;
    }

    std::string trouble() const {
        const SessionState state = client_.session().state;
        if (state == SessionState::connected && !watcher_->failure()) return {};
        const auto reason = client_.last_connect_error();
        if (state == SessionState::connecting && reason.empty()) return "connecting";
        std::string text = "no server answers";
        if (state == SessionState::connected) text = watcher_->failure().message();
        else if (!reason.empty()) text += ": " + reason;
        if (watcher_->tree().locks(steady_clock::now()).empty()) return text;
        const auto age = std::chrono::duration_cast<std::chrono::seconds>(steady_clock::now() - well_);
        return std::to_string(age.count()) + " s old: " + text; // the age first: the reason may be too long for the line
    }

    TopFacts facts() const {
        TopFacts facts;
        facts.path = command_.path;
        facts.now = system_clock::now();
        facts.rows = rows_of(watcher_->tree(), steady_clock::now(), facts.now);
        if (!open_.empty()) facts.queue = watcher_->tree().participants(open_);
        facts.notice = notice_.empty() ? omissions(watcher_->tree()) : notice_;
        if (facts.notice.empty()) facts.notice = shown(mixtures_text(facts.rows), Charset::utf8);
        facts.trouble = trouble();
        return facts;
    }

    void draw() {
        news_ = false;
        drawn_ = steady_clock::now();
        if (trouble().empty()) well_ = drawn_;
        terminal_->draw(screen_.draw(facts(), terminal_->size()));
    }

    asio::io_context& io_;
    Client& client_;
    const TopCommand& command_;
    std::unique_ptr<CursesTerminal> terminal_;
    TopScreen screen_;
    asio::posix::stream_descriptor keys_;
    asio::signal_set resized_;
    asio::steady_timer timer_;
    std::shared_ptr<TreeWatcher> watcher_;
    std::string open_;
    std::string notice_;
    steady_clock::time_point drawn_{};
    steady_clock::time_point well_ = steady_clock::now(); // the last time without trouble
    bool news_ = true;
    bool running_ = true;
    std::stop_callback<std::function<void()>> on_stop_; // the last member: may be called before the constructor ends
};

} // namespace

int run(const TopCommand& command) {
    const bool once = command.once || command.format == OutputFormat::json;
    std::optional<StopOnSignal> stop; // before ncurses, which installs handlers for signals without one
    if (!once) stop.emplace(std::initializer_list<int>{SIGINT, SIGTERM, SIGHUP, SIGQUIT}, BlockedOutput::ends_process);
    auto terminal = once ? nullptr : std::make_unique<CursesTerminal>();
    asio::io_context io;
    const auto body = [&](Client& client) {
        return once ? print_once(io, client, command) : LiveTop(io, client, command, std::move(terminal), stop->token()).run();
    };
    return with_client(reading_config(command.connection), "top " + command.path, body, io.get_executor());
}

} // namespace docent::cli
