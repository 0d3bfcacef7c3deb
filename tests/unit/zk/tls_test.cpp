// SPDX-License-Identifier: Apache-2.0

// A TLS connection without a network: the client's engine beside a server made with OpenSSL.

#include "folder.hpp"
#include "posix/spawn.hpp"
#include "testing/process/certificates.hpp"
#include "zk/tls/tls_context.hpp"

#include <gtest/gtest.h>

#include <openssl/conf.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <openssl/ssl.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

namespace docent::zk {
namespace {

using namespace std::chrono_literals;
using docent::test::Folder;
using docent::testing::write_certificates;

/// The server's side. It reads what it is sent, and can send.
class Server {
public:
    Server(const std::filesystem::path& folder, bool asks_for_certificate)
        : context_(SSL_CTX_new(TLS_server_method()), SSL_CTX_free) {
        const std::string file = folder / "server.pem";
        SSL_CTX_use_certificate_chain_file(context_.get(), file.c_str());
        SSL_CTX_use_PrivateKey_file(context_.get(), file.c_str(), SSL_FILETYPE_PEM);
        SSL_CTX_load_verify_locations(context_.get(), (folder / "ca.pem").c_str(), nullptr);
        SSL_CTX_set_session_id_context(context_.get(), reinterpret_cast<const unsigned char*>("zk"), 2);
        const int mode = SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT;
        if (asks_for_certificate) SSL_CTX_set_verify(context_.get(), mode, nullptr);
    }

    void accept() {
        ssl_.reset(SSL_new(context_.get()));
        SSL_set_bio(ssl_.get(), BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()));
        SSL_set_accept_state(ssl_.get());
        received.clear();
    }
    void speak_tls_1_2() { SSL_CTX_set_max_proto_version(context_.get(), TLS1_2_VERSION); }
    /// Returns false if this OpenSSL has no TLS 1.1.
    bool speak_tls_1_1() {
        return SSL_CTX_set_cipher_list(context_.get(), "DEFAULT:@SECLEVEL=0") == 1 &&
               SSL_CTX_set_min_proto_version(context_.get(), 0) == 1 &&
               SSL_CTX_set_max_proto_version(context_.get(), TLS1_1_VERSION) == 1;
    }
    /// From now on, it has no cipher for its key.
    void refuse_ciphers() {
        speak_tls_1_2();
        SSL_CTX_set_cipher_list(context_.get(), "AES128-SHA256");
    }
    /// From now on, each ticket needs several records.
    void send_long_tickets() {
        SSL_CTX_set_max_send_fragment(context_.get(), 512);
        const auto lengthen = [](SSL* ssl, void*) {
            const std::string data(2000, 'x');
            return SSL_SESSION_set1_ticket_appdata(SSL_get_session(ssl), data.data(), data.size());
        };
        SSL_CTX_set_session_ticket_cb(context_.get(), lengthen, nullptr, nullptr);
    }
    void send(const std::string& plain) { SSL_write(ssl_.get(), plain.data(), static_cast<int>(plain.size())); }
    void end() { SSL_shutdown(ssl_.get()); }

    /// Exchanges bytes with the client until neither has more.
    void talk_to(TlsEngine& client) {
        for (bool more = true; more;) {
            more = listen_to(client);
            std::array<char, 4096> bytes{};
            for (int count = 0;
                 (count = BIO_read(SSL_get_wbio(ssl_.get()), bytes.data(), static_cast<int>(bytes.size()))) > 0;) {
                client.receive({bytes.data(), static_cast<std::size_t>(count)});
                more = true;
            }
        }
    }
    /// Reads what the client sends. Returns whether there were bytes.
    bool listen_to(TlsEngine& client) {
        ERR_clear_error();
        std::string& out = client.outgoing();
        BIO_write(SSL_get_rbio(ssl_.get()), out.data(), static_cast<int>(out.size()));
        std::array<char, 4096> bytes{};
        for (int count = 0; (count = SSL_read(ssl_.get(), bytes.data(), static_cast<int>(bytes.size()))) > 0;) {
            received.append(bytes.data(), static_cast<std::size_t>(count));
        }
        return !std::exchange(out, {}).empty();
    }
    /// Takes the next record that it sends; empty without one.
    std::string next_record() {
        constexpr int header = 5; // ends with the length of the rest
        std::string record(header, '\0');
        if (BIO_read(SSL_get_wbio(ssl_.get()), record.data(), header) != header) return {};
        const auto rest =
            static_cast<std::size_t>(static_cast<unsigned char>(record[3]) * 256 + static_cast<unsigned char>(record[4]));
        record.resize(header + rest);
        BIO_read(SSL_get_wbio(ssl_.get()), record.data() + header, static_cast<int>(rest));
        return record;
    }
    bool resumed() const { return SSL_session_reused(ssl_.get()) == 1; }
    std::string asked_name() const {
        const char* const name = SSL_get_servername(ssl_.get(), TLSEXT_NAMETYPE_host_name);
        return name != nullptr ? name : "";
    }

