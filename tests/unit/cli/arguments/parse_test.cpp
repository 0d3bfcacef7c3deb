// SPDX-License-Identifier: Apache-2.0
#include "cli/arguments/parse.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include <signal.h>
#include <unistd.h>

namespace docent::cli {
namespace {

using namespace std::chrono_literals;
using Words = std::vector<std::string>;

template <typename Expected> Expected parsed(const Words& words, const Environment& environment = {}) {
    return std::get<Expected>(parse(words, environment));
}

std::string fault_of(const Words& words, const Environment& environment = {}) {
    try {
        parse(words, environment);
    } catch (const UsageError& e) {
        return e.what();
    }
    return "";
}

/// The fault of a command, without the command's name in front of it and the hint behind it.
std::string refusal(const Words& words) {
    const std::string fault = fault_of(words);
    const std::string name = words.front() + ": ";
    const std::string hint = " (see: docent " + words.front() + " --help)";
    if (!fault.starts_with(name) || !fault.ends_with(hint)) return fault;
    return fault.substr(name.size(), fault.size() - name.size() - hint.size());
}

TEST(Parse, Lock) {
    EXPECT_EQ(parsed<LockCommand>({"lock", "/c", "--", "sh", "-c", "exit 3"}),
              (LockCommand{{.path = "/c", .wait = ForeverInQueue{}, .program = {"sh", "-c", "exit 3"}}}));
    EXPECT_EQ(parsed<LockCommand>({"lock", "/c", "--wait", "5s", "--grace=2s", "--", "ls"}),
              (LockCommand{{.path = "/c", .wait = AtMostInQueue{5s}, .grace = 2s, .program = {"ls"}}}));
    EXPECT_EQ(parsed<LockCommand>({"lock", "--no-wait", "/c", "--", "ls", "--wait", "--"}),
              (LockCommand{{.path = "/c", .wait = NoQueue{}, .program = {"ls", "--wait", "--"}}}));
    EXPECT_EQ(parsed<LockCommand>({"lock", "/c", "--revocable", "--", "ls"}),
              (LockCommand{{.path = "/c", .revocable = true, .program = {"ls"}}}));
    EXPECT_EQ(parsed<LockCommand>({"lock", "/c", "--once-per", "23h", "--hold-at-least", "1m", "--", "ls"}),
              (LockCommand{.hold = {.path = "/c", .hold_at_least = 1min, .program = {"ls"}}, .once_per = 23h}));
    EXPECT_EQ(
        parsed<LockCommand>({"lock", "/c", "--max-hold", "10m", "--hold-at-least", "1m", "--", "ls"}),
        (LockCommand{.hold = {.path = "/c", .hold_at_least = 1min, .lock_options = {.max_hold = 10min}, .program = {"ls"}}}));
    EXPECT_EQ(parsed<LockCommand>({"read-lock", "/c", "--", "ls"}),
              (LockCommand{{.path = "/c", .wait = ForeverInQueue{}, .program = {"ls"}}, LockKind::read}));
    EXPECT_EQ(parsed<LockCommand>({"read-lock", "/c", "--kazoo", "--", "ls"}),
              (LockCommand{.hold = {.path = "/c", .lock_options = {.others = kazoo_contenders()}, .program = {"ls"}},
                           .kind = LockKind::read}));
    EXPECT_EQ(parsed<LockCommand>({"lock", "/c", "--kazoo", "--", "ls"}).hold.lock_options.others, kazoo_contenders());
    EXPECT_EQ(parsed<LockCommand>({"write-lock", "/c", "--no-wait", "--", "ls"}),
              (LockCommand{{.path = "/c", .wait = NoQueue{}, .program = {"ls"}}, LockKind::write}));
}

TEST(Parse, Semaphore) {
    EXPECT_EQ(parsed<SemaphoreCommand>({"semaphore", "/s", "--permits", "5", "--", "ls"}),
              (SemaphoreCommand{{.path = "/s", .program = {"ls"}}, 5, 1}));
    EXPECT_EQ(parsed<SemaphoreCommand>({"semaphore", "/s", "--permits=5", "--count=5", "--wait", "1s", "--", "ls"}),
              (SemaphoreCommand{{.path = "/s", .wait = AtMostInQueue{1s}, .program = {"ls"}}, 5, 5}));
    EXPECT_EQ(refusal({"semaphore", "/s", "--permits", "5", "--count", "6", "--", "ls"}),
              "--count 6 is more than the 5 of --permits");
    EXPECT_EQ(refusal({"semaphore", "/s", "--", "ls"}),
              "how many permits are there? (--permits N, the same for everybody who uses this path)");
    EXPECT_EQ(refusal({"semaphore", "/s", "--permits", "0", "--", "ls"}), "--permits must be at least 1");
    EXPECT_EQ(refusal({"semaphore", "/s", "--permits", "2", "--count", "0", "--", "ls"}), "--count must be at least 1");
}

TEST(Parse, Partition) {
    const auto command = parsed<PartitionCommand>({"partition", "/p", "--items", "3", "--", "ls"});
    EXPECT_EQ(command, (PartitionCommand{.hold = {.path = "/p", .program = {"ls"}}, .items = {"0", "1", "2"}}));
    const auto named = parsed<PartitionCommand>({"partition", "/p", "--items", "a,b", "--id", "x", "--weight", "3",
                                                 "--join-delay", "1s", "--leave-grace", "0s", "--keep-place", "--", "ls"});
    EXPECT_EQ(named.items, (std::vector<std::string>{"a", "b"}));
    EXPECT_EQ(named.id, "x");
    EXPECT_EQ(named.weight, 3u);
    EXPECT_EQ(named.join_delay, 1s);
    EXPECT_EQ(named.leave_grace, 0s);
    EXPECT_TRUE(named.keeps_place);
    EXPECT_EQ(refusal({"partition", "/p", "--items", "0", "--", "ls"}), "--items must be at least 1, and at most 100000");
    EXPECT_EQ(refusal({"partition", "/p", "--items=-5", "--", "ls"}), "--items must be a number or names, not '-5'");
    EXPECT_EQ(refusal({"partition", "/p", "--items", "3", "--keep-place", "--", "ls"}),
              "--keep-place needs --id, so that this machine has the same name after its restart");
    EXPECT_EQ(refusal({"partition", "/p", "--items", "a,,b", "--", "ls"}), "--items has an item without a name");
    EXPECT_EQ(refusal({"partition", "/p", "--items", "a,b,a", "--", "ls"}), "--items has 'a' twice");
    EXPECT_EQ(refusal({"partition", "/p", "--items", "3", "--weight", "0", "--", "ls"}), "--weight must be 1 to 1000000");
    EXPECT_EQ(refusal({"partition", "/p", "--", "ls"}),
              "which items are there? (--items N or --items NAME,NAME..., the same for everybody who uses this path)");
}

TEST(Parse, Elect) {
    EXPECT_EQ(parsed<ElectCommand>({"elect", "/e", "--", "ls"}), (ElectCommand{{.path = "/e", .program = {"ls"}}}));
    EXPECT_EQ(parsed<ElectCommand>({"elect", "/e", "--id", "a", "--once", "--grace", "1s", "--", "ls"}),
              (ElectCommand{{.path = "/e", .grace = 1s, .program = {"ls"}}, "a", true}));
    EXPECT_EQ(parsed<ElectCommand>({"elect", "/e", "--max-hold", "8h", "--", "ls"}),
              (ElectCommand{{.path = "/e", .lock_options = {.max_hold = 8h}, .program = {"ls"}}}));
    EXPECT_EQ(refusal({"elect", "/e", "--id=", "--", "ls"}), "--id must not be empty");
    EXPECT_EQ(refusal({"elect", "/e", "--wait", "1s", "--", "ls"}), "unknown option --wait");
    EXPECT_EQ(refusal({"elect", "/e"}), "the command to run is missing: PATH -- CMD...");
}

TEST(Parse, Revoke) {
    EXPECT_EQ(parsed<RevokeCommand>({"revoke", "/c/_c_a-lock-0000000001"}), (RevokeCommand{{}, "/c/_c_a-lock-0000000001"}));
    EXPECT_TRUE(parsed<RevokeCommand>({"revoke", "--force", "/c/_c_a-lock-0000000001"}).force);
    EXPECT_EQ(refusal({"revoke"}), "NODE is missing");
    EXPECT_EQ(refusal({"revoke", "/c"}), "'/c' is not the node of a lock; docent inspect PATH shows the nodes");
}

TEST(Parse, HoldersAndLocks) {
    EXPECT_EQ(parsed<InspectCommand>({"inspect", "/c", "--watch", "--json"}),
              (InspectCommand{.format = OutputFormat::json, .path = "/c", .watch = true}));
    EXPECT_EQ(parsed<BreakCommand>({"break", "/c/lock-0000000001", "-y"}),
              (BreakCommand{.node = "/c/lock-0000000001", .yes = true}));
    EXPECT_EQ(refusal({"break"}), "NODE is missing");
    EXPECT_EQ(parsed<TopCommand>({"top"}), (TopCommand{.path = "/", .max_nodes = 10'000}));
    EXPECT_EQ(parsed<TopCommand>({"top", "/c", "--once", "--max-nodes", "7"}),
              (TopCommand{.path = "/c", .once = true, .max_nodes = 7}));
    EXPECT_EQ(refusal({"top", "--max-nodes", "0"}), "--max-nodes must be from 1 to 1000000");
}

TEST(Parse, LockTakesSeveralPaths) {
    EXPECT_EQ(parsed<LockCommand>({"lock", "/c", "/b", "--wait", "5s", "/a", "--", "ls"}),
              (LockCommand{{.path = "/c", .wait = AtMostInQueue{5s}, .program = {"ls"}, .more_paths = {"/b", "/a"}}}));
    EXPECT_EQ(parsed<LockCommand>({"write-lock", "/c", "/b", "--", "ls"}).hold.more_paths, Words{"/b"});
    EXPECT_EQ(refusal({"lock", "/c", "b", "--", "ls"}), "'b' is not a valid path: it does not begin with /");
    EXPECT_EQ(refusal({"lock", "/c", "/b", "/c", "--", "ls"}), "'/c' is there twice, and would wait for itself");
    EXPECT_EQ(refusal({"lock", "/c", "/b", "--once-per", "1h", "--", "ls"}), "--once-per is for one PATH");
    EXPECT_EQ(refusal({"semaphore", "/s", "/t", "--permits", "5", "--", "ls"}), "unexpected argument '/t'");
}

TEST(Parse, ParentsAreMadeAsItIsSaid) {
    const auto made = [](const std::string& how) {
        return parsed<LockCommand>({"lock", "/c", "--own-parents", how, "--", "ls"}).hold.own_parents;
    };
    EXPECT_EQ(parsed<LockCommand>({"lock", "/c", "--", "ls"}).hold.own_parents, Parents::container);
    EXPECT_EQ(made("container"), Parents::container);
    EXPECT_EQ(made("persistent"), Parents::persistent);
    EXPECT_EQ(parsed<ElectCommand>({"elect", "/e", "--own-parents", "persistent", "--", "ls"}).hold.own_parents,
              Parents::persistent);
    EXPECT_EQ(refusal({"semaphore", "/s", "--permits", "2", "--own-parents=none"}),
              "--own-parents must be container or persistent, not 'none'");
}

TEST(Parse, LockWithoutACommandHolds) {
    EXPECT_EQ(parsed<LockCommand>({"lock", "/c", "/b", "-n"}),
              (LockCommand{{.path = "/c", .wait = NoQueue{}, .more_paths = {"/b"}}}));
    EXPECT_TRUE(parsed<SemaphoreCommand>({"semaphore", "/s", "--permits", "5"}).hold.program.empty());
    for (const Words& option : {Words{"--grace", "1s"}, {"--hold-at-least", "1s"}, {"--signal", "INT"}, {"--once-per", "1h"}}) {
        EXPECT_EQ(refusal({"lock", "/c", option[0], option[1]}), option[0] + " needs a command: PATH -- CMD...");
    }
}

TEST(Parse, LockHasTheHabitsOfOthers) {
    EXPECT_EQ(
        parsed<LockCommand>({"lock", "/c", "-w", "5s", "-E", "7", "--signal", "INT", "--label", "me", "--verbose", "--", "ls"}),
        (LockCommand{{.path = "/c",
                      .wait = AtMostInQueue{5s},
                      .program = {"ls"},
                      .conflict_exit_code = 7,
                      .end_signal = SIGINT,
                      .label = "me",
                      .verbose = true}}));
    EXPECT_EQ(parsed<LockCommand>({"lock", "/c", "--on-lost", "logger lost"}).hold.on_lost, "logger lost");
    EXPECT_EQ(parsed<ElectCommand>({"elect", "/c", "--signal", "SIGQUIT", "--", "ls"}).hold.end_signal, SIGQUIT);
    EXPECT_TRUE(parsed<ElectCommand>({"elect", "/c", "--verbose", "--", "ls"}).hold.verbose);
    EXPECT_EQ(parsed<LockCommand>({"lock", "/c", "--signal", "9", "--", "ls"}).hold.end_signal, SIGKILL);
    for (const std::string wrong : {"STOP", "CONT", "SIGWINCH", "0", "32", "-1", "term", "", "TERM "}) {
        EXPECT_EQ(refusal({"lock", "/c", "--signal=" + wrong, "--", "ls"}),
                  "'" + wrong + "' is not a signal for --signal that ends a program, such as INT, TERM or 15");
    }
    EXPECT_EQ(refusal({"lock", "/c", "-E", "256", "--", "ls"}), "--conflict-exit-code must be at most 255");
    EXPECT_EQ(refusal({"lock", "/c", "--label", std::string(1001, 'x'), "--", "ls"}), "--label must have at most 1000 bytes");
}

TEST(Parse, ANumberWithoutAUnitIsInSeconds) {
    EXPECT_EQ(parsed<LockCommand>({"lock", "/c", "-w", "5", "--grace", "2", "--session-timeout", "30", "--", "ls"}),
              (LockCommand{{.connection = {.session_timeout = 30s},
                            .path = "/c",
                            .wait = AtMostInQueue{5s},
                            .grace = 2s,
                            .program = {"ls"}}}));
}

TEST(Parse, TheRootCannotBeLocked) {
    for (const Words& words : {Words{"lock", "/"},
                               {"lock", "/a", "/", "--", "ls"},
                               {"read-lock", "/"},
                               {"write-lock", "/"},
                               {"semaphore", "/", "--permits", "2"},
                               {"elect", "/", "--", "ls"}}) {
        EXPECT_EQ(refusal(words), "/ cannot be locked; choose a path below it, such as /app/lock");
    }
}

TEST(Parse, AnEmptyCommandForALossIsRefused) {
    for (const std::string empty : {"", " ", "\t\n"}) {
        EXPECT_EQ(refusal({"lock", "/c", "--on-lost=" + empty, "--", "ls"}), "--on-lost is empty, and names no command");
    }
}

TEST(Parse, LockNeedsAPath) {
    EXPECT_EQ(refusal({"lock"}), "PATH is missing");
    EXPECT_EQ(refusal({"lock", "--", "ls"}), "PATH is missing");
    EXPECT_EQ(refusal({"lock", "/c", "--"}), "the command to run is missing: PATH -- CMD...");
    EXPECT_EQ(refusal({"lock", "/c", "ls"}), "'ls' is no path; a command goes behind --: PATH -- CMD...");
    EXPECT_EQ(refusal({"lock", "/c", "-n", "/bin/sh"}), "'/bin/sh' is a program; a command goes behind --: PATH -- /bin/sh");
    EXPECT_EQ(parsed<LockCommand>({"lock", "/c", "/bin/sh", "--", "ls"}).hold.more_paths, Words{"/bin/sh"});
}

TEST(Parse, NamesUnusableArguments) {
    EXPECT_EQ(refusal({"lock", "/c", "--wait", "5x", "--", "ls"}),
              "'5x' is not a duration for --wait, such as 5 (seconds), 500ms, 2m, 12h or 7d");
    EXPECT_EQ(refusal({"lock", "/c", "--wait", "5s", "--no-wait", "--", "ls"}), "--wait and --no-wait exclude each other");
    EXPECT_EQ(refusal({"lock", "/c", "--wiat", "5s", "--", "ls"}), "unknown option --wiat; did you mean --wait?");
    EXPECT_EQ(refusal({"lock", "/c", "--once-per", "0s", "--", "ls"}), "--once-per must be longer than 0");
    EXPECT_EQ(refusal({"lock", "/c", "--max-hold", "0s", "--", "ls"}), "--max-hold must be longer than 0");
    EXPECT_EQ(refusal({"lock", "/c", "--max-hold", "1m", "--hold-at-least", "60s", "--", "ls"}),
              "--hold-at-least must be shorter than --max-hold");
    EXPECT_EQ(refusal({"read-lock", "/c", "--once-per", "1h", "--", "ls"}), "unknown option --once-per");
    EXPECT_EQ(refusal({"lock", "c", "--", "ls"}), "'c' is not a valid path: it does not begin with /");
    EXPECT_EQ(refusal({"set", "/a", "x", "--version", "-1"}), "'-1' is not a number from 0 to 2147483647 for --version");
    EXPECT_EQ(refusal({"set", "/a", "x", "--version", "2147483648"}),
              "'2147483648' is not a number from 0 to 2147483647 for --version");
    EXPECT_EQ(refusal({"server", "--port", "65536"}), "'65536' is not a number from 0 to 65535 for --port");
    EXPECT_EQ(refusal({"ls", "/a", "--session-timeout", "999ms"}), "--session-timeout must be at least 1s");
    EXPECT_EQ(refusal({"ls", "/a", "--session-timeout", "25h"}), "--session-timeout must be at most 24h");
    EXPECT_EQ(refusal({"lock", "/c", "--wait", "9223372036854775807h", "--", "ls"}),
              "'9223372036854775807h' is not a duration for --wait, such as 5 (seconds), 500ms, 2m, 12h or 7d");
    EXPECT_EQ(refusal({"lock", "/c", "--grace", "9223372036854775807ms", "--", "ls"}),
              "'9223372036854775807ms' is not a duration for --grace, such as 5 (seconds), 500ms, 2m, 12h or 7d");
    EXPECT_EQ(refusal({"ls", "/a", "--namespace", "//b"}), "'//b' is not a valid namespace, such as app or teams/app");
    EXPECT_EQ(refusal({"ls", "/a", "--namespace", "a,b"}), "'a,b' is not a valid namespace, such as app or teams/app");
}

TEST(Parse, UnknownCommands) {
    EXPECT_EQ(fault_of({}), "no command given (see: docent --help)");
    EXPECT_EQ(fault_of({"--json"}), "no command given (see: docent --help)");
    EXPECT_EQ(fault_of({"lokc", "/c"}), "unknown command 'lokc'; did you mean lock? (see: docent --help)");
    EXPECT_EQ(fault_of({"--wiat", "ls", "/"}), "unknown option --wiat");
    EXPECT_EQ(fault_of({"help", "lokc"}), "unknown command 'lokc'; did you mean lock? (see: docent --help)");
    EXPECT_EQ(refusal({"help", "ls", "get"}), "unexpected argument 'get'");
}

TEST(Parse, GlobalOptionsStandBeforeOrAfterTheCommand) {
    const LsCommand expected{.connection = {.connect_string = "zk1:2181", .session_timeout = 4s, .name_space = "app"},
                             .format = OutputFormat::json,
                             .path = "/a"};
    EXPECT_EQ(
        parsed<LsCommand>({"--connect", "zk1:2181", "--session-timeout", "4s", "--namespace", "app", "--json", "ls", "/a"}),
        expected);
    EXPECT_EQ(parsed<LsCommand>({"ls", "/a", "--connect=zk1:2181", "--session-timeout=4s", "--namespace=/app", "--json"}),
              expected);
    EXPECT_EQ(parsed<LsCommand>({"--json", "--connect", "zk0:1", "ls", "--connect", "zk1:2181", "/a", "--session-timeout", "4s",
                                 "--namespace", "app"}),
              expected);
}

TEST(Parse, RefusesOptionsThatDoNotApply) {
    EXPECT_EQ(fault_of({"--json", "lock", "/c", "--", "ls"}), "lock: unknown option --json (see: docent lock --help)");
    EXPECT_EQ(fault_of({"--connect", "h", "demo"}), "demo: unknown option --connect (see: docent demo --help)");
    EXPECT_EQ(refusal({"get", "/a", "--version", "1"}), "unknown option --version");
    EXPECT_EQ(refusal({"demo", "now"}), "unexpected argument 'now'");
}

TEST(Parse, ConnectStringComesFromTheOptionThenTheEnvironmentThenADefault) {
    EXPECT_EQ(parsed<LsCommand>({"ls", "/"}).connection.connect_string, "127.0.0.1:2181");
    EXPECT_EQ(parsed<LsCommand>({"ls", "/"}, {{"DOCENT_CONNECT", "zk:1"}}).connection.connect_string, "zk:1");
    EXPECT_EQ(parsed<LsCommand>({"ls", "/", "--connect", "zk:2"}, {{"DOCENT_CONNECT", "zk:1"}}).connection.connect_string,
              "zk:2");
}

TEST(Parse,
     AnEmptyVariableIsRefusedAsAnEmptyOptionIs) { // otherwise a misspelt variable in a script would choose another server
    const auto refused = [](const std::string& option, const std::string& variable, const std::string& before,
                            const std::string& behind) {
        const std::string help = " (see: docent ls --help)";
        EXPECT_EQ(fault_of({"ls", "/", option + "="}), before + option + behind + help);
        EXPECT_EQ(fault_of({"ls", "/"}, {{variable, ""}}), before + "$" + variable + behind + help);
    };
    refused("--connect", "DOCENT_CONNECT", "ls: ", " is empty, and names no server; it should look like host:2181,host:2181");
    refused("--session-timeout", "DOCENT_SESSION_TIMEOUT", "ls: '' is not a duration for ",
            ", such as 5 (seconds), 500ms, 2m, 12h or 7d");
    refused("--auth", "DOCENT_AUTH", "ls: the value of ", " is SCHEME:CREDENTIALS, such as digest:user:password");
    refused("--auth-file", "DOCENT_AUTH_FILE", "ls: ", " is empty, and names no file");
    refused("--config", "DOCENT_CONFIG", "ls: ", " is empty, and names no file");
    EXPECT_EQ(parsed<LsCommand>({"ls", "/"}, {{"DOCENT_NAMESPACE", ""}}).connection.name_space, "");
    EXPECT_EQ(parsed<LsCommand>({"ls", "/", "--namespace="}, {{"DOCENT_NAMESPACE", "app"}}).connection.name_space, "");
}

TEST(Parse, HeartbeatsAreRelaxedOnRequest) {
    const auto heartbeats = [](const std::vector<std::string>& words, const Environment& environment = {}) {
        return parsed<LsCommand>(words, environment).connection.heartbeats;
    };
    EXPECT_EQ(heartbeats({"ls", "/"}), Heartbeats::frequent);
    EXPECT_EQ(heartbeats({"ls", "/", "--relaxed-heartbeats"}), Heartbeats::relaxed);
    EXPECT_EQ(heartbeats({"ls", "/"}, {{"DOCENT_RELAXED_HEARTBEATS", "true"}}), Heartbeats::relaxed);
    EXPECT_EQ(heartbeats({"ls", "/"}, {{"DOCENT_RELAXED_HEARTBEATS", "false"}}), Heartbeats::frequent);
}

TEST(Parse, AuthMayBeGivenMoreThanOnce) {
    EXPECT_EQ(parsed<LsCommand>({"ls", "/", "--auth", "digest:user:pw", "--auth", "ip:1.2.3.4"}).connection.auth,
              (std::vector<AuthInfo>{{"digest", "user:pw"}, {"ip", "1.2.3.4"}}));
}

TEST(Parse, DoesNotShowCredentials) {
    EXPECT_EQ(refusal({"ls", "/", "--auth", "secret"}),
              "the value of --auth is SCHEME:CREDENTIALS, such as digest:user:password");
}

TEST(Parse, TlsIsAskedForByAnyOfItsOptions) {
    const auto tls_of = [](std::vector<std::string> options, Environment environment = {}) {
        options.insert(options.begin(), {"ls", "/"});
        return std::get<LsCommand>(parse(options, environment)).connection;
    };
    EXPECT_EQ(tls_of({}).tls, std::nullopt);
    EXPECT_EQ(tls_of({"--tls"}).tls, TlsConfig{});
    const Connection by_scheme = tls_of({"--connect", "tls://zk1:2281/app"});
    EXPECT_EQ(by_scheme.tls, TlsConfig{});
    EXPECT_EQ(by_scheme.connect_string, "zk1:2281/app");
    const TlsConfig files{.ca_file = "ca", .certificate_file = "cert", .key_file = "key"};
    EXPECT_EQ(tls_of({"--tls-ca", "ca", "--tls-cert", "cert", "--tls-key", "key"}).tls, files);
    EXPECT_EQ(tls_of({}, {{"DOCENT_TLS_CA", "ca"}, {"DOCENT_TLS_CERT", "cert"}, {"DOCENT_TLS_KEY", "key"}}).tls, files);
    EXPECT_EQ(tls_of({}, {{"DOCENT_TLS", "true"}}).tls, TlsConfig{});
    EXPECT_EQ(tls_of({}, {{"DOCENT_TLS", "false"}}).tls, std::nullopt);
    EXPECT_THROW(tls_of({}, {{"DOCENT_TLS", "yes"}}), UsageError);
    EXPECT_THROW(tls_of({"--tls-ca", ""}), UsageError);
}

TEST(Parse, NamesOfNodesWantTheirPath) { // output for scripts has names without their paths
    for (const std::string command : {"revoke", "break"}) {
        EXPECT_EQ(refusal({command, "_c_x-lock-0000000001"}), "'_c_x-lock-0000000001' has no PATH in front: NODE is PATH/NAME");
    }
}

TEST(Parse, NodeCommands) {
    EXPECT_EQ(parsed<GetCommand>({"get", "/a"}), (GetCommand{.path = "/a"}));
    EXPECT_EQ(parsed<StatCommand>({"stat", "/a"}), (StatCommand{.path = "/a"}));
    EXPECT_EQ(parsed<ExistsCommand>({"exists", "/a"}), (ExistsCommand{.path = "/a"}));
    EXPECT_EQ(parsed<LeaderCommand>({"leader", "/a", "--json"}), (LeaderCommand{.format = OutputFormat::json, .path = "/a"}));
    EXPECT_EQ(refusal({"leader"}), "PATH is missing");
    EXPECT_EQ(parsed<SetCommand>({"set", "/a", "x"}), (SetCommand{.path = "/a", .data = "x"}));
    EXPECT_EQ(parsed<SetCommand>({"set", "/a", "-", "--version", "3"}),
              (SetCommand{.path = "/a", .data = StandardInput{}, .version = 3}));
    EXPECT_EQ(parsed<SetCommand>({"set", "/a", "--", "--x"}), (SetCommand{.path = "/a", .data = "--x"}));
    EXPECT_EQ(parsed<SetCommand>({"set", "--", "/a", ""}), (SetCommand{.path = "/a", .data = ""}));
    EXPECT_EQ(parsed<DeleteCommand>({"delete", "/a", "--version=0"}), (DeleteCommand{.path = "/a", .version = 0}));
    EXPECT_EQ(refusal({"set", "/a"}), "DATA is missing");
}

TEST(Parse, Create) {
    EXPECT_EQ(parsed<CreateCommand>({"create", "/a"}), (CreateCommand{.path = "/a"}));
    EXPECT_EQ(
        parsed<CreateCommand>({"create", "/a", "x", "--sequential", "--parents"}),
        (CreateCommand{.path = "/a", .data = "x", .mode = CreateMode::persistent_sequential, .parents = Parents::persistent}));
    EXPECT_EQ(parsed<CreateCommand>({"create", "/a", "--container"}),
              (CreateCommand{.path = "/a", .mode = CreateMode::container}));
    EXPECT_EQ(refusal({"create", "/a", "--container", "--sequential"}), "ZooKeeper has no sequential containers");
}

TEST(Parse, AccessControlLists) {
    const Acl acl{{Permission::read, "world", "anyone"}};
    EXPECT_EQ(parsed<GetAclCommand>({"get-acl", "/a"}), (GetAclCommand{.path = "/a"}));
    EXPECT_EQ(parsed<SetAclCommand>({"set-acl", "/a", "world:anyone:r", "--version", "2"}),
              (SetAclCommand{.path = "/a", .acl = acl, .version = 2}));
    EXPECT_EQ(parsed<CreateCommand>({"create", "/a", "--acl", "world:anyone:r"}), (CreateCommand{.path = "/a", .acl = acl}));
    EXPECT_EQ(fault_of({"set-acl", "/a", "all"}).rfind("set-acl: 'all' is not a list for ACL, such as world:anyone:r,", 0), 0u);
    EXPECT_EQ(fault_of({"create", "/a", "--acl="}).rfind("create: '' is not a list for --acl, such as ", 0), 0u);
}

TEST(Parse, ServerAndDemo) {
    EXPECT_EQ(parsed<ServerCommand>({"server"}), (ServerCommand{.port = 2181, .data_dir = ""}));
    EXPECT_EQ(parsed<ServerCommand>({"server", "--port", "0", "--data", "/d"}), (ServerCommand{.port = 0, .data_dir = "/d"}));
    EXPECT_EQ(parsed<ServerCommand>({"server", "--memory"}), (ServerCommand{.kind = ServerKind::in_memory}));
    EXPECT_EQ(parsed<DemoCommand>({"demo"}), DemoCommand{ServerKind::in_memory});
    EXPECT_EQ(parsed<DemoCommand>({"demo", "--real"}), DemoCommand{ServerKind::real});
    EXPECT_EQ(refusal({"server", "--data", ""}), "--data needs the name of a folder");
    EXPECT_EQ(refusal({"server", "--data", "/d", "--memory"}),
              "--memory keeps no data; leave out --data, or leave out --memory for a real ZooKeeper");
}

TEST(Parse, HelpAndVersion) {
    EXPECT_EQ(parsed<HelpCommand>({"help"}), HelpCommand{});
    EXPECT_EQ(parsed<HelpCommand>({"--help"}), HelpCommand{});
    EXPECT_EQ(parsed<HelpCommand>({"--json", "-h", "lock"}), HelpCommand{});
    EXPECT_EQ(parsed<HelpCommand>({"help", "lock"}), HelpCommand{"lock"});
    EXPECT_EQ(parsed<HelpCommand>({"lock", "--help"}), HelpCommand{"lock"});
    EXPECT_EQ(parsed<HelpCommand>({"help", "help"}), HelpCommand{"help"});
    EXPECT_EQ(parsed<HelpCommand>({"help", "options"}), HelpCommand{"options"});
    EXPECT_EQ(parsed<HelpCommand>({"help", "--man"}).text, HelpCommand::Text::man_page);
    EXPECT_EQ(refusal({"help", "ls", "--man"}), "the man page is about all commands");
    EXPECT_EQ(parsed<HelpCommand>({"completion", "zsh"}).text, HelpCommand::Text::zsh_completion);
    EXPECT_EQ(refusal({"completion", "csh"}), "'csh' is not bash or zsh");
    EXPECT_EQ(refusal({"completion"}), "SHELL is missing");
    EXPECT_EQ(parsed<HelpCommand>({"--version"}).text, HelpCommand::Text::version);
}

TEST(Parse, HelpOfTheProgramThatIsRunIsItsOwnBusiness) {
    EXPECT_EQ(parsed<LockCommand>({"lock", "/c", "--", "ls", "--help"}).hold.program, (Words{"ls", "--help"}));
}

class ConfigFile : public ::testing::Test {
protected:
    ~ConfigFile() override { std::filesystem::remove(name); }

    void write(const std::string& text) const {
        std::ofstream(name) << text;
        std::filesystem::permissions(name, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
    }

    std::string fault_in(const std::string& text) const {
        write(text);
        return fault_of({"ls", "/", "--config", name});
    }

    const std::string name =
        (std::filesystem::temp_directory_path() / ("docent-config-test-" + std::to_string(::getpid()))).string();
};

TEST_F(ConfigFile, FillsOptionsThatAreNotTyped) {
    write("# servers\nconnect = zk1:1,[::1]:2/app\nsession-timeout=4s\nrelaxed-heartbeats = true\njson = true\n\n"
          "auth = digest:user:p#w, [x]\n; more\nauth=ip:1\n");
    const LsCommand expected{.connection = {.connect_string = "zk1:1,[::1]:2/app",
                                            .session_timeout = 4s,
                                            .heartbeats = Heartbeats::relaxed,
                                            .auth = {{"digest", "user:p#w, [x]"}, {"ip", "1"}}},
                             .format = OutputFormat::json,
                             .path = "/a"};
    EXPECT_EQ(parsed<LsCommand>({"ls", "/a", "--config", name}), expected);
    EXPECT_EQ(parsed<LsCommand>({"--config", name, "ls", "/a"}), expected);
    EXPECT_EQ(parsed<LsCommand>({"ls", "/a"}, {{"DOCENT_CONFIG", name}}), expected);
    EXPECT_EQ(parsed<LsCommand>({"ls", "/a", "--config", name}, {{"DOCENT_CONFIG", "/none"}}), expected);
    EXPECT_EQ(parsed<DeleteCommand>({"delete", "/a", "--config", name}).path, "/a") << "which prints no JSON";
}

TEST_F(ConfigFile, TheCommandLineComesFirstThenTheEnvironmentThenTheFile) {
    write("connect = file:1\nnamespace = file\nauth = digest:file:\n");
    const Environment environment{{"DOCENT_CONFIG", name},
                                  {"DOCENT_CONNECT", "environment:1"},
                                  {"DOCENT_SESSION_TIMEOUT", "7s"},
                                  {"DOCENT_NAMESPACE", "environment"},
                                  {"DOCENT_AUTH", "digest:environment:"}};
    const Connection expected{
        .connect_string = "typed:1", .session_timeout = 7s, .name_space = "environment", .auth = {{"digest", "environment:"}}};
    EXPECT_EQ(parsed<LsCommand>({"ls", "/", "--connect", "typed:1"}, environment).connection, expected);
    EXPECT_EQ(parsed<LsCommand>({"--connect", "typed:1", "ls", "/"}, environment).connection, expected);
    EXPECT_EQ(parsed<LsCommand>({"ls", "/"}, {{"DOCENT_CONFIG", name}}).connection,
              (Connection{.connect_string = "file:1", .name_space = "file", .auth = {{"digest", "file:"}}}));
}

TEST_F(ConfigFile, HasASectionForACommand) {
    write("connect = zk:1\njson = true\n[lock]\nconnect = zk:2\nwait = 5m\nrevocable = true\n[ls]\njson = false\n");
    const auto lock = parsed<LockCommand>({"lock", "/a", "--config", name, "--", "true"}).hold;
    EXPECT_EQ(lock.connection.connect_string, "zk:2");
    EXPECT_EQ(lock.wait, QueueTime{AtMostInQueue{5min}});
    EXPECT_TRUE(lock.revocable);
    EXPECT_EQ(parsed<LockCommand>({"lock", "/a", "--config", name, "--no-wait", "--", "true"}).hold.wait, QueueTime{NoQueue{}});
    const auto ls = parsed<LsCommand>({"ls", "/a", "--config", name});
    EXPECT_EQ(ls.connection.connect_string, "zk:1");
    EXPECT_EQ(ls.format, OutputFormat::text);
}

TEST_F(ConfigFile, NamesTheMistake) {
    const std::string file = "config file " + name + ": ";
    const std::string see = " (see: docent ls --help)";
    const std::string known =
        ", but connect, session-timeout, relaxed-heartbeats, namespace, auth, auth-file, tls, tls-ca, tls-cert, tls-key, json";
    EXPECT_EQ(fault_in("conect = a"), file + "there is no option conect" + known);
    EXPECT_EQ(fault_in("wait = 5s"), file + "the option wait stands below a command that takes it: [lock], [read-lock], "
                                            "[write-lock], [semaphore]");
    EXPECT_EQ(fault_in("help = true"), file + "there is no option help" + known);
    EXPECT_EQ(fault_in("version = true").find(file + "the option version stands below a command that takes it: ["), 0U);
    EXPECT_EQ(fault_in("config = other"), file + "there is no option config" + known);
    const auto in_lock = fault_in("[lock]\npermits = 3");
    EXPECT_EQ(in_lock.find(file + "there is no option permits in [lock], but once-per, "), 0U) << in_lock;
    EXPECT_NE(in_lock.find(", wait, "), std::string::npos) << in_lock;
    EXPECT_EQ(fault_in("[lokc]\nwait = 3s"), file + "[lokc] is not a command that talks to ZooKeeper");
    EXPECT_EQ(fault_in("[demo]\njson = true"), file + "[demo] is not a command that talks to ZooKeeper");
    EXPECT_EQ(fault_in("json = yes"), file + "json is true or false");
    EXPECT_EQ(fault_in("session-timeout = 5x"), "ls: '5x' is not a duration for session-timeout in " + name +
                                                    ", such as 5 (seconds), 500ms, 2m, 12h or 7d" + see);
    std::filesystem::remove(name);
    EXPECT_EQ(fault_of({"ls", "/", "--config", name}), file + "cannot be read: No such file or directory");
    EXPECT_EQ(fault_of({"ls", "/", "--config", "/"}), "config file /: cannot be read: Is a directory");
}

TEST_F(ConfigFile, QuotesAndCommentsBehindValuesAreRefused) {
    const std::string line = "config file " + name + ": line 2 ";
    EXPECT_EQ(fault_in("\nconnect = \"zk:1\""), line + "has quotes around its value; it stands without them");
    EXPECT_EQ(fault_in("\nconnect = 'zk:1'"), line + "has quotes around its value; it stands without them");
    EXPECT_EQ(fault_in("\nconnect = zk:1 # the server"),
              line + "has a comment behind its value; a comment has a line of its own");
    EXPECT_EQ(fault_in("\nconnect =# the server"), line + "has a comment behind its value; a comment has a line of its own");
    EXPECT_EQ(fault_in("\n[ls] # where"), line + "is not [COMMAND]");
    write("[lock]\non-lost = \"/opt/my mail\" \"lost\"\nlabel = it's\nauth = digest:a:b#c\n");
    const auto lock = parsed<LockCommand>({"lock", "/a", "--config", name}).hold;
    EXPECT_EQ(lock.on_lost, "\"/opt/my mail\" \"lost\"");
    EXPECT_EQ(lock.label, "it's");
    EXPECT_EQ(lock.connection.auth.at(0).credentials, "a:b#c");
}

TEST_F(ConfigFile, ControlCharactersAreRefused) {
    for (const char* text : {"json = \x1d"
                             "l",
                             "\tconnect = a\x1f", "json = \x1e", "[a = \x1d."}) {
        EXPECT_NE(fault_in(text).find("line 1 has control characters"), std::string::npos) << fault_in(text);
    }
}

TEST_F(ConfigFile, DoesNotShowSecrets) {
    EXPECT_EQ(fault_in("connect = zk:1\nhunter2\n"), "config file " + name + ": line 2 is not NAME = VALUE");
    EXPECT_EQ(fault_in("auth = hunter2"), "ls: the value of auth in " + name +
                                              " is SCHEME:CREDENTIALS, such as digest:user:password (see: docent ls --help)");
}

TEST_F(ConfigFile, IsNotReadForHelp) {
    EXPECT_EQ(parsed<HelpCommand>({"ls", "--help"}, {{"DOCENT_CONFIG", "/none"}}), HelpCommand{"ls"});
    EXPECT_EQ(parsed<DemoCommand>({"demo"}, {{"DOCENT_CONFIG", "/none"}}), DemoCommand{});
}

} // namespace
} // namespace docent::cli
