// SPDX-License-Identifier: Apache-2.0

// gzip data goes both ways between docent and Curator.

#include "framework_fixture.hpp"

#include <random>
#include <vector>

namespace docent::test {
namespace {

struct Payload {
    std::string name; // the name of its node
    std::string data;
};

std::string random_bytes(std::size_t count) {
    std::mt19937 random(1); // the same numbers in each run
    std::string bytes;
    while (bytes.size() < count) bytes.push_back(static_cast<char>(random()));
    return bytes;
}

const std::vector<Payload>& payloads() {
    static const std::vector<Payload> all = {
        {"/empty", ""}, {"/byte", "\xff"}, {"/zeros", std::string(100'000, '\0')}, {"/random", random_bytes(100'000)}};
    return all;
}

const CreateOptions create_compressed{.compression = Compression::compressed};
const SetOptions set_compressed{.compression = Compression::compressed};
const GetOptions get_compressed{.compression = Compression::compressed};
const GetOptions get_raw{.compression = Compression::none};

class FrameworkCompression : public FrameworkFixture {
protected:
    /// Not `EXPECT_EQ`, which would print 100 kB.
    void expect_curator_reads(const Payload& expected) {
        EXPECT_TRUE(curator("get", expected.name, {"compressed"}).data() == expected.data) << expected.name;
    }
    void expect_docent_reads(const Payload& expected) {
        EXPECT_TRUE(client->get(expected.name, get_compressed).data == expected.data) << expected.name;
    }
    /// Expects gzip data in the node.
    void expect_gzip(const std::string& path) {
        EXPECT_TRUE(client->get(path, get_raw).data.starts_with("\x1f\x8b\x08")) << path;
    }
};

TEST_F(FrameworkCompression, CuratorReadsDataOfDocent) {
    for (const Payload& payload : payloads()) {
        client->create(payload.name, payload.data, create_compressed);
        expect_gzip(payload.name);
        expect_curator_reads(payload);
        client->set(payload.name, payload.data + "!", set_compressed);
        expect_curator_reads({payload.name, payload.data + "!"});
    }
    EXPECT_LT(client->exists("/zeros")->data_length, 1000);
}

TEST_F(FrameworkCompression, DocentReadsDataOfCurator) {
    for (const Payload& payload : payloads()) {
        curator("create", payload.name, {data_word(payload.data), "compressed"});
        expect_gzip(payload.name);
        expect_docent_reads(payload);
        curator("set", payload.name, {data_word(payload.data + "!"), "compressed"});
        expect_docent_reads({payload.name, payload.data + "!"});
    }
}

TEST_F(FrameworkCompression, ByDefault) {
    const auto compressing = connected({.compression = Compression::compressed});
    for (const Payload& payload : payloads()) {
        compressing->create(payload.name, payload.data);
        expect_curator_reads(payload);
        compressing->set(payload.name, payload.data + "!");
        expect_curator_reads({payload.name, payload.data + "!"});
        curator("set", payload.name, {data_word(payload.data), "compressed"});
        EXPECT_TRUE(compressing->get(payload.name).data == payload.data) << payload.name;
    }
    compressing->create("/plain", "as it is", {.compression = Compression::none});
    EXPECT_EQ(curator("get", "/plain").data(), "as it is");
}

TEST_F(FrameworkCompression, OfDefaultData) {
    const auto compressing = connected({.default_data = "default", .compression = Compression::compressed});
    compressing->create("/default");
    compressing->commit(Transaction().create("/committed"));
    client->create("/explicit", {}, create_compressed);
    curator("create", "/curator", {"compressed"});
    curator("create", "/curator/plain");
    expect_curator_reads({"/default", "default"});
    expect_curator_reads({"/committed", "default"});
    client->create("/plain");
    expect_curator_reads({"/explicit", client->get("/plain").data});
    expect_docent_reads({"/curator", client->get("/curator/plain").data});
    expect_gzip("/curator");
}

TEST_F(FrameworkCompression, InTransactions) {
    for (const Payload& payload : payloads()) {
        const std::string mine = payload.name + "-docent", theirs = payload.name + "-curator";
        client->commit(Transaction()
                           .create(mine, payload.data, CreateMode::persistent, {}, Compression::compressed)
                           .create(mine + "-set", "")
                           .set_data(mine + "-set", payload.data, any_version, Compression::compressed));
        expect_curator_reads({mine, payload.data});
        expect_curator_reads({mine + "-set", payload.data});

        const std::string hex = to_hex(payload.data);
        curator("transaction", "",
                {"create=" + theirs + ":" + hex, "create=" + theirs + "-set:", "compressed", "set=" + theirs + "-set:" + hex});
        expect_gzip(theirs);
        expect_docent_reads({theirs, payload.data});
        expect_docent_reads({theirs + "-set", payload.data});
    }
}

/// Both clients refuse data that is not gzip. Docent accepts empty data as empty, so that parents made on the way can be read.
TEST_F(FrameworkCompression, DataThatWasNeverCompressed) {
    client->create("/plain", "as it is");
    error_code ec;
    client->get("/plain", get_compressed, ec);
    EXPECT_EQ(ec, error::corrupt_data);
    EXPECT_EQ(try_curator("get", "/plain", {"compressed"}).error, "ZipException");

    curator("create", "/parent/child", {data_word(""), "compressed", "parents"});
    EXPECT_EQ(client->get("/parent", get_raw).data, "");
    EXPECT_EQ(client->get("/parent", get_compressed).data, "");
    EXPECT_EQ(try_curator("get", "/parent", {"compressed"}).error, "EOFException");
}

} // namespace
} // namespace docent::test
