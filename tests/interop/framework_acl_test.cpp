// SPDX-License-Identifier: Apache-2.0

// Docent and Curator give ACLs the same meaning, and their ACL providers are asked for the same nodes.

#include "framework_fixture.hpp"

#include <algorithm>
#include <regex>
#include <set>

namespace docent::test {
namespace {

const AuthInfo credentials{"digest", "user:password"};

/// The ACL as text in the form of the peer.
std::string text_of(const Acl& acl) {
    std::string text;
    for (const AclEntry& entry : acl) {
        if (!text.empty()) text += ',';
        text += std::to_string(static_cast<std::int32_t>(entry.permissions)) + ':' + entry.scheme + ':' + entry.id;
    }
    return text;
}

class FrameworkAcl : public FrameworkFixture {
protected:
    std::unique_ptr<Client> user;
    Acl owned; // all permissions for `credentials`, as a digest

    void SetUp() override {
        FrameworkFixture::SetUp();
        user = connected({.auth = {credentials}});
        open_curator("user", {"auth=" + credentials.credentials});
        owned = {{Permission::all, "digest", java.call("digest", {"of=" + credentials.credentials})["id"]}};
    }

    /// Expects that the node belongs to `credentials`, for docent's clients and for Curator's.
    void expect_owned(const std::string& path) {
        EXPECT_EQ(user->get_acl(path).acl, owned) << path;
        EXPECT_EQ(curator("get-acl", path, {"client=user"})["acl"], text_of(owned));

        EXPECT_NO_THROW(user->set(path, "docent's")) << path;
        EXPECT_EQ(curator("get", path, {"client=user"}).data(), "docent's");
        curator("set", path, {"client=user", data_word("Curator's")});
        EXPECT_EQ(user->get(path).data, "Curator's");

        error_code ec;
        client->get(path, ec);
        EXPECT_EQ(ec, server_error::no_auth) << path;
        client->set(path, "a stranger's", {}, ec);
        EXPECT_EQ(ec, server_error::no_auth) << path;
        EXPECT_EQ(try_curator("get", path).error, "NOAUTH");
        EXPECT_EQ(try_curator("set", path, {data_word("")}).error, "NOAUTH");
    }
};

TEST_F(FrameworkAcl, DigestOfCurators) {
    curator("create", "/made", {"acl=" + text_of(owned)});
    expect_owned("/made");
    curator("create", "/set", {});
    curator("set-acl", "/set", {"acl=" + text_of(owned)});
    expect_owned("/set");
}

TEST_F(FrameworkAcl, DigestOfDocents) {
    client->create("/made", "", {.acl = owned});
    expect_owned("/made");
    client->create("/set");
    client->set_acl("/set", owned); // servers since 3.8.4 and 3.9.2 do not return its Stat: the node may not be read any more
    EXPECT_EQ(user->get_acl("/set").stat.aversion, 1);
    expect_owned("/set");
    client->commit(Transaction().create("/committed", "", CreateMode::persistent, owned));
    expect_owned("/committed");
}

/// The server replaces `auth` by the credentials of the session.
TEST_F(FrameworkAcl, SchemeAuth) {
    const Acl mine{{Permission::all, "auth", ""}};
    user->create("/docent", "", {.acl = mine});
    expect_owned("/docent");
    user->create("/docent-set");
    user->set_acl("/docent-set", mine);
    expect_owned("/docent-set");
    curator("create", "/curator", {"client=user", "acl=" + text_of(mine)});
    expect_owned("/curator");
    error_code ec;
    client->create("/stranger", "", {.acl = mine}, ec);
    EXPECT_EQ(ec, server_error::invalid_acl);
    EXPECT_EQ(try_curator("create", "/stranger", {"acl=" + text_of(mine)}).error, "INVALIDACL");
}

/// Several entries keep their order. A server hides the hash from clients that may only read.
TEST_F(FrameworkAcl, SeveralEntries) {
    Acl acl = owned;
    acl.push_back({Permission::read | Permission::create, "world", "anyone"});
    acl.push_back({Permission::delete_, "ip", "127.0.0.1/8"});
    client->create("/docent", "", {.acl = acl});
    EXPECT_EQ(curator("get-acl", "/docent", {"client=user"})["acl"], text_of(acl));
    curator("create", "/curator", {"acl=" + text_of(acl)});
    EXPECT_EQ(user->get_acl("/curator").acl, acl);

    acl.front().id = "user:x";
    EXPECT_EQ(client->get_acl("/curator").acl, acl);
    EXPECT_EQ(curator("get-acl", "/docent")["acl"], text_of(acl));
}

/// An ACL that is open to all and different for each path.
Acl provided_for(const std::string& path) {
    return {{Permission::all, "world", "anyone"}, {Permission::read, "digest", path + ":hash"}};
}

const std::set<std::string> provided_paths = {"/app", "/app/a", "/app/a/b", "/app/a/b/node", "/committed"};

struct TableAclProvider final : AclProvider {
    Acl acl_for(const std::string& path) override {
        asked.insert(path);
        return provided_paths.contains(path) ? provided_for(path) : Acl{};
    }
    std::set<std::string> asked; // read it only after the client is closed
};

/// Removes GUIDs from the text, because they differ each time.
std::string without_guids(const std::string& text) {
    static const std::regex guid("_c_[0-9a-f-]{36}-");
    return std::regex_replace(text, guid, "_c_guid-");
}

std::string joined(const std::set<std::string>& texts) {
    std::string list;
    for (const auto& text : texts) list += (list.empty() ? "" : ",") + text;
    return list;
}

class FrameworkAclProvider : public FrameworkFixture {
protected:
    const std::shared_ptr<TableAclProvider> provider = std::make_shared<TableAclProvider>();
    const std::string theirs = "client=theirs";

