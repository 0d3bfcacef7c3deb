// SPDX-License-Identifier: Apache-2.0
#include "session/resolver.hpp"

#include "eventually.hpp"
#include "fake_dns.hpp"
#include "limits.hpp"

#include <boost/asio/io_context.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

namespace docent::session {
namespace {

using namespace std::chrono_literals;
using test::eventually;
using test::FakeDns;

class ResolverTest : public ::testing::Test {
protected:
    FakeDns dns;
    asio::io_context context;
    std::shared_ptr<Resolver> resolver;
    std::vector<Resolver::Result> results;

    void resolve(std::vector<HostPort> servers) {
        resolver = std::make_shared<Resolver>(context.get_executor(), std::move(servers), dns.lookups());
        resolve_again();
    }
    void resolve_again() {
        resolver->resolve([this](const Resolver::Result& result) { results.push_back(result); });
    }
    bool run_until(const std::function<bool()>& condition) {
        return eventually([&] {
            context.restart();
            context.poll();
            return condition();
        });
    }
    bool found(const std::vector<HostPort>& addresses) {
        return run_until([&] { return !results.empty() && results.back().addresses == addresses; });
    }
    bool completed() {
        return run_until([&] { return !results.empty() && results.back().complete; });
    }
};

TEST_F(ResolverTest, NumericAddressesAreThereWithoutALookup) {
    resolve({{"10.0.0.1", 1}, {"::1", 2}});
    ASSERT_TRUE(completed());
    EXPECT_EQ(results.back().addresses, (std::vector<HostPort>{{"10.0.0.1", 1}, {"::1", 2}}));
    EXPECT_EQ(results.back().fault, "");
    EXPECT_TRUE(resolver->all_numeric());
}

/// The client looks up failed attempts and names for certificates by the address in the form that the C client uses.
TEST_F(ResolverTest, AddressesAreWrittenAsTheCClientTellsThem) {
    dns.find("zk", "fe80::2%eth0");
    resolve({{"2001:DB8:0:0:0:0:0:1", 1}, {"2001:db8::1", 1}, {"fe80:0:0:0:0:0:0:1%eth0", 2}, {"zk", 3}});
    ASSERT_TRUE(completed());
    EXPECT_EQ(results.back().addresses, (std::vector<HostPort>{{"2001:db8::1", 1}, {"fe80::1%eth0", 2}, {"fe80::2%eth0", 3}}));
    using Names = std::vector<std::string>;
    EXPECT_EQ(
        results.back().hosts,
        (HostsOfAddress{{"2001:db8::1:1", Names{"2001:db8::1"}}, {"fe80::1:2", Names{"fe80::1"}}, {"fe80::2:3", Names{"zk"}}}));
}

TEST_F(ResolverTest, ASilentNameHoldsUpNoOtherServer) {
    resolve({{"silent", 1}, {"10.0.0.1", 2}, {"late", 3}});
    EXPECT_TRUE(found({{"10.0.0.1", 2}}));
    EXPECT_FALSE(results.back().complete);
    dns.find("late", "10.0.0.3");
    EXPECT_TRUE(found({{"10.0.0.1", 2}, {"10.0.0.3", 3}}));
    EXPECT_TRUE(results.back().fault.starts_with("cannot resolve silent (no answer from DNS")) << results.back().fault;
    EXPECT_TRUE(results.back().fault.ends_with("); trying the other servers"));
    dns.answer("silent", {{"10.0.0.4", "::4"}, {}});
    EXPECT_TRUE(found({{"10.0.0.4", 1}, {"::4", 1}, {"10.0.0.1", 2}, {"10.0.0.3", 3}})) << "in the order of the servers";
    EXPECT_TRUE(results.back().complete);
    EXPECT_EQ(results.back().fault, "");
}

TEST_F(ResolverTest, ABadNameLeavesTheOthers) {
    dns.answer("bad", {{}, "Name or service not known"});
    dns.find("good", "10.0.0.1");
    resolve({{"bad", 1}, {"good", 2}});
    ASSERT_TRUE(completed());
    EXPECT_EQ(results.back().addresses, (std::vector<HostPort>{{"10.0.0.1", 2}}));
    EXPECT_EQ(results.back().fault, "cannot resolve bad: Name or service not known; trying the other servers");
}

TEST_F(ResolverTest, AnAddressHasAllHostsThatLeadToIt) {
    dns.answer("all", {{"10.0.0.1", "10.0.0.2"}, {}});
    dns.find("a", "10.0.0.1");
    resolve({{"all", 1}, {"10.0.0.2", 1}, {"a", 1}, {"a", 2}, {"all", 1}});
    ASSERT_TRUE(completed());
    EXPECT_EQ(results.back().addresses, (std::vector<HostPort>{{"10.0.0.1", 1}, {"10.0.0.2", 1}, {"10.0.0.1", 2}}));
    using Names = std::vector<std::string>;
    EXPECT_EQ(results.back().hosts,
              (HostsOfAddress{
                  {"10.0.0.1:1", Names{"all", "a"}}, {"10.0.0.1:2", Names{"a"}}, {"10.0.0.2:1", Names{"all", "10.0.0.2"}}}));
}

TEST_F(ResolverTest, ANameThatIsBeingLookedUpIsNotLookedUpASecondTime) {
    resolve({{"silent", 1}, {"silent", 2}});
    ASSERT_TRUE(run_until([&] { return dns.asked("silent") > 0; }));
    const auto first = resolver;
    for (int i = 0; i < 20; ++i) resolve({{"silent", 1}});
    for (int i = 0; i < 20; ++i) resolve_again();
    dns.find("silent", "10.0.0.1");
    EXPECT_TRUE(found({{"10.0.0.1", 1}}));
    EXPECT_EQ(dns.asked("silent"), 1);
    results.clear();
    resolve_again();
    ASSERT_TRUE(completed());
    EXPECT_EQ(dns.asked("silent"), 2) << "once answered, it may have changed";
}

TEST_F(ResolverTest, AnAddressThatWasFoundStaysWhenItsNameIsNotFoundLater) {
    dns.find("a", "10.0.0.1");
    resolve({{"a", 1}});
    ASSERT_TRUE(found({{"10.0.0.1", 1}}));
    dns.answer("a", {{}, "Temporary failure in name resolution"});
    results.clear();
    resolve_again();
    ASSERT_TRUE(completed());
    EXPECT_EQ(results.back().addresses, (std::vector<HostPort>{{"10.0.0.1", 1}}));
    dns.find("a", "10.0.0.2");
    resolve_again();
    EXPECT_TRUE(found({{"10.0.0.2", 1}}));
}

TEST_F(ResolverTest, OtherServersAreResolvedInPlaceOfTheFirst) {
    dns.find("b", "10.0.0.2");
    resolve({{"silent", 1}});
    ASSERT_TRUE(run_until([&] { return dns.asked("silent") > 0; }));
    resolver->set_servers({{"b", 2}});
    resolve_again();
    EXPECT_TRUE(found({{"10.0.0.2", 2}}));
    EXPECT_TRUE(results.back().complete);
}

/// After a cancellation or a destruction, no handler is called and the executor has no work left.
TEST_F(ResolverTest, NothingWaitsForALookup) {
    resolve({{"silent", 1}});
    ASSERT_TRUE(run_until([&] { return dns.asked("silent") == 1 && results.size() == 1; }));
    resolver->cancel();
    context.restart();
    context.run(); // returns at once: no work is left
    resolve({{"other", 1}});
    ASSERT_TRUE(run_until([&] { return dns.asked("other") == 1; }));
    const auto said = results.size();
    resolver.reset();
    context.restart();
    context.run();
    dns.find("silent", "10.0.0.1");
    dns.find("other", "10.0.0.1");
    EXPECT_EQ(results.size(), said);
}

TEST_F(ResolverTest, ALookupMayEndAfterTheExecutorIsDestroyed) {
    {
        asio::io_context other;
        const auto gone = std::make_shared<Resolver>(other.get_executor(), std::vector<HostPort>{{"silent", 1}}, dns.lookups());
        gone->resolve([](const auto&) {});
        other.poll();
        ASSERT_TRUE(eventually([&] { return dns.asked("silent") == 1; }));
    }
    dns.find("silent", "10.0.0.1");
    resolve({{"silent", 1}});
    EXPECT_TRUE(found({{"10.0.0.1", 1}}));
}

TEST_F(ResolverTest, LookupsAtOnceAreLimited) {
    std::vector<HostPort> servers;
    for (std::size_t i = 0; i <= Lookups::most_at_once; ++i) servers.push_back({"silent" + std::to_string(i), 1});
    servers.push_back({"10.0.0.1", 1});
    resolve(servers);
    ASSERT_TRUE(found({{"10.0.0.1", 1}}));
    EXPECT_NE(results.back().fault.find("cannot resolve silent64: too many other names are being looked up"), std::string::npos)
        << results.back().fault;
}

TEST_F(ResolverTest, ALookupWithoutAThreadIsRepeatedTheNextTime) {
    dns.find("a", "10.0.0.1");
    {
        const test::NoThreads none;
        resolve({{"a", 1}});
        ASSERT_TRUE(completed());
        EXPECT_TRUE(results.back().fault.starts_with("cannot resolve a: no thread can be started")) << results.back().fault;
    }
    results.clear();
    resolve_again();
    ASSERT_TRUE(completed());
    EXPECT_EQ(results.back().addresses, (std::vector<HostPort>{{"10.0.0.1", 1}}));
    EXPECT_EQ(results.back().fault, "");
}

TEST(SystemLookup, FindsTheLocalHostAndReportsAnUnknownName) {
    const auto here = look_up_by_system("localhost");
    EXPECT_EQ(here.fault, "");
    EXPECT_FALSE(here.addresses.empty());
    EXPECT_EQ(std::set(here.addresses.begin(), here.addresses.end()).size(), here.addresses.size()) << "each once";
    const auto nowhere = look_up_by_system("no_such_host.invalid");
    EXPECT_NE(nowhere.fault, "");
    EXPECT_TRUE(nowhere.addresses.empty());
}

/// A child process has none of its parent's threads, and the parent's mutex may be locked for ever.
TEST(LookupsOfAProcess, AChildHasItsOwn) {
    const auto ours = Lookups::of_process();
    EXPECT_EQ(ours, Lookups::of_process());
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        const auto its_own = Lookups::of_process();
        ::_exit(its_own != ours && its_own == Lookups::of_process() ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
}

} // namespace
} // namespace docent::session
