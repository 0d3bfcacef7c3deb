// SPDX-License-Identifier: Apache-2.0
#include "testing/process/certificates.hpp"

#include "posix/descriptors.hpp"

#include <openssl/ec.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>

#include <cstdint>
#include <cstdio>
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

/// Writes a file that only this user may read.
void write_pem(const std::filesystem::path& file, EVP_PKEY* key, X509* certificate) {
    posix::UniqueFd descriptor(::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
    std::FILE* const out = descriptor ? ::fdopen(descriptor.get(), "w") : nullptr;
    require(out != nullptr, file.c_str());
    descriptor.release();
    const bool written = (key == nullptr || PEM_write_PrivateKey(out, key, nullptr, nullptr, 0, nullptr, nullptr) == 1) &&
                         PEM_write_X509(out, certificate) == 1;
    require(std::fclose(out) == 0 && written, file.c_str());
}

} // namespace

void write_certificates(const std::filesystem::path& folder, const CertificateTerms& server, const CertificateTerms& client) {
    const Key authority_key = make_key();
    const Certificate authority = make_certificate("docent test authority", authority_key.get(), nullptr, authority_key.get(),
                                                   {}, {{NID_basic_constraints, "critical,CA:TRUE"}});
    write_pem(folder / "ca.pem", nullptr, authority.get());
    const auto sign = [&](const std::string& name, const CertificateTerms& terms) {
        const Key key = make_key();
        const Certificate certificate = make_certificate(name, key.get(), authority.get(), authority_key.get(), terms,
                                                         {{NID_subject_alt_name, terms.names}});
        write_pem(folder / (name + ".pem"), key.get(), certificate.get());
    };
    sign("server", server);
    sign("client", client);
}

} // namespace docent::testing
