// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "locks_fixture.hpp"

#include <docent/recipes/inter_process_read_write_lock.hpp>

#include <boost/asio/use_future.hpp>

#include <future>
#include <optional>
#include <string>
#include <vector>

namespace docent::test {

/// A read/write lock of docent's and a read/write lock of Curator's on the same path.
class LocksReadWrite : public LocksFixture {
protected:
    std::optional<InterProcessReadWriteLock> lock;

    void SetUp() override {
        LocksFixture::SetUp();
        lock.emplace(*client, "/lock");
    }
    JavaLock reading(const std::string& thread) { return {java, thread, "read"}; }
    JavaLock writing(const std::string& thread) { return {java, thread, "write"}; }
    std::future<Lease> begin_read() { return lock->read_lock().async_acquire(asio::use_future); }
    std::future<Lease> begin_write() { return lock->write_lock().async_acquire(asio::use_future); }
    std::vector<std::string> in_order() { return queue(detail::read_write_names()); }

    /// Removes the node. A waiter that is still blocked then watches the next node in its way; a waiter that was admitted would
    /// show that.
    template <class Waits> void expect_waits_for(const std::string& name, Waits still_waits) {
        EXPECT_TRUE(eventually([&] { return is_waited_for(name) || !still_waits(); })) << name;
        EXPECT_TRUE(still_waits());
    }
    /// The name of the node at this place in the queue, checked against its expected kind.
    std::string node_at(std::size_t place, const std::string& token) {
        const auto names = in_order();
        if (place >= names.size()) return "none";
        EXPECT_NE(names[place].find(token), std::string::npos) << names[place];
        return names[place];
    }
};

} // namespace docent::test
