// SPDX-License-Identifier: Apache-2.0
#include "testing/memory/memory_tls.hpp"

#include "testing/process/certificates.hpp"

#include <boost/asio/buffer.hpp>

#include <sys/mman.h>

#include <string_view>

namespace docent::testing {

namespace asio = boost::asio;

namespace {

posix::UniqueFd memory_file(const char* name, const std::string& text) {
    posix::UniqueFd file(::memfd_create(name, MFD_CLOEXEC));
    if (!file || ::write(file.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size()))
        throw posix::last_error("MemoryServer: cannot keep certificates in memory");
    return file;
}

} // namespace

MemoryTls::MemoryTls() : context_(asio::ssl::context::tls_server), process_(::getpid()) {
    const Certificates made = make_certificates();
    context_.use_certificate(asio::buffer(made.server), asio::ssl::context::pem);
    context_.use_private_key(asio::buffer(made.server), asio::ssl::context::pem);
    context_.add_certificate_authority(asio::buffer(made.ca));
    context_.set_verify_mode(asio::ssl::verify_peer | asio::ssl::verify_fail_if_no_peer_cert);
    constexpr std::string_view session_context = "docent"; // a server that verifies its clients resumes no session without one
    ::SSL_CTX_set_session_id_context(context_.native_handle(), reinterpret_cast<const unsigned char*>(session_context.data()),
                                     session_context.size());
    ca_ = memory_file("docent-memory-ca.pem", made.ca);
    client_ = memory_file("docent-memory-client.pem", made.client);
}

/// Other processes can open the file by this name, too.
std::string MemoryTls::name_of(const posix::UniqueFd& file) const {
    return "/proc/" + std::to_string(process_) + "/fd/" + std::to_string(file.get());
}

} // namespace docent::testing