    std::string received;

private:
    struct Free {
        void operator()(SSL* ssl) const { SSL_free(ssl); }
    };
    std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context_;
    std::unique_ptr<SSL, Free> ssl_;
};

/// Writes a key, with a passphrase unless that is empty.
void write_key(const std::filesystem::path& file, EVP_PKEY* key, std::string passphrase) {
    const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> owner(key, EVP_PKEY_free);
    const std::unique_ptr<BIO, decltype(&BIO_free)> out(BIO_new_file(file.c_str(), "w"), BIO_free);
    auto* const secret = passphrase.empty() ? nullptr : reinterpret_cast<unsigned char*>(passphrase.data());
    ASSERT_EQ(PEM_write_bio_PrivateKey(out.get(), key, secret != nullptr ? EVP_aes_128_cbc() : nullptr, secret,
                                       static_cast<int>(passphrase.size()), nullptr, nullptr),
              1);
}

/// Replaces `file` by a copy of another file, by a rename.
void replace(const std::filesystem::path& file, const std::filesystem::path& other) {
    const std::string copy = file.string() + ".new";
    std::filesystem::copy_file(other, copy);
    std::filesystem::rename(copy, file);
}

class TlsTest : public ::testing::Test {
protected:
    Folder folder;
    Folder others; // of another authority
    std::string fault;

