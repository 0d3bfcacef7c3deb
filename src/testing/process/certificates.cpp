// SPDX-License-Identifier: Apache-2.0
#include "testing/process/certificates.hpp"

#include "posix/descriptors.hpp"

#include <openssl/bio.h>
#include <openssl/ec.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

namespace docent::testing {
namespace {

template <auto free> struct Free {
    template <typename T> void operator()(T* object) const { free(object); }
};
using Key = std::unique_ptr<EVP_PKEY, Free<EVP_PKEY_free>>;
using Certificate = std::unique_ptr<X509, Free<X509_free>>;
using Extension = std::pair<int, std::string>;

void require(bool done, const char* what) {
    if (!done) throw std::runtime_error(std::string("TestingServer: cannot make certificates: ") + what);
}

Key make_key() {
    Key key(EVP_EC_gen("P-256"));
    require(key != nullptr, "no key");
    return key;
}

/// `issuer` is null for a certificate that signs itself.
Certificate make_certificate(const std::string& name, EVP_PKEY* key, X509* issuer, EVP_PKEY* issuer_key,
                             const CertificateTerms& terms, std::initializer_list<Extension> extensions) {
    Certificate made(X509_new());
    std::uint32_t serial = 0;
    require(made != nullptr && RAND_bytes(reinterpret_cast<unsigned char*>(&serial), sizeof serial) == 1, "no memory");
    X509* const x509 = made.get();
    X509_NAME* const subject = X509_get_subject_name(x509);
    const auto* const text = reinterpret_cast<const unsigned char*>(name.c_str());
    bool done =
        X509_set_version(x509, X509_VERSION_3) == 1 && ASN1_INTEGER_set_uint64(X509_get_serialNumber(x509), serial) == 1 &&
        X509_gmtime_adj(X509_getm_notBefore(x509), terms.valid_from.count()) != nullptr &&
        X509_gmtime_adj(X509_getm_notAfter(x509), terms.valid_until.count()) != nullptr && X509_set_pubkey(x509, key) == 1 &&
        X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_UTF8, text, -1, -1, 0) == 1 &&
        X509_set_issuer_name(x509, issuer != nullptr ? X509_get_subject_name(issuer) : subject) == 1;
    for (const auto& [kind, value] : extensions) {
        const std::unique_ptr<X509_EXTENSION, Free<X509_EXTENSION_free>> extension(
            X509V3_EXT_conf_nid(nullptr, nullptr, kind, value.c_str()));
        done = done && extension != nullptr && X509_add_ext(x509, extension.get(), -1) == 1;
    }
    require(done && X509_sign(x509, issuer_key, EVP_sha256()) > 0, name.c_str());
    return made;
}

/// `key` is null for a text without a key.
std::string pem_text(EVP_PKEY* key, X509* certificate) {
    const std::unique_ptr<BIO, Free<BIO_free_all>> out(BIO_new(BIO_s_mem()));
    require(out != nullptr, "no memory");
    const bool written =
        (key == nullptr || PEM_write_bio_PrivateKey(out.get(), key, nullptr, nullptr, 0, nullptr, nullptr) == 1) &&
        PEM_write_bio_X509(out.get(), certificate) == 1;
    char* text = nullptr;
    const long size = BIO_get_mem_data(out.get(), &text);
    require(written && size > 0, "no memory");
    return {text, static_cast<std::size_t>(size)};
}

/// Writes a file that only this user may read.
void write_private_file(const std::filesystem::path& file, const std::string& text) {
    const posix::UniqueFd descriptor(::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
    require(descriptor && ::write(descriptor.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size()),
            file.c_str());
}

} // namespace

Certificates make_certificates(const CertificateTerms& server, const CertificateTerms& client) {
    const Key authority_key = make_key();
    const Certificate authority = make_certificate("docent test authority", authority_key.get(), nullptr, authority_key.get(),
                                                   {}, {{NID_basic_constraints, "critical,CA:TRUE"}});
    const auto sign = [&](const std::string& name, const CertificateTerms& terms) {
        const Key key = make_key();
        const Certificate certificate = make_certificate(name, key.get(), authority.get(), authority_key.get(), terms,
                                                         {{NID_subject_alt_name, terms.names}});
        return pem_text(key.get(), certificate.get());
    };
    return {pem_text(nullptr, authority.get()), sign("server", server), sign("client", client)};
}

void write_certificates(const std::filesystem::path& folder, const CertificateTerms& server, const CertificateTerms& client) {
    const Certificates made = make_certificates(server, client);
    write_private_file(folder / "ca.pem", made.ca);
    write_private_file(folder / "server.pem", made.server);
    write_private_file(folder / "client.pem", made.client);
}

} // namespace docent::testing
