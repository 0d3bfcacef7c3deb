// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace docent::detail {

/// Objects that several objects of one client share by name. Each exists as long as somebody owns it. May be called from any
/// thread.
class SharedObjects {
public:
    /// The object with this name; `make()` makes it if there is none. All uses of a name must have the same type.
    template <typename Object, typename Make> std::shared_ptr<Object> get(const std::string& name, Make make) {
        const std::lock_guard lock(mutex_);
        if (const auto found = objects_.find(name); found != objects_.end()) {
            if (auto object = std::static_pointer_cast<Object>(found->second.lock())) return object;
        }
        if (objects_.size() >= purge_at_) {
            std::erase_if(objects_, [](const auto& entry) { return entry.second.expired(); });
            purge_at_ = std::max<std::size_t>(64, 2 * objects_.size());
        }
        std::shared_ptr<Object> object = make();
        objects_.insert_or_assign(name, object);
        return object;
    }

private:
    std::mutex mutex_;
    std::map<std::string, std::weak_ptr<void>> objects_;
    std::size_t purge_at_ = 64;
};

} // namespace docent::detail
