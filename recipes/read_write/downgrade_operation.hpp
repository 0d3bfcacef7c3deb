// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "client/create_operation.hpp"
#include "lease_core.hpp"

#include <docent/recipes/lease.hpp>

namespace docent::detail {

/// What becomes of the write lock when its owner has got the read lock.
enum class WriteLease { stays, is_released };

/// Makes a read node with the number of a write node that is held: it stands where the write node stands, so that its owner
/// reads at once, and goes on reading before the writers that wait when the write node goes (wire-format.md).
class DowngradeOperation final : public Operation {
public:
    DowngradeOperation(std::shared_ptr<LeaseCore> write, WriteLease then, BootNow boot_now, Done<Lease> done);

    void begin() override;
    void abort(error_code ec) override;
    error_code timeout_error() const override;

private:
    void on_created(error_code ec, const Created& created);
    void finish(error_code ec, Lease lease);

    std::shared_ptr<LeaseCore> write_;
    WriteLease then_;
    BootNow boot_now_;
    Done<Lease> done_;
    std::int64_t session_id_ = 0;
    std::shared_ptr<CreateOperation> creating_;
    Registration write_over_;
};

/// A read lease beside this write lease.
void start_beside(const std::shared_ptr<LeaseCore>& write, CallOptions call, Handler<Lease> handler);

} // namespace docent::detail
