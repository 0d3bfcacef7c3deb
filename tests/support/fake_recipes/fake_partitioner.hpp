// SPDX-License-Identifier: Apache-2.0
#pragma once

// A member of a partition on a client in memory. A test does its work step by step.

#include "fake_world.hpp"
#include "partition/partition_core.hpp"

#include <algorithm>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace docent::detail {

inline constexpr const char* partition_path = "/part";

class FakePartitioner {
public:
    using Terms = std::map<std::string, std::shared_ptr<LeaderTerm>>;

    /// `view`: of the client; null: as the world has it.
    FakePartitioner(FakeWorld& world, std::size_t client, std::vector<std::string> items, PartitionOptions options,
                    const std::shared_ptr<ClientView>& view = nullptr)
        : world_(world), reports_(std::make_shared<FailureReports>(
                             world.client(client).executor(),
                             [book = book_](const std::exception_ptr& failure) { book->failures.push_back(failure); })),
          core(std::make_shared<PartitionCore>(
              view ? view : world.share(client), partition_path, std::move(items), std::move(options),
              [book = book_](const std::string& item) {
                  return [book, item](std::shared_ptr<LeaderTerm> term) { book->begin(item, std::move(term)); };
              },
              reports_, [view = world.share(client)] { return view->boot_now(); })) {}

    /// The items with unfinished work.
    const Terms& terms() const { return book_->terms; }
    bool works_on(const std::string& item) const { return book_->terms.contains(item); }
    bool is_asked_to_stop(const std::string& item) const {
        return book_->terms.at(item)->leadership()->stop_token().stop_requested();
    }
    /// How often work has begun.
    int begun() const { return book_->times; }
    int begun(const std::string& item) const {
        const auto times = book_->times_of.find(item);
        return times == book_->times_of.end() ? 0 : times->second;
    }
    void end_work(const std::string& item) { const auto last = book_->terms.extract(item); }
    /// Ends all work that was asked to stop.
    void end_stopped_work() {
        for (auto next = book_->terms.begin(); next != book_->terms.end();) {
            const auto term = next++;
            if (term->second->leadership()->stop_token().stop_requested()) end_work(term->first);
        }
    }
    void end_all_work() { const auto last = std::exchange(book_->terms, {}); }
    /// The errors that were reported.
    std::vector<error_code> failures() {
        world_.surroundings().handlers.restart();
        world_.surroundings().handlers.poll();
        std::vector<error_code> codes;
        for (const auto& failure : book_->failures) {
            try {
                std::rethrow_exception(failure);
            } catch (const boost::system::system_error& e) {
                codes.push_back(e.code());
            }
        }
        return codes;
    }
    /// Called when work begins.
    void on_begin(std::function<void(const std::string& item, const Lease& lease)> listener) {
        book_->listener = std::move(listener);
    }
    const std::vector<std::string>& wrong() const { return book_->wrong; }

private:
    struct Book {
        Terms terms;
        int times = 0;
        std::map<std::string, int> times_of;
        std::vector<std::exception_ptr> failures;
        std::vector<std::string> wrong;
        std::function<void(const std::string&, const Lease&)> listener = [](const auto&, const auto&) {};

        void begin(const std::string& item, std::shared_ptr<LeaderTerm> term) {
            if (!term->begin()) return;
            if (!terms.emplace(item, term).second) wrong.push_back("the work on " + item + " was begun twice");
            ++times;
            ++times_of[item];
            listener(item, *term->leadership());
        }
    };
    FakeWorld& world_;
    std::shared_ptr<Book> book_ = std::make_shared<Book>();
    FailureReportsPtr reports_;

public:
    const std::shared_ptr<PartitionCore> core;
};

} // namespace docent::detail
