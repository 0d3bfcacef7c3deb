// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/uuid/uuid.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace docent::detail {

/// Random UUIDs (version 4) that tell who has made them. The second half is the mark of the maker, 62 random bits beside the
/// variant; the first half, 60 bits beside the version, is never the same twice.
class MarkedGuids {
public:
    /// Begins with what this one holds by chance.
    explicit MarkedGuids(const boost::uuids::uuid& random);

    std::string next();
    /// The guid in the name of a protected node, if it has this mark; else empty.
    std::string_view own_guid(std::string_view name) const;

private:
    std::string mark_;
    std::uint64_t count_;
};

} // namespace docent::detail