    TlsTest() {
        write_certificates(folder.path());
        write_certificates(others.path());
    }
    TlsConfig config() const { return {.ca_file = folder / "ca.pem", .certificate_file = folder / "client.pem"}; }
    /// The outcome of one connection.
    std::unique_ptr<TlsEngine> connect(TlsContext& context, Server& server, const std::string& address = "127.0.0.1:2281") {
        auto engine = context.connect(address, fault);
        if (!engine) return nullptr;
        server.accept();
        engine->start();
        server.talk_to(*engine);
        return engine;
    }
    TlsFault whole_fault_of(TlsConfig with, const HostsOfAddress& hosts = {}) {
        Server server(folder.path(), true);
        TlsContext context(std::move(with));
        context.add_hosts(hosts);
        const auto engine = connect(context, server);
        if (!engine) return {fault};
        return engine->state() == TlsEngine::State::failed ? engine->fault() : TlsFault{};
    }
    std::string fault_of(TlsConfig with, const HostsOfAddress& hosts = {}) {
        return whole_fault_of(std::move(with), hosts).text;
    }
};

TEST_F(TlsTest, CarriesBytesInBothDirections) {
    Server server(folder.path(), true);
    TlsContext context(config());
    const auto engine = connect(context, server);
    ASSERT_NE(engine, nullptr) << fault;
    ASSERT_EQ(engine->state(), TlsEngine::State::open) << engine->fault().text;
    engine->send("ping");
    const std::string large(300'000, 'x');
    server.send(large);
    server.talk_to(*engine);
    EXPECT_EQ(server.received, "ping");
    EXPECT_EQ(engine->incoming(), large);
}

TEST_F(TlsTest, TheEndOfTheServersSideIsNoFault) {
    Server server(folder.path(), true);
    TlsContext context(config());
    const auto engine = connect(context, server);
    server.send("last");
    server.end();
    server.talk_to(*engine);
    EXPECT_EQ(engine->state(), TlsEngine::State::ended);
    EXPECT_EQ(engine->incoming(), "last");
    EXPECT_EQ(engine->fault(), TlsFault{});
}

TEST_F(TlsTest, TheServersCertificateIsCheckedAgainstTheAuthority) {
    TlsConfig with = config();
    with.ca_file = others / "ca.pem";
    EXPECT_EQ(fault_of(with).find("its certificate is refused: "), 0U) << fault_of(with);
    EXPECT_TRUE(whole_fault_of(with).lasting);
    EXPECT_EQ(fault_of(config()), "");
}

TEST_F(TlsTest, TheServersNameIsCheckedAndAsked) {
    EXPECT_EQ(whole_fault_of(config(), {{"127.0.0.1:2281", {"zk1.example.org"}}}),
              (TlsFault{"its certificate is not for zk1.example.org", true}));
    EXPECT_EQ(fault_of(config(), {{"127.0.0.1:2281", {"192.0.2.7"}}}), "its certificate is not for 192.0.2.7");
    TlsConfig with = config();
    with.check_host = false;
    EXPECT_EQ(fault_of(with, {{"127.0.0.1:2281", {"zk1.example.org"}}}), "");

    Server server(folder.path(), true);
    TlsContext context(config());
    context.add_hosts({{"127.0.0.1:2281", {"localhost"}}, {"::1:2281", {"::1"}}});
    ASSERT_EQ(connect(context, server)->state(), TlsEngine::State::open);
    EXPECT_EQ(server.asked_name(), "localhost");
    ASSERT_EQ(connect(context, server, "::1:2281")->state(), TlsEngine::State::open);
    EXPECT_EQ(server.asked_name(), "") << "an address is no name";
}

TEST_F(TlsTest, OneOfTheHostsOfAnAddressIsEnough) {
    const std::string address = "127.0.0.1:2281";
    using Names = std::vector<std::string>;
    for (const auto& hosts :
         {Names{"zk1.example.org", "localhost"}, Names{"localhost", "zk1.example.org"}, Names{"zk1.example.org", "127.0.0.1"},
          Names{"127.0.0.1", "zk1.example.org"}, Names{"", "localhost"}}) {
        EXPECT_EQ(fault_of(config(), {{address, hosts}}), "") << hosts.front() << ' ' << hosts.back();
    }
    EXPECT_EQ(fault_of(config(), {{address, Names{"zk1.example.org", "192.0.2.7"}}}),
              "its certificate is not for zk1.example.org or 192.0.2.7");

    Server server(folder.path(), true);
    TlsContext context(config());
    context.add_hosts({{address, Names{"127.0.0.1", "localhost", "zk1.example.org"}}});
    ASSERT_EQ(connect(context, server)->state(), TlsEngine::State::open);
    EXPECT_EQ(server.asked_name(), "localhost") << "the first name";
    context.add_hosts({{address, {"zk2.example.org"}}}); // as the ensemble names it
    const auto engine = connect(context, server);
    EXPECT_EQ(engine->state(), TlsEngine::State::open) << engine->fault().text;
    EXPECT_EQ(server.asked_name(), "zk2.example.org");
}

TEST_F(TlsTest, AServerThatNeedsACertificateSaysSo) {
    TlsConfig with = config();
    with.certificate_file.clear();
    EXPECT_EQ(fault_of(with).find("it refuses the client's certificate: "), 0U) << fault_of(with);
    EXPECT_TRUE(whole_fault_of(with).lasting);
    Server server(folder.path(), true);
    server.speak_tls_1_2(); // it answers handshake_failure
    TlsContext context(with);
    const TlsFault told = connect(context, server)->fault();
    EXPECT_EQ(told.text.find("it refuses the client's certificate: "), 0U) << told.text;
    EXPECT_TRUE(told.lasting);
}

TEST_F(TlsTest, AServerWithoutACommonCipherSaysSo) {
    Server server(folder.path(), true);
    server.refuse_ciphers();
    TlsContext context(config());
    const auto engine = connect(context, server);
    ASSERT_NE(engine, nullptr) << fault;
    EXPECT_EQ(engine->fault().text.find("it refuses the TLS connection: "), 0U) << engine->fault().text;
    EXPECT_TRUE(engine->fault().lasting);
}

TEST_F(TlsTest, AServerWithoutACommonCipherSaysSoToASessionThatShouldResume) {
    Server server(folder.path(), true);
    TlsContext context(config());
    ASSERT_EQ(connect(context, server)->state(), TlsEngine::State::open);
    server.refuse_ciphers();
    const TlsFault told = connect(context, server)->fault();
    EXPECT_EQ(told.text.find("it refuses the TLS connection: "), 0U) << told.text;
}

TEST_F(TlsTest, AServerWithoutANewVersionOfTlsSaysSo) {
    const TlsFault too_old{"it has no version of TLS in common with this client, which needs 1.2 or newer", true};
    TlsContext context(config());
    auto engine = context.connect("127.0.0.1:2281", fault);
    engine->start();
    // A server that chooses TLS 1.1, whatever the client offers: a record with a ServerHello.
    std::string hello("\x16\x03\x02\x00\x2a\x02\x00\x00\x26\x03\x02", 11);
    hello += std::string(32, 'r');               // random bytes
    hello += std::string("\x00\x00\x2f\x00", 4); // no session, a cipher, no compression
    engine->receive(hello);
    EXPECT_EQ(engine->fault(), too_old) << engine->fault().text;

    Server server(folder.path(), true);
    if (!server.speak_tls_1_1()) GTEST_SKIP() << "this OpenSSL has no TLS 1.1";
    EXPECT_EQ(connect(context, server)->fault(), too_old); // the server says so in an alert
}

TEST_F(TlsTest, AStricterConfigurationOfOpenSslIsKept) {
    std::ofstream(folder / "openssl.cnf") << "openssl_conf = modules\n"
                                             "[modules]\nssl_conf = tls\n"
                                             "[tls]\nsystem_default = defaults\n"
                                             "[defaults]\nMinProtocol = TLSv1.3\n";
    Server server(folder.path(), true);
    server.speak_tls_1_2();
    enum { refused, accepted, not_configured };
    const auto child = posix::fork_child([&](const sigset_t&) { // the configuration belongs to the whole process
        const bool configured = CONF_modules_load_file((folder / "openssl.cnf").c_str(), nullptr, 0) == 1;
        TlsContext context(config());
        const auto engine = connect(context, server);
        const bool failed = engine && engine->state() == TlsEngine::State::failed;
        ::_exit(!configured ? not_configured : failed ? refused : accepted);
    });
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), refused);
}

