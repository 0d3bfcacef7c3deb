// SPDX-License-Identifier: Apache-2.0
#include <docent/recipes/once_per_period.hpp>

#include "client/core/access.hpp"
#include "client/core/blocking.hpp"
#include "client/core/launch.hpp"
#include "client/operations/sequence_operation.hpp"
#include "client/transaction/transaction_operation.hpp"
#include "jobs/begin_operation.hpp"

#include <docent/path.hpp>
#include <docent/recipes/lease.hpp>

namespace docent {
namespace detail {
asio::any_io_executor executor_of(const PeriodCore& core) {
    return core.view()->executor();
}

JobHolder job_holder(const Lease& lease) {
    return {Transaction().guard(lease), lease.data()};
}

void initiate_begin_job(const std::shared_ptr<PeriodCore>& core, JobHolder holder, CallOptions call,
                        Handler<JobStart> handler) {
    const auto make = [&](const std::shared_ptr<ClientView>& view, Done<JobStart> done) {
        return std::make_shared<BeginJobOperation>(view, core, std::move(holder), std::move(done));
    };
    launch<JobStart>(core->view(), {"begin_job", core->record_path()}, std::move(call), std::move(handler), make);
}

void initiate_complete_job(const std::shared_ptr<PeriodCore>& core, JobHolder holder, JobStart start, CallOptions call,
                           Handler<> handler) {
    const auto make = [&](const std::shared_ptr<ClientView>& view, Done<> done) -> std::shared_ptr<Operation> {
        if (start.version < 0)
            return std::make_shared<Refusal>([done = std::move(done)] { done(server_error::bad_arguments); });
        Transaction transaction = std::move(holder.guarded);
        const std::string record = format_record({start.now, std::move(holder.who)});
        transaction.set_data(core->record_path(), record, start.version, Compression::none).exactly_once(core->record_path());
        return std::make_shared<TransactionOperation>(
            view, std::move(transaction), [view, core, done = std::move(done)](error_code ec, const TransactionResult&) {
                view->kept<MarkerPool>().clear(*view, core->record_path()); // the next run is a period away
                done(ec);
            });
    };
    launch<>(core->view(), {"complete_job", core->record_path()}, std::move(call), std::move(handler), make);
}

} // namespace detail

OncePerPeriod::OncePerPeriod(Client& client, std::string_view lock_path, std::chrono::milliseconds period) {
    if (const error_code ec = check_path(lock_path)) {
        throw Error(ec, "once per period " + std::string(lock_path) + ": " + explain_path(lock_path));
    }
    const std::string job = "once per period " + std::string(lock_path);
    if (lock_path == "/") throw Error(server_error::bad_arguments, job + ": the root has no room for a record beside it");
    if (period <= std::chrono::milliseconds(0)) throw Error(server_error::bad_arguments, job + ": the period must be positive");
    core_ = std::make_shared<detail::PeriodCore>(detail::Access::open_view(client, "once per period"),
                                                 detail::record_path_of(lock_path), period);
}

OncePerPeriod::OncePerPeriod(detail::SameObject, const OncePerPeriod& other) {
    core_ = other.core_;
}

OncePerPeriod::~OncePerPeriod() = default;

const std::string& OncePerPeriod::record_path() const noexcept {
    return core_->record_path();
}

JobStart OncePerPeriod::begin(const Lease& lease, error_code& ec, CallOptions call) {
    return detail::block<JobStart>(*core_->view(), std::move(call), ec, detail::initiate_begin_job, core_,
                                   detail::job_holder(lease));
}

JobStart OncePerPeriod::begin(const Lease& lease, CallOptions call) {
    return detail::throwing("begin a run of", core_->record_path(),
                            [&](error_code& ec) { return begin(lease, ec, std::move(call)); });
}

void OncePerPeriod::complete(const Lease& lease, const JobStart& start, error_code& ec, CallOptions call) {
    detail::block<>(*core_->view(), std::move(call), ec, detail::initiate_complete_job, core_, detail::job_holder(lease),
                    start);
}

void OncePerPeriod::complete(const Lease& lease, const JobStart& start, CallOptions call) {
    detail::throwing("complete a run of", core_->record_path(),
                     [&](error_code& ec) { complete(lease, start, ec, std::move(call)); });
}

} // namespace docent
