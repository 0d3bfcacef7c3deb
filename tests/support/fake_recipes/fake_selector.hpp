// SPDX-License-Identifier: Apache-2.0
#pragma once

// A leader selector on a client in memory. A test does its work step by step.

#include "fake_world.hpp"
#include "leader/selector_core.hpp"

#include <chrono>
#include <exception>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace docent::detail {

inline constexpr const char* selection_path = "/lead";

class FakeSelector {
public:
    FakeSelector(FakeWorld& world, std::size_t client, const std::string& id, bool auto_requeue = false,
                 std::optional<std::chrono::milliseconds> max_hold = {})
        : core(std::make_shared<SelectorCore>(
              world.share(client), selection_path, SelectorOptions{.id = id, .auto_requeue = auto_requeue},
              LeaseTerms{.node_data = id, .max_hold = max_hold},
              [book = book_](std::shared_ptr<LeaderTerm> term) { book->take(std::move(term)); },
              [book = book_](const std::exception_ptr& failure) { book->failures.push_back(failure); },
              [view = world.share(client)] { return view->boot_now(); })) {}

    /// The term with unfinished work; null if there is none.
    const std::shared_ptr<LeaderTerm>& term() const { return book_->term; }
    bool works() const { return book_->term && book_->begun; }
    bool is_asked_to_stop() const { return term()->leadership()->stop_token().stop_requested(); }
    int begun() const { return book_->times; }
    int refused() const { return book_->refused; } // leaderships that were over before the work could begin
    const std::vector<std::exception_ptr>& failures() const { return book_->failures; }

    void end_work() { book_->term.reset(); }
    /// The executor is slow: the work of a leadership begins only in begin_work().
    void be_slow() { book_->slow = true; }
    bool begin_work() { return book_->begin(); }
    /// The next attempt to start a thread for the work fails.
    void fail_to_begin() { book_->fails = true; }

private:
    struct Book {
        std::shared_ptr<LeaderTerm> term;
        bool begun = false;
        bool slow = false;
        bool fails = false;
        int times = 0;
        int refused = 0;
        std::vector<std::exception_ptr> failures;

        void take(std::shared_ptr<LeaderTerm> next) {
            if (term) throw std::logic_error("two at a time");
            if (std::exchange(fails, false)) throw std::runtime_error("no thread");
            term = std::move(next);
            begun = false;
            if (!slow && !begin()) term.reset();
        }
        bool begin() {
            begun = term->begin();
            ++(begun ? times : refused);
            return begun;
        }
    };
    std::shared_ptr<Book> book_ = std::make_shared<Book>();

public:
    const std::shared_ptr<SelectorCore> core;
};

} // namespace docent::detail
