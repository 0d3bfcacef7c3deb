// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace docent::chaos {

/// The password of a session: servers make it from the session's number alone, so that each of them can check it.
std::string password_of(std::int64_t session);

/// Ends a session that is somebody else's: connects as its owner, by its number and password, and closes it. False if the
/// server does not know it, or does not answer in time.
bool close_session(std::uint16_t server_port, std::int64_t session);

} // namespace docent::chaos
