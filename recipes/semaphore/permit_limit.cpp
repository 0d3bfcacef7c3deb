// SPDX-License-Identifier: Apache-2.0
#include "semaphore/permit_limit.hpp"

#include "client/events/user_listener.hpp"
#include "shared/number_bytes.hpp"

#include <utility>

namespace docent::detail {
namespace {

class FixedLimit final : public PermitLimit {
public:
    explicit FixedLimit(std::int32_t limit) : limit_(limit) {}

    std::int32_t now(error_code&) const override { return limit_; }
    bool is_fixed() const override { return true; }
    Registration follow(const ClientView&, std::function<void(std::int32_t)>) const override { return nullptr; }

private:
    std::int32_t limit_;
};

class SharedLimit final : public PermitLimit {
public:
    explicit SharedLimit(std::shared_ptr<SharedValueCore> count) : count_(std::move(count)) {}

    std::int32_t now(error_code& ec) const override {
        const VersionedValue value = count_->value();
        const auto limit = decode_count(value.value);
        if (value.version < 0 && !count_->was_started()) ec = error::not_started;
        else if (value.version < 0) ec = server_error::invalid_state;
        else if (!limit) ec = error::corrupt_data;
        return ec ? 0 : *limit;
    }
    bool is_fixed() const override { return false; }
    Registration follow(const ClientView& view, std::function<void(std::int32_t)> listener) const override {
        // The listener also gets the present value: it may have changed since now() was called.
        const auto listen = [count = count_](std::function<void(const VersionedValue&)> function) {
            auto registration = count->listen(function, SharedValueCore::Hears::first_value_too);
            function(count->value());
            return registration;
        };
        return listen_on<VersionedValue>(view.strand(), count_->view(), listen,
                                         [listener = std::move(listener)](const VersionedValue& value) {
                                             if (const auto limit = decode_count(value.value)) listener(*limit);
                                         });
    }

private:
    std::shared_ptr<SharedValueCore> count_;
};

} // namespace

std::shared_ptr<const PermitLimit> fixed_limit(std::int32_t limit) {
    return std::make_shared<FixedLimit>(limit);
}

std::shared_ptr<const PermitLimit> shared_limit(std::shared_ptr<SharedValueCore> count) {
    return std::make_shared<SharedLimit>(std::move(count));
}

} // namespace docent::detail