TEST_F(TlsTest, APortWithoutTlsIsNamed) {
    TlsContext context(config());
    auto engine = context.connect("127.0.0.1:2281", fault);
    engine->start();
    engine->receive("HTTP/1.1 400 Bad Request\r\n\r\n");
    EXPECT_EQ(engine->fault(), (TlsFault{"it does not speak TLS", true}));
    engine = context.connect("127.0.0.1:2281", fault);
    engine->start();
    engine->on_network_end();
    EXPECT_EQ(engine->fault().text, "hung up during the TLS handshake: no port for TLS, or too many connections");
    EXPECT_FALSE(engine->fault().lasting) << "a server with too many connections does the same";
}

TEST_F(TlsTest, UnusableFilesAreNamed) {
    for (auto [with, text] : {std::pair{TlsConfig{.ca_file = folder / "none.pem"}, "cannot use the CA file "},
                              std::pair{TlsConfig{.ca_file = folder / "ca.pem", .certificate_file = folder / "none.pem"},
                                        "cannot use the certificate "},
                              std::pair{TlsConfig{.ca_file = folder / "ca.pem",
                              .certificate_file = folder / "client.pem",
                              .key_file = others / "client.pem"},
                                        "cannot use the key "}}) {
        TlsContext context(with);
        EXPECT_EQ(context.check().find(text), 0U) << context.check();
        EXPECT_EQ(context.connect("127.0.0.1:2281", fault), nullptr);
        EXPECT_EQ(fault.find(text), 0U) << fault;
    }
}

