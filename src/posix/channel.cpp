// SPDX-License-Identifier: Apache-2.0
#include "posix/channel.hpp"

#include <array>
#include <cerrno>

namespace docent::posix {

std::system_error last_error(const char* doing) {
    return {errno, std::generic_category(), doing};
}

Channel make_channel(int type) {
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, ends.data()) != 0) throw last_error("socketpair");
    return {UniqueFd(ends[0]), UniqueFd(ends[1])};
}

} // namespace docent::posix
