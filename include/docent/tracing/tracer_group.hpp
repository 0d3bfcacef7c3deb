// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/export.hpp>
#include <docent/tracing/tracer.hpp>

#include <memory>
#include <string_view>
#include <vector>

namespace docent {

/// Tells several tracers all that it hears, one after the other: for logs and metrics of one client, say.
class DOCENT_EXPORT TracerGroup final : public Tracer {
public:
    /// In this order; null ones are left out. Each lives as long as the group.
    explicit TracerGroup(std::vector<std::shared_ptr<Tracer>> tracers);

    void on_operation(const OperationTrace& trace) override;
    void on_session_event(const SessionEvent& event) override;
    void on_lease(const LeaseTrace& trace) override;
    void on_load(const ClientLoad& load) override;
    void on_warning(std::string_view text) override;

private:
    std::vector<std::shared_ptr<Tracer>> tracers_;
};

} // namespace docent