TEST_F(TlsTest, AKeyThatOpenSslCannotUseIsNamed) {
    write_key(folder / "other.key", EVP_RSA_gen(2048), "");
    write_key(folder / "locked.key", EVP_EC_gen("P-256"), "secret");
    TlsConfig with = config();
    with.key_file = folder / "other.key";
    EXPECT_EQ(TlsContext(with).check().find("cannot use the key "), 0U) << "of another kind";
    with.key_file = folder / "locked.key";
    EXPECT_EQ(TlsContext(with).check(), "cannot use the key " + with.key_file + ": it has a passphrase");
    with.certificate_file.clear();
    EXPECT_EQ(TlsContext(with).check(), "key_file is set, and certificate_file is not; set both");
}

TEST_F(TlsTest, AServerWithoutAPossibleNameIsRefused) {
    TlsContext context(config());
    context.add_hosts({{"127.0.0.1:1", {""}}, {"127.0.0.1:2", {}}});
    for (const std::string address : {"127.0.0.1:1", "127.0.0.1:2"}) {
        EXPECT_EQ(context.connect(address, fault), nullptr);
        EXPECT_EQ(fault, "its address '" + address +
                             "' has no host that a certificate could name; name the server in the connect string");
    }
    EXPECT_EQ(fault_of(config(), {{"127.0.0.1:2281", {"fe80::1%eth0"}}}), "its certificate is not for fe80::1%eth0");
    EXPECT_EQ(fault_of(config(), {{"127.0.0.1:2281", {"localhost."}}}), "") << "the dot at the end is no part of the name";
}

TEST_F(TlsTest, NewFilesAreReadForTheNextConnection) {
    Server server(folder.path(), true);
    TlsContext context(config());
    ASSERT_EQ(connect(context, server)->state(), TlsEngine::State::open);
    const auto before = std::filesystem::last_write_time(folder / "ca.pem");
    write_certificates(folder.path());
    std::filesystem::last_write_time(folder / "ca.pem", before + std::chrono::seconds{1});
    Server with_new_files(folder.path(), true);
    const auto engine = connect(context, with_new_files);
    ASSERT_NE(engine, nullptr) << fault;
    EXPECT_EQ(engine->state(), TlsEngine::State::open) << engine->fault().text;
}

TEST_F(TlsTest, FilesThatCannotBeUsedDoNotReplaceThoseBefore) {
    Server server(folder.path(), true);
    TlsContext context(config());
    ASSERT_EQ(connect(context, server)->state(), TlsEngine::State::open);
    std::ofstream(folder / "client.pem") << "half of a file";
    const auto engine = connect(context, server);
    ASSERT_NE(engine, nullptr) << fault;
    EXPECT_EQ(engine->state(), TlsEngine::State::open) << engine->fault().text;
}

/// A variable of the environment names the system's file of authorities.
TEST_F(TlsTest, ANewAuthorityOfTheSystemIsTrustedByTheNextConnection) {
    const std::string variable = X509_get_default_cert_file_env();
    ::setenv(variable.c_str(), (others / "ca.pem").c_str(), 1);
    Server server(folder.path(), false);
    TlsContext context(TlsConfig{});
    EXPECT_EQ(connect(context, server)->state(), TlsEngine::State::failed);
    replace(others / "ca.pem", folder / "ca.pem");
    const auto engine = connect(context, server);
    EXPECT_EQ(engine->state(), TlsEngine::State::open) << engine->fault().text;
    ::unsetenv(variable.c_str());
}

TEST_F(TlsTest, AKeyAndItsCertificateAreReplacedOneAfterTheOther) {
    std::filesystem::copy_file(folder / "client.pem", folder / "certificate.pem");
    std::filesystem::copy_file(folder / "client.pem", folder / "key.pem");
    TlsConfig with = config();
    with.certificate_file = folder / "certificate.pem";
    with.key_file = folder / "key.pem";
    TlsContext context(with);
    Server server(folder.path(), true);
    ASSERT_EQ(connect(context, server)->state(), TlsEngine::State::open);

    replace(with.certificate_file, others / "client.pem");
    Server again(folder.path(), true); // does not resume, so that the client shows its certificate
    const auto old_pair = connect(context, again);
    ASSERT_NE(old_pair, nullptr) << fault;
    EXPECT_EQ(old_pair->state(), TlsEngine::State::open) << old_pair->fault().text;
    EXPECT_EQ(context.check().find("cannot use the key "), 0U) << context.check();

    replace(with.key_file, others / "client.pem");
    Folder new_authority; // the server now trusts the authority of the new certificate
    std::filesystem::copy_file(folder / "server.pem", new_authority / "server.pem");
    std::filesystem::copy_file(others / "ca.pem", new_authority / "ca.pem");
    Server renewed(new_authority.path(), true);
    const auto new_pair = connect(context, renewed);
    ASSERT_NE(new_pair, nullptr) << fault;
    EXPECT_EQ(new_pair->state(), TlsEngine::State::open) << new_pair->fault().text;
}

