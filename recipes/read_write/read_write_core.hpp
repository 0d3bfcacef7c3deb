// SPDX-License-Identifier: Apache-2.0
#pragma once

// The two sides of a read/write lock. Each knows the other.

#include "mutex/mutex_core.hpp"

#include <memory>
#include <string>

namespace docent::detail {

/// `<path>/_c_<uuid>-__WRIT__<ten digits>`
class WriteCore final : public MutexCore {
public:
    WriteCore(std::shared_ptr<ClientView> view, std::string path, BootNow boot_now, LeaseTerms terms, OtherNamesPtr others);

    Sibling sibling() const override;

    /// Call it once, before any other thread knows this object.
    void set_reader(const std::shared_ptr<MutexCore>& reader) { reader_ = reader; }

private:
    std::weak_ptr<MutexCore> reader_;
};

/// `<path>/_c_<uuid>-__READ__<ten digits>`
class ReadCore final : public MutexCore {
public:
    ReadCore(std::shared_ptr<MutexCore> writer, BootNow boot_now = &session::BootClock::now);
    Sibling sibling() const override;

private:
    const std::shared_ptr<MutexCore> writer_;
};

struct ReadWriteCores {
    std::shared_ptr<WriteCore> write;
    std::shared_ptr<ReadCore> read;
};
ReadWriteCores make_read_write(std::shared_ptr<ClientView> view, std::string path,
                               const BootNow& boot_now = &session::BootClock::now, LeaseTerms terms = {},
                               OtherNamesPtr others = nullptr);

} // namespace docent::detail
