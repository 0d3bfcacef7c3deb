// SPDX-License-Identifier: Apache-2.0
#pragma once

// Converts between the C client's types and docent's.

#include <docent/acl.hpp>
#include <docent/create_mode.hpp>
#include <docent/error.hpp>
#include <docent/stat.hpp>

#include <zookeeper/zookeeper.h>

#include <string>
#include <vector>

namespace docent::zk {

error_code to_error_code(int rc);
docent::Stat to_stat(const ::Stat* stat);
std::vector<std::string> to_strings(const ::String_vector* strings);
Acl to_acl(const ::ACL_vector* acl);
int to_c_mode(CreateMode mode);

/// An ACL in the C client's form. It refers to the strings of the Acl that it was made from.
class CAcl {
public:
    explicit CAcl(const Acl& acl);
    const ::ACL_vector* get() const { return &vector_; }
    ::ACL_vector* get() { return &vector_; }

private:
    std::vector<::ACL> entries_;
    ::ACL_vector vector_{};
};

} // namespace docent::zk