TEST_F(TlsTest, ASessionIsResumedForAnHour) {
    BootClock::time_point now{};
    Server server(folder.path(), true);
    TlsContext context(config(), [&now] { return now; });
    ASSERT_EQ(connect(context, server)->state(), TlsEngine::State::open);
    now += 59min;
    ASSERT_EQ(connect(context, server)->state(), TlsEngine::State::open);
    EXPECT_TRUE(server.resumed());
    now += 1min;
    ASSERT_EQ(connect(context, server)->state(), TlsEngine::State::open);
    EXPECT_FALSE(server.resumed());

    std::ofstream(folder / "client.pem") << "half of a file"; // the previous contents remain in use
    ASSERT_EQ(connect(context, server)->state(), TlsEngine::State::open);
    EXPECT_TRUE(server.resumed());
    now += 1h;
    ASSERT_EQ(connect(context, server)->state(), TlsEngine::State::open);
    EXPECT_FALSE(server.resumed());
}

TEST_F(TlsTest, TheSecondConnectionResumesTheSession) {
    Server server(folder.path(), true);
    TlsContext context(config());
    connect(context, server);
    EXPECT_FALSE(server.resumed());
    ASSERT_EQ(connect(context, server)->state(), TlsEngine::State::open);
    EXPECT_TRUE(server.resumed());
    ASSERT_EQ(connect(context, server, "127.0.0.1:2282")->state(), TlsEngine::State::open);
    EXPECT_FALSE(server.resumed()) << "of another server";
    context.add_hosts({{"127.0.0.1:2281", {"localhost"}}});
    ASSERT_EQ(connect(context, server)->state(), TlsEngine::State::open);
    EXPECT_FALSE(server.resumed()) << "a name that was not checked";
}

TEST_F(TlsTest, WithTls12EachConnectionResumesTheSession) {
    Server server(folder.path(), true);
    server.speak_tls_1_2();
    TlsContext context(config());
    ASSERT_EQ(connect(context, server)->state(), TlsEngine::State::open);
    EXPECT_FALSE(server.resumed());
    for (int connection = 2; connection <= 4; ++connection) {
        ASSERT_EQ(connect(context, server)->state(), TlsEngine::State::open);
        EXPECT_TRUE(server.resumed()) << "connection " << connection;
    }
}

/// OpenSSL encrypts nothing after the first record of a ticket, until the last has arrived.
TEST_F(TlsTest, BytesWaitForTheEndOfATicket) {
    Server server(folder.path(), true);
    server.send_long_tickets();
    TlsContext context(config());
    const auto engine = context.connect("127.0.0.1:2281", fault);
    ASSERT_NE(engine, nullptr) << fault;
    server.accept();
    engine->start();
    server.listen_to(*engine);
    while (engine->state() == TlsEngine::State::handshake) {
        const std::string record = server.next_record();
        ASSERT_NE(record, "");
        engine->receive(record);
    }
    server.listen_to(*engine); // the end of the handshake; tickets follow
    engine->receive(server.next_record());
    engine->send("ping");
    engine->send("pong");
    ASSERT_EQ(engine->state(), TlsEngine::State::open) << engine->fault().text;
    EXPECT_EQ(engine->outgoing(), "");
    EXPECT_EQ(engine->backlog(), 8U);
    server.talk_to(*engine);
    EXPECT_EQ(server.received, "pingpong");
    EXPECT_EQ(engine->backlog(), 0U);
}

} // namespace
} // namespace docent::zk
