// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/client.hpp>
#include <docent/recipes/inspection.hpp>

#include <chrono>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <vector>

namespace docent::cli {

/// Looks at the participants of one path again and again, when a watch reports a change. A look lists the path with a watch (a
/// semaphore has three lists), and reads the nodes that earlier looks have not read. No label is read twice.
class QueueWatch {
public:
    /// All calls end early, with `operation_aborted`, when `stop` is requested.
    QueueWatch(Client& client, std::string path, InspectOptions options, std::stop_token stop);

    /// The present participants; empty if the node does not exist. Errors: those of Client::children_watched() and get().
    Inspection look(error_code& ec);

    /// Waits until a watch of the last look has fired or the session has changed its state, for `longest` at most. Returns
    /// whether that has happened.
    bool wait(std::chrono::milliseconds longest);

private:
    struct ChangeFlag {
        std::mutex mutex;
        std::condition_variable_any changed;
        bool raised = false;
        void raise();
    };
    struct Details {
        OwnedData owned;
        Stat stat;
    };

    std::vector<std::string> list(const std::string& path, bool wait_for_it, error_code& ec);
    void keep(Watch watch);
    /// Reads the details that are not known yet, all at once.
    void read_details(const Inspection& inspection, error_code& ec);

    Client& client_;
    const std::string path_;
    const InspectOptions options_;
    const std::stop_token stop_;
    const std::shared_ptr<ChangeFlag> change_ = std::make_shared<ChangeFlag>();
    const Subscription sessions_;
    std::vector<std::shared_ptr<Watch>> watches_;
    std::map<std::string, Details> known_; // by path
};

} // namespace docent::cli
