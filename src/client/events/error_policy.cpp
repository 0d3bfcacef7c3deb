// SPDX-License-Identifier: Apache-2.0
#include <docent/error_policy.hpp>

namespace docent {
namespace {

class SessionPolicy final : public ErrorPolicy {
public:
    bool ends_holding(SessionState state) const override {
        return state == SessionState::lost || state == SessionState::closed;
    }
};

class StandardPolicy final : public ErrorPolicy {
public:
    bool ends_holding(SessionState state) const override {
        return state == SessionState::suspended || state == SessionState::lost || state == SessionState::closed;
    }
};

} // namespace

std::shared_ptr<const ErrorPolicy> ErrorPolicy::session() {
    static const auto policy = std::make_shared<const SessionPolicy>();
    return policy;
}

std::shared_ptr<const ErrorPolicy> ErrorPolicy::standard() {
    static const auto policy = std::make_shared<const StandardPolicy>();
    return policy;
}

} // namespace docent
