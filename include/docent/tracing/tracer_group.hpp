// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/export.hpp>
#include <docent/tracing/tracer.hpp>

#include <memory>
#include <string_view>
#include <vector>

namespace docent {

/// Forwards all calls to several tracers, one after the other: for example logs and metrics of one client.
/// ```cpp
/// std::vector<std::shared_ptr<docent::Tracer>> both;
/// both.push_back(std::make_shared<docent::Tracer>()); // in practice
/// both.push_back(std::make_shared<docent::Tracer>()); // derived classes
/// auto group = std::make_shared<docent::TracerGroup>(both);
/// docent::Client traced{{.tracer = group}};
/// ```
/// Thread safety: as the tracers.
/// @ingroup tracing
class DOCENT_EXPORT TracerGroup final : public Tracer {
public:
    /// Makes a group that calls `tracers` in this order and ignores null pointers. The group shares their ownership.
    explicit TracerGroup(std::vector<std::shared_ptr<Tracer>> tracers);

    /// Calls Tracer::on_operation of each tracer.
    void on_operation(const OperationTrace& trace) override;
    /// Calls Tracer::on_session_event of each tracer.
    void on_session_event(const SessionEvent& event) override;
    /// Calls Tracer::on_lease of each tracer.
    void on_lease(const LeaseTrace& trace) override;
    /// Calls Tracer::on_load of each tracer.
    void on_load(const ClientLoad& load) override;
    /// Calls Tracer::on_warning of each tracer.
    void on_warning(std::string_view text) override;

private:
    std::vector<std::shared_ptr<Tracer>> tracers_;
};

} // namespace docent
