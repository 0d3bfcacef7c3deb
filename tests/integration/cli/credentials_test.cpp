// SPDX-License-Identifier: Apache-2.0

// Permissions of the command with and without credentials. The credentials are never shown.
#include "cli_fixture.hpp"

#include <docent/recipes/inter_process_mutex.hpp>

#include <filesystem>
#include <fstream>

namespace docent::test {
namespace {

constexpr auto secret = "hunter2";
const std::string credentials = std::string("digest:user:") + secret;

class CredentialsTest : public CliTest {
protected:
    Client owner{{.connect_string = server.connect_string(),
                  .auth = {{"digest", std::string("user:") + secret}},
                  .default_acl = {{Permission::all, "auth", ""}}}};
    const std::string auth_file = file("auth");

    void SetUp() override {
        CliTest::SetUp();
        owner.start();
        std::ofstream(auth_file) << credentials << '\n';
        std::filesystem::permissions(auth_file, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
    }
    static void expect_no_secret(const std::string& text) { EXPECT_EQ(text.find(secret), std::string::npos) << text; }
};

TEST_F(CredentialsTest, AFileOfCredentialsGivesAccess) {
    owner.create("/mine", "x");
    EXPECT_EQ(run(setting({"get", "/mine", "--auth-file", auth_file})).output, "x");
    expect_outcome(run(setting({"get", "/mine"})), 1, "get /mine: not permitted");
}

TEST_F(CredentialsTest, WithoutThemNoVerbWorksAndEachSaysWhy) {
    Lease lease = InterProcessMutex(owner, "/lock").acquire();
    const std::vector<Words> verbs = {{"lock", "/lock", "--no-wait", "--", "true"},
                                      {"read-lock", "/lock", "--", "true"},
                                      {"semaphore", "/lock", "--permits", "2", "--", "true"},
                                      {"inspect", "/lock"},
                                      {"revoke", lease.node_path()},
                                      {"get", lease.node_path()},
                                      {"delete", lease.node_path()},
                                      {"ls", "/lock"}};
    for (const auto& words : verbs) {
        const auto result = run(setting(words));
        EXPECT_EQ(result.status, 1) << words.front();
        expect_one_line(result.errors, "not permitted");
        EXPECT_EQ(result.output, "") << words.front();
    }
    EXPECT_TRUE(lease.owns());
    EXPECT_EQ(owner.get(lease.node_path()).data.find("__REVOKE__"), std::string::npos);
}

/// The list shows docent, its guard and the processes that they have started.
TEST_F(CredentialsTest, TheListOfProcessesDoesNotShowThem) {
    owner.create("/lock", "");
    DocentProcess process(lock_script(write("$$", "runs") + "exec sleep 1000", {"--auth", credentials}));
    ASSERT_TRUE(appears("runs"));
    int of_docent = 0;
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
        const auto text = read_file(entry.path() / "cmdline");
        if (text.find("/lock") == std::string::npos || text.find("sleep") == std::string::npos) continue;
        ++of_docent;
        expect_no_secret(text);
    }
    EXPECT_GE(of_docent, 1);
    expect_no_secret(process.errors());
}

TEST_F(CredentialsTest, NoMessageShowsThem) {
    const std::vector<Words> wrong = {
        {"ls", "/", "--auth", secret},           {"ls", "/", "--auht", credentials},
        {"--auht", credentials, "ls", "/"},      {"ls", "/", "--auht=" + credentials},
        {"elect", "/a", "--auth", credentials},  {"get", "/none", "--auth", credentials},
        {"help", "lock", "--auth", credentials}, {"ls", "/", "--auth-file", folder / "none"},
    };
    for (const auto& words : wrong) {
        const auto result = run(setting(words));
        EXPECT_NE(result.status, 0);
        expect_no_secret(result.errors);
        expect_no_secret(result.output);
    }
    server.stop();
    expect_no_secret(run(setting({"get", "/a", "--auth", credentials})).errors);
    auto help = setting({"--help"});
    help.words.insert(help.words.end(), {"--auth", credentials});
    expect_no_secret(run(help).output);
}

TEST_F(CredentialsTest, AWorldReadableFileIsWarnedOf) {
    owner.create("/mine", "x");
    std::filesystem::permissions(auth_file, std::filesystem::perms::others_read, std::filesystem::perm_options::add);
    const auto result = run(setting({"get", "/mine", "--auth-file", auth_file}));
    EXPECT_EQ(result.output, "x");
    EXPECT_EQ(result.status, 0);
    expect_one_line(result.errors, "warning: everybody on this machine can read the credentials in " + auth_file);
}

} // namespace
} // namespace docent::test
