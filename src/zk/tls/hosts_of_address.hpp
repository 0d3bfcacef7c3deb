// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace docent::zk {

/// The hosts of each address (`1.2.3.4:2281`, `::1:2281`): the names of the server in the connect string or in the ensemble's
/// configuration, or the address itself.
using HostsOfAddress = std::map<std::string, std::vector<std::string>, std::less<>>;

} // namespace docent::zk
