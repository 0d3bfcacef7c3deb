// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

namespace docent::testing {

/// Makes a certificate authority, and lets it sign for a server on this machine (`localhost`, 127.0.0.1, ::1) and for a client.
/// Writes `ca.pem`, `server.pem` and `client.pem` to the folder; the last two contain a private key and its certificate. They
/// are valid for a year. Throws std::runtime_error.
void write_certificates(const std::filesystem::path& folder);

} // namespace docent::testing
