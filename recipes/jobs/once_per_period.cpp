// SPDX-License-Identifier: Apache-2.0
#include <docent/recipes/once_per_period.hpp>

#include "client/core/access.hpp"
#include "client/core/blocking.hpp"
#include "client/core/launch.hpp"
#include "client/operations/create_operation.hpp"
#include "client/operations/request_operation.hpp"
#include "client/operations/sequence_operation.hpp"
#include "client/transaction/transaction_operation.hpp"
#include "jobs/period_core.hpp"

#include <docent/recipes/lease.hpp>

#include <charconv>
#include <cstdint>
#include <optional>
#include <system_error>
#include <utility>

namespace docent {
namespace detail {

std::string record_path_of(std::string_view lock_path) {
    return std::string(lock_path) + ".last-run";
}

std::string format_record(const JobRun& run) {
    return std::to_string(run.began.time_since_epoch().count()) + ' ' + run.who;
}

ParsedRecord parse_record(std::string_view data) {
    if (data.empty()) return {};
    std::int64_t began = 0;
    const auto [end, error] = std::from_chars(data.data(), data.data() + data.size(), began);
    const auto digits = static_cast<std::size_t>(end - data.data());
    if (error != std::errc() || began < 0 || digits == data.size() || data[digits] != ' ') return {.valid = false};
    return {.last = JobRun{ServerTime(std::chrono::milliseconds(began)), std::string(data.substr(digits + 1))}};
}

bool is_due(const std::optional<JobRun>& last, ServerTime now, std::chrono::milliseconds period) {
    if (!last) return true;
    return last->began <= now ? now - last->began >= period : last->began - now >= period;
}

namespace {

/// Reads the record and writes it back unchanged. The time of this write is the servers' present time. The write succeeds only
/// if no other client has written in between and the lease is still held.
class BeginJobOperation final : public RequestSequence<JobStart> {
public:
    BeginJobOperation(std::shared_ptr<ClientView> view, std::shared_ptr<PeriodCore> core, JobHolder holder, Done<JobStart> done)
        : RequestSequence(std::move(view), std::move(done)), core_(std::move(core)), holder_(std::move(holder)) {}

private:
    std::shared_ptr<Operation> first() override {
        return request(zk::GetRequest{core_->record_path()},
                       [this](error_code ec, const zk::Reply& reply) { on_read(ec, reply); });
    }
    void read_again() { continue_with(first()); }

    void on_read(error_code ec, const zk::Reply& reply) {
        // More reads are not needed in practice: each follows a lost reply, or a removal of the record by another client.
        constexpr int most_reads = 10;
        if (++rounds_ > most_reads) return finish(ec ? ec : make_error_code(server_error::bad_version), {});
        if (ec == server_error::no_node) return create();
        if (ec) return finish(ec, {});
        ParsedRecord record = parse_record(reply.data);
        if (!record.valid) return finish(error::corrupt_data, {});
        start_.last = std::move(record.last);
        touch(reply.data, reply.stat.version);
    }
    void create() {
        zk::CreateRequest request{core_->record_path()};
        CreateOptions options{.parents = view_->config().own_parents};
        const auto on_created = [self = self<BeginJobOperation>()](error_code ec, const Created&) {
            !ec || ec == server_error::node_exists ? self->read_again() : self->finish(ec, {});
        };
        continue_with(std::make_shared<CreateOperation>(view_, std::move(request), std::move(options), on_created));
    }
    void touch(const std::string& data, std::int32_t version) {
        Transaction transaction = holder_.guarded;
        transaction.set_data(core_->record_path(), data, version, Compression::none);
        const auto on_answer = [self = self<BeginJobOperation>()](error_code ec, const TransactionResult& result) {
            self->on_touched(ec, result);
        };
        continue_with(std::make_shared<TransactionOperation>(view_, std::move(transaction), on_answer));
    }
    void on_touched(error_code ec, const TransactionResult& result) {
        // The version that was read may be old, or this call's own write, whose reply was lost, may have changed it.
        if (ec == server_error::bad_version || ec == server_error::no_node) return read_again();
        if (ec == condition::outcome_unknown) { // the read waits for a connection, so no further pause is needed
            if (!budget_ || budget_->next(ec, view_->now(), view_->random())) return read_again();
        }
        if (ec) return finish(ec, {});
        const Stat& stat = *result.operations.back().stat;
        start_.now = ServerTime(std::chrono::milliseconds(stat.mtime));
        start_.version = stat.version;
        start_.due = is_due(start_.last, start_.now, core_->period());
        finish({}, std::move(start_));
    }

    const std::shared_ptr<PeriodCore> core_;
    const JobHolder holder_;
    JobStart start_;
    int rounds_ = 0;
};

} // namespace

asio::any_io_executor executor_of(const PeriodCore& core) {
    return core.view()->executor();
}

JobHolder job_holder(const Lease& lease) {
    return {Transaction().guard(lease), lease.data()};
}

void initiate_begin_job(const std::shared_ptr<PeriodCore>& core, JobHolder holder, CallOptions call,
                        Handler<JobStart> handler) {
    launch_made<BeginJobOperation>(core->view(), {"begin_job", core->record_path()}, std::move(call), std::move(handler), core,
                                   std::move(holder));
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
                view->kept<MarkerPool>().clear(*view, core->record_path()); // of idle markers: the next run is a period away
                done(ec);
            });
    };
    launch<>(core->view(), {"complete_job", core->record_path()}, std::move(call), std::move(handler), make);
}

} // namespace detail

OncePerPeriod::OncePerPeriod(Client& client, std::string_view lock_path, std::chrono::milliseconds period) {
    detail::require_path("once per period", lock_path);
    const auto refuse = [&](std::string_view reason) {
        detail::throw_if(server_error::bad_arguments, "once per period", lock_path, reason);
    };
    if (lock_path == "/") refuse("the lock cannot be '/': its record is a node beside it");
    if (period <= std::chrono::milliseconds(0)) refuse("the period must be positive");
    core_ = std::make_shared<detail::PeriodCore>(detail::Access::open_view(client, "once per period"),
                                                 detail::record_path_of(lock_path), period);
}

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
