// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace docent::chaos {

/// Returns the password of a session. Servers derive it from the session's number alone, so that each of them can check it.
std::string password_of(std::int64_t session);

/// Ends the session of another client: connects with its number and password, and closes it. Returns false if the server does
/// not know the session, or does not answer in time.
bool close_session(std::uint16_t server_port, std::int64_t session);

} // namespace docent::chaos
