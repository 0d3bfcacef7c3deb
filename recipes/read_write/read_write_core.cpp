// SPDX-License-Identifier: Apache-2.0

#include "read_write/read_write_core.hpp"
#include "lease/lease_core.hpp"
#include "names/node_name.hpp"
#include "read_write/downgrade_operation.hpp"

#include <docent/recipes/inter_process_read_write_lock.hpp>

#include <utility>

namespace docent::detail {

WriteCore::WriteCore(std::shared_ptr<ClientView> view, std::string path, BootNow boot_now, LeaseTerms terms,
                     OtherNamesPtr others)
    : MutexCore(std::move(view),
                {std::move(path), read_write_names().beside(std::move(others)), write_token.text, Deletion::list_again,
                 std::move(terms)},
                std::move(boot_now)) {}

Sibling WriteCore::sibling() const {
    const auto reader = reader_.lock();
    switch (reader ? reader->holds().held() : ThreadHolds::Ownership::nothing) {
    case ThreadHolds::Ownership::nothing: return {};
    case ThreadHolds::Ownership::lost: return {Sibling::Kind::lost};
    case ThreadHolds::Ownership::surely: return {Sibling::Kind::in_the_way};
    }
    return {};
}

ReadCore::ReadCore(std::shared_ptr<MutexCore> writer, BootNow boot_now)
    : MutexCore(writer->view(), {writer->path(), writer->place()->names, read_token.text, Deletion::admits, writer->terms()},
                std::move(boot_now)),
      writer_(std::move(writer)) {}

Sibling ReadCore::sibling() const {
    switch (writer_->holds().held()) {
    case ThreadHolds::Ownership::nothing: return {};
    case ThreadHolds::Ownership::lost: return {Sibling::Kind::lost};
    case ThreadHolds::Ownership::surely: break;
    }
    return {Sibling::Kind::lets_in, [write = writer_->holds().lease()](CallOptions call, Handler<Lease> handler) {
                initiate_beside(write, std::move(call), std::move(handler));
            }};
}

ReadWriteCores make_read_write(std::shared_ptr<ClientView> view, std::string path, const BootNow& boot_now, LeaseTerms terms,
                               OtherNamesPtr others) {
    ReadWriteCores cores;
    cores.write = std::make_shared<WriteCore>(std::move(view), std::move(path), boot_now, std::move(terms), std::move(others));
    cores.read = std::make_shared<ReadCore>(cores.write, boot_now);
    cores.write->set_reader(cores.read);
    return cores;
}

} // namespace docent::detail

namespace docent {

struct InterProcessReadWriteLock::Sides {
    detail::ReadWriteCores cores;
};

InterProcessReadWriteLock::InterProcessReadWriteLock(Client& client, std::string_view path, LockOptions options)
    : InterProcessReadWriteLock([&] {
          auto [view, lock_path, terms, others] = detail::check_lock(client, "read/write lock", path, std::move(options));
          return Sides{detail::make_read_write(std::move(view), std::move(lock_path), &session::BootClock::now,
                                               std::move(terms), std::move(others))};
      }()) {}

InterProcessReadWriteLock::InterProcessReadWriteLock(Sides sides)
    : write_(std::move(sides.cores.write)), read_(std::move(sides.cores.read)) {}

InterProcessReadWriteLock::InterProcessReadWriteLock(detail::SameObject same, const InterProcessReadWriteLock& other)
    : write_(same, other.write_), read_(same, other.read_) {}

InterProcessReadWriteLock::~InterProcessReadWriteLock() = default;

const std::string& InterProcessReadWriteLock::path() const noexcept {
    return write_.path();
}

} // namespace docent
