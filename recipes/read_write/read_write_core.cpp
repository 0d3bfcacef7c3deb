// SPDX-License-Identifier: Apache-2.0

#include "read_write/read_write_core.hpp"
#include "base/protection.hpp"
#include "base/while_alive.hpp"
#include "client/core/completion/completion.hpp"
#include "client/core/launch.hpp"
#include "lease/node_lease.hpp"
#include "names/node_name.hpp"

#include <docent/path.hpp>
#include <docent/recipes/inter_process_read_write_lock.hpp>

#include <utility>

namespace docent::detail {

Sibling SideCore::sibling() const {
    const auto other = writer_ ? writer_ : reader_.lock();
    switch (other ? other->holds().held() : ThreadHolds::Ownership::nothing) {
    case ThreadHolds::Ownership::nothing: return {};
    case ThreadHolds::Ownership::lost: return {Sibling::Kind::lost};
    case ThreadHolds::Ownership::surely: break;
    }
    if (!writer_) return {Sibling::Kind::in_the_way};
    return {Sibling::Kind::lets_in, [write = writer_->holds().lease()](CallOptions call, Handler<Lease> handler) {
                initiate_beside(write, WriteLease::stays, std::move(call), std::move(handler));
            }};
}

ReadWriteCores make_read_write(std::shared_ptr<ClientView> view, std::string path, const BootNow& boot_now, LeaseTerms terms,
                               OtherNamesPtr others) {
    QueuePlace write{std::move(path), read_write_names().beside(std::move(others)), write_token, Deletion::list_again,
                     std::move(terms)};
    QueuePlace read = write;
    read.token = read_token;
    read.last_writer = Deletion::admits;
    ReadWriteCores cores;
    cores.write = std::make_shared<SideCore>(view, std::move(write), boot_now);
    cores.read = std::make_shared<SideCore>(std::move(view), std::move(read), boot_now, cores.write);
    cores.write->set_reader(cores.read);
    return cores;
}

// ---- a read lease beside a write lease

namespace {

/// The path of the read node beside a write node, without protection; nothing for nodes of other recipes.
std::optional<std::string> read_path_beside(const std::string& write_path) {
    const std::string_view name = node_name(write_path);
    const auto write = parse_node_name(QueueNames(write_token), name);
    if (!write || !is_usable(write->number)) return std::nullopt;
    return join_path(parent_path(write_path), std::string(read_token.text).append(number_text(name)));
}

} // namespace

DowngradeOperation::DowngradeOperation(std::shared_ptr<ClientView> view, std::shared_ptr<LeaseCore> write, WriteLease then,
                                       Done<Lease> done)
    : ConnectedOperation(std::move(view), std::move(done)), write_(std::move(write)), then_(then) {}

void DowngradeOperation::begin() {
    const auto path = read_path_beside(write_->path());
    if (!path) return complete(server_error::bad_arguments);
    guid_ = view_->new_marked_guid();
    path_ = protected_path(*path, guid_);
    budget_.emplace(view_->retry_policy(), view_->now());
    write_->share_node_no_more(); // the next hold in the node would write while this one reads
    // When the write lease ends, no read node may be made in another session.
    write_over_ = write_->when_over(while_alive(weak_from_this(), [this](error_code) { abort(error::lease_lost); }));
    if (is_open()) when_connected(while_owned(&DowngradeOperation::send));
}

std::function<void()> DowngradeOperation::while_owned(Step next) {
    next_ = next;
    return [this] {
        if (!write_->owns() || view_->session().epoch != write_->epoch()) return complete(error::lease_lost);
        (this->*next_)();
    };
}

void DowngradeOperation::send() {
    sent_ = true;
    // The set is there for its Stat: a multi returns no Stat for a create.
    const std::string& data = write_->node().encoded_data;
    zk::MultiRequest request{{zk::CheckRequest{write_->path()},
                              zk::CreateRequest{.path = path_, .data = data, .mode = CreateMode::ephemeral},
                              zk::SetRequest{path_, data}}};
    ask(std::move(request), [this](const zk::Reply& reply) {
        if (!reply.ec) return succeed(*reply.results.back().stat);
        if (reply.ec == error::not_connected) return when_connected(while_owned(&DowngradeOperation::send));
        if (reply.ec == server_error::node_exists) return look(); // an earlier attempt has made it, and its reply was lost
        if (is_lost(reply.ec)) return again(reply.ec);
        complete(reply.ec == server_error::no_node ? make_error_code(error::lease_lost) : reply.ec);
    });
}

void DowngradeOperation::look() {
    // With a sync, because a server that lags behind may not have the node yet.
    ask_synced(zk::ExistsRequest{path_}, [this](const zk::Reply& reply) {
        if (!reply.ec) return succeed(reply.stat);
        if (reply.ec == server_error::no_node) return when_connected(while_owned(&DowngradeOperation::send));
        if (is_lost(reply.ec)) return again(reply.ec);
        complete(reply.ec);
    });
}

/// Finds out whether the read node was made.
void DowngradeOperation::again(error_code ec) {
    const auto pause = budget_->next(ec, view_->now(), view_->random());
    if (!pause) return complete(ec);
    after_pause(*pause, while_owned(&DowngradeOperation::look));
}

void DowngradeOperation::succeed(const Stat& stat) {
    if (!write_->owns()) return complete(error::lease_lost);
    write_over_.reset();
    const auto until = then_ == WriteLease::is_released ? write_->release_later() : write_->held_until();
    if (!until) return complete(error::lease_lost); // lost a moment ago
    auto read = NodeLease::make(view_,
                                {.path = path_,
                                 .czxid = stat.czxid,
                                 .epoch = write_->epoch(),
                                 .token = write_->fencing_token(), // writers that wait already have higher tokens
                                 .data = write_->node().encoded_data,
                                 .held_until = *until}, // the hold continues
                                write_->boot_now());
    conclude(LeaseSpan::follow(write_->span(), LeaseKind::read), {}, read.get());
    sent_ = false; // the lease removes the node
    complete({}, Lease(std::move(read)));
}

void DowngradeOperation::complete(error_code ec, Lease lease) {
    const auto over = std::move(write_over_); // may own this object
    if (std::exchange(sent_, false)) {
        view_->remove_in_background({std::string(parent_path(path_)), guid_}, nullptr);
    }
    finish(ec, std::move(lease));
}

void initiate_beside(const std::shared_ptr<LeaseCore>& write, WriteLease then, CallOptions call, Handler<Lease> handler) {
    if (!write) return complete_empty<Lease>(std::move(handler), error::lease_lost);
    launch_made<DowngradeOperation>(write->view(), {"downgrade", write->path()}, std::move(call), std::move(handler), write,
                                    then);
}

void initiate_downgrade(const std::shared_ptr<LeaseCore>& write, CallOptions call, Handler<Lease> handler) {
    initiate_beside(write, WriteLease::is_released, std::move(call), std::move(handler));
}

} // namespace docent::detail

namespace docent {

struct InterProcessReadWriteLock::Sides {
    detail::ReadWriteCores cores;
};

InterProcessReadWriteLock::InterProcessReadWriteLock(Client& client, std::string_view path, LockOptions options)
    : InterProcessReadWriteLock([&] {
          auto [view, lock_path, terms, others] = detail::check_lock(client, "read/write lock", path, std::move(options));
          return Sides{detail::make_read_write(std::move(view), std::move(lock_path), &session::BootClock::now,
                                               std::move(terms), std::move(others))};
      }()) {}

InterProcessReadWriteLock::InterProcessReadWriteLock(Sides sides)
    : write_(std::move(sides.cores.write)), read_(std::move(sides.cores.read)) {}

const std::string& InterProcessReadWriteLock::path() const noexcept {
    return write_.path();
}

} // namespace docent