    void open_theirs(Words words) {
        for (const auto& path : provided_paths) words.push_back("acl-of=" + path + '@' + text_of(provided_for(path)));
        open_curator("theirs", words);
    }

    /// The ACLs of all nodes from `path` downwards, a line each.
    std::string acls_from(const std::string& path) {
        std::string lines = path + ' ' + text_of(client->get_acl(path).acl) + '\n';
        auto names = client->children(path).names;
        std::sort(names.begin(), names.end());
        for (const auto& name : names) lines += acls_from(path + '/' + name);
        return without_guids(lines);
    }

    void make_with_curator() {
        const std::string own = "acl=" + text_of(provided_for("own"));
        open_theirs({"namespace=app"});
        curator("create", "/a/b/node", {theirs, "parents"});
        curator("create", "/a/b/p-", {theirs, "protected", "mode=EPHEMERAL_SEQUENTIAL"});
        curator("create", "/own/parent/node", {theirs, "parents", own});
        curator("create", "/own/all/node", {theirs, "parents", own, "acl-to-parents"});
    }

    std::unique_ptr<Client> make_with_docent() {
        const Acl own = provided_for("own");
        auto made = connected({.name_space = "app", .acl_provider = provider});
        made->create("/a/b/node", "", {.parents = Parents::persistent});
        made->create("/a/b/p-", "", {.mode = CreateMode::ephemeral_sequential, .protection = Protection::protected_});
        made->create("/own/parent/node", "", {.parents = Parents::persistent, .acl = own});
        made->create("/own/all/node", "", {.parents = Parents::persistent, .acl = own, .parents_acl = own});
        return made;
    }
};

TEST_F(FrameworkAclProvider, IsAskedForTheSameNodes) {
    make_with_curator();
    const std::string acls = acls_from("/app");
    const std::string asked = without_guids(java.call("asked-acls", {theirs})["paths"]);
    for (const char* path : {"/app", "/app/a", "/app/a/b", "/app/a/b/node"}) { // not all of these ACLs are open to all
        EXPECT_NE(acls.find(path + (' ' + text_of(provided_for(path))) + '\n'), std::string::npos) << path;
    }
    EXPECT_EQ(java.call("close", {theirs}).error, "");
    client->remove("/app", {.children = RemoveChildren::yes});

    auto ours = make_with_docent();
    EXPECT_EQ(acls_from("/app"), acls);
    ours.reset();
    EXPECT_EQ(without_guids(joined(provider->asked)), asked);
}

/// Without a namespace, because Curator's transactions ask the provider without it, except for creates.
TEST_F(FrameworkAclProvider, IsAskedInTransactions) {
    open_theirs({});
    curator("transaction", "", {theirs, "create=/committed:"});
    const std::string acls = acls_from("/committed");
    EXPECT_EQ(acls, "/committed " + text_of(provided_for("/committed")) + '\n');
    client->remove("/committed");
    connected({.acl_provider = provider})->commit(Transaction().create("/committed", ""));
    EXPECT_EQ(acls_from("/committed"), acls);
}

} // namespace
} // namespace docent::test
