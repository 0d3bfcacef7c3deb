// SPDX-License-Identifier: Apache-2.0
#pragma once

// Names of protected nodes: their GUID finds a node again after the reply to its create was lost.

#include <boost/uuid/uuid.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace docent::detail {

inline constexpr std::string_view protection_mark = "_c_";
inline constexpr std::string_view protection_end = "-";

/// `_c_<guid>-`
std::string protection_prefix(std::string_view guid);

/// `/a/b` protected by a GUID: `/a/_c_<guid>-b`.
std::string protected_path(std::string_view path, std::string_view guid);

/// All children with this GUID, in the order of their sequence numbers. There is more than one only if the create was applied
/// twice.
std::vector<std::string> find_protected(const std::vector<std::string>& children, std::string_view guid);

/// Makes UUIDs (version 4) that identify their maker. The second half is the maker's mark: 62 random bits and the variant. The
/// first half, 60 bits and the version, is a counter, so no two are equal.
class MarkedGuids {
public:
    /// `random` gives the mark and the first count.
    explicit MarkedGuids(const boost::uuids::uuid& random);

    std::string next();
    /// The GUID in the name of a protected node, if it has this mark; else empty.
    std::string_view own_guid(std::string_view name) const;

private:
    std::string mark_;
    std::uint64_t count_;
};

} // namespace docent::detail
