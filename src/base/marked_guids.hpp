// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/uuid/uuid.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace docent::detail {

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
