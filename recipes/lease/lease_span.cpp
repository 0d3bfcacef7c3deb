// SPDX-License-Identifier: Apache-2.0
#include "lease/lease_span.hpp"

#include <docent/tracing/tracer.hpp>

#include <utility>

namespace docent {

std::string_view to_string(LeaseKind kind) noexcept {
    switch (kind) {
    case LeaseKind::mutex: return "mutex";
    case LeaseKind::read: return "read";
    case LeaseKind::write: return "write";
    case LeaseKind::permit: return "permit";
    case LeaseKind::leadership: return "leadership";
    }
    return "unknown";
}

std::string_view to_string(LeaseEvent event) noexcept {
    switch (event) {
    case LeaseEvent::requested: return "requested";
    case LeaseEvent::granted: return "granted";
    case LeaseEvent::refused: return "refused";
    case LeaseEvent::revocation_request: return "revocation_request";
    case LeaseEvent::released: return "released";
    case LeaseEvent::lost: return "lost";
    case LeaseEvent::expired: return "expired";
    }
    return "unknown";
}

namespace detail {

LeaseKind kind_of(const QueueToken& token) noexcept {
    if (token == read_token) return LeaseKind::read;
    return token == write_token ? LeaseKind::write : LeaseKind::mutex;
}

std::shared_ptr<LeaseSpan> LeaseSpan::begin(const std::shared_ptr<ClientView>& view, LeaseKind kind, const std::string& path,
                                            const LeaseTerms& terms, const BootNow& now) {
    if (!view->config().tracer) return nullptr;
    auto span = std::make_shared<LeaseSpan>(view, kind, path, terms, now);
    span->tell({.event = LeaseEvent::requested});
    return span;
}

std::shared_ptr<LeaseSpan> LeaseSpan::follow(const std::shared_ptr<LeaseSpan>& span, LeaseKind kind) {
    if (!span) return nullptr;
    return begin(span->view_, kind, span->path_, span->terms_, span->now_);
}

LeaseSpan::LeaseSpan(std::shared_ptr<ClientView> view, LeaseKind kind, std::string path, LeaseTerms terms, BootNow now)
    : view_(without_observation(std::move(view))), kind_(kind), path_(std::move(path)), terms_(std::move(terms)),
      now_(std::move(now)), requested_(now_()) {}

void LeaseSpan::on_granted() {
    granted_ = now_();
    tell({.event = LeaseEvent::granted, .waited = granted_ - requested_});
}

void LeaseSpan::on_refused(error_code ec) {
    tell({.event = LeaseEvent::refused, .waited = now_() - requested_, .ec = ec});
}

void LeaseSpan::on_revocation_request() {
    if (std::exchange(asked_for_, true)) return;
    tell({.event = LeaseEvent::revocation_request, .held = now_() - granted_});
}

void LeaseSpan::on_over(LeaseState how, std::chrono::nanoseconds margin) {
    const auto event = how == LeaseState::expired ? LeaseEvent::expired : LeaseEvent::released;
    if (how != LeaseState::released) margin = margin.zero();
    tell({.event = event, .held = now_() - granted_, .margin = margin});
}

void LeaseSpan::on_lost(error_code why, Hold::Time when) {
    tell({.event = LeaseEvent::lost, .held = when - granted_, .ec = why});
}

void LeaseSpan::tell(LeaseTrace trace) {
    trace.kind = kind_;
    view_->call_user([tracer = view_->config().tracer, label = terms_.label, path = path_, trace]() mutable {
        trace.label = label;
        trace.path = path;
        tracer->on_lease(trace);
    });
}

} // namespace detail
} // namespace docent
