// SPDX-License-Identifier: Apache-2.0
#include <docent/transaction.hpp>

#include <utility>

namespace docent {

Transaction& Transaction::create(std::string_view path, std::optional<std::string_view> data, CreateMode mode, Acl acl,
                                 Compression compression) {
    operations_.emplace_back(Create{std::string(path), std::optional<std::string>(data), mode, std::move(acl), compression});
    return *this;
}

Transaction& Transaction::set_data(std::string_view path, std::string_view data, std::int32_t version,
                                   Compression compression) {
    operations_.emplace_back(SetData{std::string(path), std::string(data), version, compression});
    return *this;
}

Transaction& Transaction::remove(std::string_view path, std::int32_t version) {
    operations_.emplace_back(Remove{std::string(path), version});
    return *this;
}

Transaction& Transaction::check(std::string_view path, std::int32_t version) {
    operations_.emplace_back(Check{std::string(path), version});
    return *this;
}

Transaction& Transaction::guard(std::string_view node_path) {
    guards_.push_back({std::string(node_path), nullptr});
    return *this;
}

Transaction& Transaction::exactly_once(std::string_view marker_parent) {
    marker_parent_ = marker_parent;
    return *this;
}

Transaction& Transaction::with_fencing_token() {
    wants_fencing_token_ = true;
    return *this;
}

} // namespace docent
