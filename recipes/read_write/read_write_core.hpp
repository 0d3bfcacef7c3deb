// SPDX-License-Identifier: Apache-2.0
#pragma once

// The two sides of a read/write lock. Each knows the other.

#include "client/core/connected_operation.hpp"
#include "lease/lease_core.hpp"
#include "mutex/mutex_core.hpp"

#include <docent/recipes/lease.hpp>

#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace docent::detail {

/// One side. Nodes are `<path>/_c_<uuid>-__WRIT__<ten digits>` and `<path>/_c_<uuid>-__READ__<ten digits>`.
class SideCore final : public MutexCore {
public:
    /// `writer`: the other side of the readers; null for the writers.
    SideCore(std::shared_ptr<ClientView> view, QueuePlace place, BootNow boot_now, std::shared_ptr<SideCore> writer = nullptr)
        : MutexCore(std::move(view), std::move(place), std::move(boot_now)), writer_(std::move(writer)) {}

    Sibling sibling() const override;

    /// For the writers. Call it once, before any other thread knows this object.
    void set_reader(const std::shared_ptr<SideCore>& reader) { reader_ = reader; }

private:
    const std::shared_ptr<SideCore> writer_;
    std::weak_ptr<SideCore> reader_;
};

struct ReadWriteCores {
    std::shared_ptr<SideCore> write;
    std::shared_ptr<SideCore> read;
};
ReadWriteCores make_read_write(std::shared_ptr<ClientView> view, std::string path,
                               const BootNow& boot_now = &session::BootClock::now, LeaseTerms terms = {},
                               OtherNamesPtr others = nullptr);

/// Whether the write lock stays when its owner has got the read lock.
enum class WriteLease { stays, is_released };

/// Makes a read node with the number of a write node that is held. It has the write node's place, so its owner reads at once,
/// and keeps reading, ahead of waiting writers, when the write node goes. The server makes the read node only if the write node
/// exists at that moment: another client may have deleted it and let the next writer in.
class DowngradeOperation final : public ConnectedOperation<Lease> {
public:
    DowngradeOperation(std::shared_ptr<ClientView> view, std::shared_ptr<LeaseCore> write, WriteLease then, Done<Lease> done);

    void begin() override;
    void abort(error_code ec) override { complete(ec); }
    Awaited awaited() const override { return Awaited::turn; }
    bool may_have_effects() const override { return false; } // an abort removes the read node

private:
    using Step = void (DowngradeOperation::*)();
    std::function<void()> while_owned(Step next);
    void send();
    void look();
    void again(error_code ec);
    void succeed(const Stat& stat);
    void complete(error_code ec, Lease lease = {});

    std::shared_ptr<LeaseCore> write_;
    WriteLease then_;
    std::optional<RetryBudget> budget_;
    Step next_ = nullptr; // when connected
    std::string guid_;
    std::string path_; // of the read node, which may exist if `sent_`
    Registration write_over_;
};

/// Makes a read lease beside this write lease, which then stays or is released.
void initiate_beside(const std::shared_ptr<LeaseCore>& write, WriteLease then, CallOptions call, Handler<Lease> handler);

} // namespace docent::detail
