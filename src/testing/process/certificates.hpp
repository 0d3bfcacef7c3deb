// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <filesystem>
#include <string>

namespace docent::testing {

/// The contents of a certificate.
struct CertificateTerms {
    std::chrono::seconds valid_from = -std::chrono::hours{1}; // counted from now, as valid_until is
    std::chrono::seconds valid_until = std::chrono::hours{365 * 24};
    std::string names = "DNS:localhost,IP:127.0.0.1,IP:::1"; // its subjectAltName
};

/// PEM texts. The last two contain a private key and its certificate.
struct Certificates {
    std::string ca;
    std::string server;
    std::string client;
};

/// Makes a certificate authority, and lets it sign for a server and for a client; by default, for a year and for servers on
/// this machine. Throws std::runtime_error.
Certificates make_certificates(const CertificateTerms& server = {}, const CertificateTerms& client = {});

/// Makes certificates, and writes them as `ca.pem`, `server.pem` and `client.pem` to the folder. Throws std::runtime_error.
void write_certificates(const std::filesystem::path& folder, const CertificateTerms& server = {},
                        const CertificateTerms& client = {});

} // namespace docent::testing
