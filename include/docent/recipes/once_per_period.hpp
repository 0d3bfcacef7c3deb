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

/// A time on the servers' clock: that of the leader, which gives all changes their times.
using ServerTime = std::chrono::sys_time<std::chrono::milliseconds>;

/// A run of a job that was completed.
struct JobRun {
    ServerTime began;     ///< When complete()'s begin() was answered.
    std::string who = {}; ///< The data of the lease's node: LockOptions::node_data.
    friend bool operator==(const JobRun&, const JobRun&) = default;
};

/// What begin() has found.
struct JobStart {
    bool due = false;                ///< Whether the job is to be run now.
    ServerTime now = {};             ///< When it was asked.
    std::optional<JobRun> last = {}; ///< The last run that was completed.
    std::int32_t version = -1;       ///< Of the record, for complete().
    friend bool operator==(const JobStart&, const JobStart&) = default;
};

namespace detail {
class PeriodCore;
/// Who asks: the lease as a guard for transactions, and the data of its node.
struct JobHolder {
    Transaction guarded;
    std::string who;
};
DOCENT_EXPORT JobHolder job_holder(const Lease& lease);
DOCENT_EXPORT asio::any_io_executor executor_of(const PeriodCore& core);
DOCENT_EXPORT void initiate_begin_job(const std::shared_ptr<PeriodCore>&, JobHolder, CallOptions, Handler<JobStart>);
DOCENT_EXPORT void initiate_complete_job(const std::shared_ptr<PeriodCore>&, JobHolder, JobStart, CallOptions, Handler<>);

template <typename Base, typename Default> class AsyncOncePerPeriod : public Base {
public:
    using Base::Base;
    AsyncOncePerPeriod() = default;
    explicit AsyncOncePerPeriod(Base&& base) : Base(SameObject{}, base) {}

    /// As OncePerPeriod::begin(). The lease may move or go meanwhile.
    /// Completion signature: `void(error_code, JobStart)`. Cancellation: as Client::async_commit().
    template <asio::completion_token_for<void(error_code, JobStart)> Token = Default>
    auto async_begin(const Lease& lease, Token&& token = Token{}) {
        return async_begin(lease, CallOptions{}, std::forward<Token>(token));
    }
    template <asio::completion_token_for<void(error_code, JobStart)> Token = Default>
    auto async_begin(const Lease& lease, CallOptions call, Token&& token = Token{}) {
        return detail::initiate<JobStart>(&detail::initiate_begin_job, token, this->core_, detail::job_holder(lease),
                                          std::move(call));
    }

    /// As OncePerPeriod::complete().
    /// Completion signature: `void(error_code)`. Cancellation: as Client::async_commit().
    template <asio::completion_token_for<void(error_code)> Token = Default>
    auto async_complete(const Lease& lease, const JobStart& start, Token&& token = Token{}) {
        return async_complete(lease, start, CallOptions{}, std::forward<Token>(token));
    }
    template <asio::completion_token_for<void(error_code)> Token = Default>
    auto async_complete(const Lease& lease, const JobStart& start, CallOptions call, Token&& token = Token{}) {
        return detail::initiate<>(&detail::initiate_complete_job, token, this->core_, detail::job_holder(lease), start,
                                  std::move(call));
    }
};
} // namespace detail

/// Lets a job that many machines start run once in each period: who holds its lock asks begin() whether it is due, and says
/// complete() when it has been done. A run that failed or was cut off does not count, as nobody says complete() for it.
///
/// What was done when is kept in the node `<path of the lock>.last-run`, which is persistent and stays: its data are the
/// milliseconds since 1970 at which the last completed run began, a blank, and who did it. Both calls write it in a
/// transaction that is guarded by the lease, and all times in it are the servers': no machine's own clock counts. Times
/// of the run's beginning are compared, so that a job that once took longer is not late ever after. Take a period that is a
/// little shorter than the one in which the job is started, such as 23 h for what is started every night.
///
/// Thread safety: all members from any thread.
class DOCENT_EXPORT OncePerPeriod : public detail::AsyncOncePerPeriod<detail::Holder<detail::PeriodCore>, asio::deferred_t> {
public:
    /// `lock_path` is what the leases are for. Errors: throws `error::invalid_path`; `server_error::bad_arguments` (no lock
    /// has this path, or the period is not longer than 0). Nothing is sent.
    OncePerPeriod(Client& client, std::string_view lock_path, std::chrono::milliseconds period);
    OncePerPeriod(const OncePerPeriod&) = delete;
    OncePerPeriod& operator=(const OncePerPeriod&) = delete;
    ~OncePerPeriod();

    const std::string& record_path() const noexcept;

    /// Asks whether the job is due: at least a period has passed on the servers' clock since the last completed run began, or
    /// there was none. Makes the record when it is missing (parents as `ClientConfig::own_parents`). Two round trips, as only a
    /// change tells the servers' time. After a lost reply it asks again, which changes nothing.
    /// Errors: `error::lease_lost`; `error::corrupt_data` (the node at record_path() is no record); those of Client::commit.
    JobStart begin(const Lease& lease, CallOptions call = {});
    JobStart begin(const Lease& lease, error_code& ec, CallOptions call = {});

    /// Records that the run which `start` began is done: one round trip. A lost reply is resolved.
    /// Errors: `error::lease_lost` (it counts as not done; somebody else may run the job already); `bad_version` (somebody
    /// else has changed the record meanwhile); `bad_arguments` (`start` does not come from begin()); those of Client::commit,
    /// among them one that equals `condition::outcome_unknown`.
    void complete(const Lease& lease, const JobStart& start, CallOptions call = {});
    void complete(const Lease& lease, const JobStart& start, error_code& ec, CallOptions call = {});

    /// For `as_default_on()`: see Client.
    template <detail::ReboundExecutor Executor> struct rebind_executor {
        using other = detail::Rebound<detail::AsyncOncePerPeriod<OncePerPeriod, detail::DefaultToken<Executor>>, Executor>;
    };

protected:
    OncePerPeriod(detail::SameObject, const OncePerPeriod& other);

private:
    friend struct detail::Access;
};

} // namespace docent
