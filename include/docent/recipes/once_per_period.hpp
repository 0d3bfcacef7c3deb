// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/call_options.hpp>
#include <docent/detail/rebind.hpp>
#include <docent/export.hpp>
#include <docent/transaction.hpp>

#include <boost/asio/any_io_executor.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace docent {

class Client;
class Lease;

/// A time on the clock of the servers' leader, which dates all changes.
/// @ingroup locks
using ServerTime = std::chrono::sys_time<std::chrono::milliseconds>;

/// A completed run of a job.
/// @ingroup locks
struct JobRun {
    /// When OncePerPeriod::begin() of that run was answered.
    ServerTime began;
    /// The data of the lease's node, see LockOptions::node_data.
    std::string who = {};
    /// Whether all members are equal.
    friend bool operator==(const JobRun&, const JobRun&) = default;
};

/// The answer of OncePerPeriod::begin().
/// @ingroup locks
struct JobStart {
    /// Whether the job is to be run now.
    bool due = false;
    /// The time of the question.
    ServerTime now = {};
    /// The last completed run, if there was any.
    std::optional<JobRun> last = {};
    /// The version of the record, for OncePerPeriod::complete().
    std::int32_t version = -1;
    /// Whether all members are equal.
    friend bool operator==(const JobStart&, const JobStart&) = default;
};

namespace detail {
class PeriodCore;
/// The holder of the job's lock: a transaction with the lease as its guard, and the data of the
/// lease's node.
struct JobHolder {
    Transaction guarded;
    std::string who;
};
DOCENT_EXPORT JobHolder job_holder(const Lease& lease);
DOCENT_EXPORT asio::any_io_executor executor_of(const PeriodCore& core);
DOCENT_EXPORT void initiate_begin_job(const std::shared_ptr<PeriodCore>&, JobHolder, CallOptions, Handler<JobStart>);
DOCENT_EXPORT void initiate_complete_job(const std::shared_ptr<PeriodCore>&, JobHolder, JobStart, CallOptions, Handler<>);

/// The asynchronous operations of OncePerPeriod.
///
/// Lifetime: object and lease may be moved or destroyed before an operation completes.
/// @ingroup locks
template <typename Base, typename Default> class AsyncOncePerPeriod : public AsyncOf<Base> {
public:
    using AsyncOf<Base>::AsyncOf;

    /// Asks whether the job is due, as OncePerPeriod::begin() does.
    ///
    /// Completion signature: `void(error_code, JobStart)`. Cancellation: as Client::async_commit().
    template <asio::completion_token_for<void(error_code, JobStart)> Token = Default>
    auto async_begin(const Lease& lease, Token&& token = Token{}) {
        return async_begin(lease, CallOptions{}, std::forward<Token>(token));
    }
    /// As above, with options for this call.
    template <asio::completion_token_for<void(error_code, JobStart)> Token = Default>
    auto async_begin(const Lease& lease, CallOptions call, Token&& token = Token{}) {
        return detail::initiate<JobStart>(&detail::initiate_begin_job, token, this->core_, detail::job_holder(lease),
                                          std::move(call));
    }

    /// Records a completed run, as OncePerPeriod::complete() does.
    ///
    /// Completion signature: `void(error_code)`. Cancellation: as Client::async_commit().
    template <asio::completion_token_for<void(error_code)> Token = Default>
    auto async_complete(const Lease& lease, const JobStart& start, Token&& token = Token{}) {
        return async_complete(lease, start, CallOptions{}, std::forward<Token>(token));
    }
    /// As above, with options for this call.
    template <asio::completion_token_for<void(error_code)> Token = Default>
    auto async_complete(const Lease& lease, const JobStart& start, CallOptions call, Token&& token = Token{}) {
        return detail::initiate<>(&detail::initiate_complete_job, token, this->core_, detail::job_holder(lease), start,
                                  std::move(call));
    }
};
} // namespace detail

/// Runs a job once in each period, although many machines start it.
///
/// ```cpp
/// docent::Lease lease = docent::InterProcessMutex(client, "/jobs/report").acquire();
/// docent::OncePerPeriod nightly{client, "/jobs/report", 12h};
/// const docent::JobStart start = nightly.begin(lease);
/// if (start.due) { /* the job */ }
/// if (start.due) nightly.complete(lease, start);
/// ```
///
/// The holder of the job's lock asks begin() whether the job is due, runs it, and calls complete().
/// A failed or interrupted run does not count, because complete() is missing.
///
/// The record of the last run is the persistent node `<path of the lock>.last-run`. Its data are
/// the milliseconds since 1970 at which the last completed run began, a blank, and the data of that
/// lease. Both calls write the record in a transaction that the lease guards. All times are those
/// of the servers, so the clocks of the machines do not matter.
///
/// The period is counted from the beginning of the last completed run. So a run that takes long
/// does not delay the following runs. Take a period of about half of the interval of the starts, for
/// example 12 h for a nightly job: then neither a run that was repeated by hand nor the change to
/// summer time makes the next run skip.
///
/// Thread safety: all members may be called from any thread.
/// @ingroup locks
class DOCENT_EXPORT OncePerPeriod : public detail::BaseOf<OncePerPeriod, detail::PeriodCore, detail::AsyncOncePerPeriod> {
public:
    /// Makes the object for the job with the lock at `lock_path`, which is the path of the leases.
    /// Sends nothing.
    ///
    /// Errors: throws `error::invalid_path`, and `server_error::bad_arguments` (the path is the
    /// root, or the period is not longer than 0).
    OncePerPeriod(Client& client, std::string_view lock_path, std::chrono::milliseconds period);
    OncePerPeriod(const OncePerPeriod&) = delete;            ///< Not copyable.
    OncePerPeriod& operator=(const OncePerPeriod&) = delete; ///< Not copyable.
    /// Destroys the object. The record stays.
    ~OncePerPeriod() = default;

    /// The path of the record.
    const std::string& record_path() const noexcept;

    /// Asks whether the job is due: there was no completed run, or the last one began at least a
    /// period ago.
    ///
    /// Two round trips, because only a change tells the servers' time; four for the first run. Makes the record if it is
    /// missing, and its parents as `ClientConfig::own_parents` says. After a lost reply the client
    /// asks again, which changes nothing.
    ///
    /// Errors: `error::lease_lost`, `error::lease_released`, `error::corrupt_data` (the node at
    /// record_path() is not a record), and as Client::commit().
    JobStart begin(const Lease& lease, CallOptions call = {});
    /// As above, but sets `ec` instead of throwing.
    JobStart begin(const Lease& lease, error_code& ec, CallOptions call = {});

    /// Records that the run of `start` is completed. Two round trips: the first makes the marker of
    /// the transaction, which the client removes later in the background. A lost reply is resolved.
    ///
    /// Errors: `error::lease_lost` (the run does not count, and another machine may already run the
    /// job), `error::lease_released` (the same), `server_error::bad_version` (another client changed
    /// the record meanwhile), `server_error::no_node` (another client removed the record),
    /// `server_error::bad_arguments` (`start` is not from begin()), and as Client::commit(),
    /// also an error that equals `condition::outcome_unknown`.
    void complete(const Lease& lease, const JobStart& start, CallOptions call = {});
    /// As above, but sets `ec` instead of throwing.
    void complete(const Lease& lease, const JobStart& start, error_code& ec, CallOptions call = {});

protected:
    /// For `as_default_on()`: another object for the same state.
    OncePerPeriod(detail::SameObject same, const OncePerPeriod& other) : AsyncOncePerPeriod(same, other) {}

private:
    friend struct detail::Access;
};

} // namespace docent
