// SPDX-License-Identifier: Apache-2.0

#include "jobs/begin_operation.hpp"
#include "client/operations/create_operation.hpp"
#include "client/transaction/transaction_operation.hpp"

#include <charconv>
#include <cstdint>
#include <system_error>

namespace docent::detail {

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

// More reads are not needed in practice: each follows a lost reply, or a removal of the record by another client.
constexpr int most_reads_of_a_record = 10;

} // namespace

BeginJobOperation::BeginJobOperation(std::shared_ptr<ClientView> view, std::shared_ptr<PeriodCore> core, JobHolder holder,
                                     Done<JobStart> done)
    : SequenceOperation(std::move(done)), view_(std::move(view)), core_(std::move(core)), holder_(std::move(holder)) {}

std::shared_ptr<Operation> BeginJobOperation::first() {
    reading_ = std::make_shared<RequestOperation>(
        view_, zk::GetRequest{core_->record_path()},
        [self = self<BeginJobOperation>()](error_code ec, const zk::Reply& reply) { self->on_read(ec, reply); }, budget_);
    return reading_;
}

void BeginJobOperation::read_again() {
    continue_with(first());
}

void BeginJobOperation::on_read(error_code ec, const zk::Reply& reply) {
    if (const auto reading = std::exchange(reading_, nullptr)) budget_ = reading->budget();
    if (++rounds_ > most_reads_of_a_record) return finish(ec ? ec : make_error_code(server_error::bad_version), {});
    if (ec == server_error::no_node) return create();
    if (ec) return finish(ec, {});
    ParsedRecord record = parse_record(reply.data);
    if (!record.valid) return finish(error::corrupt_data, {});
    start_.last = std::move(record.last);
    touch(reply.data, reply.stat.version);
}

void BeginJobOperation::create() {
    zk::CreateRequest request{core_->record_path()};
    CreateOptions options{.parents = view_->config().own_parents};
    continue_with(std::make_shared<CreateOperation>(view_, std::move(request), std::move(options),
                                                    [self = self<BeginJobOperation>()](error_code ec, const Created&) {
                                                        if (!ec || ec == server_error::node_exists) self->read_again();
                                                        else self->finish(ec, {});
                                                    }));
}

void BeginJobOperation::touch(const std::string& data, std::int32_t version) {
    Transaction transaction = holder_.guarded;
    transaction.set_data(core_->record_path(), data, version, Compression::none);
    continue_with(std::make_shared<TransactionOperation>(
        view_, std::move(transaction),
        [self = self<BeginJobOperation>()](error_code ec, const TransactionResult& result) { self->on_touched(ec, result); }));
}

void BeginJobOperation::on_touched(error_code ec, const TransactionResult& result) {
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

} // namespace docent::detail
