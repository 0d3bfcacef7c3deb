// SPDX-License-Identifier: Apache-2.0
#include <docent/recipes/inter_process_read_write_lock.hpp>

#include "client/core/access.hpp"
#include "lease/lease_terms.hpp"
#include "names/other_names.hpp"
#include "read_write/read_write_core.hpp"

#include <docent/client.hpp>
#include <docent/path.hpp>

namespace docent {

struct InterProcessReadWriteLock::Sides {
    detail::ReadWriteCores cores;
};

InterProcessReadWriteLock::InterProcessReadWriteLock(Client& client, std::string_view path, LockOptions options)
    : InterProcessReadWriteLock([&] {
          if (const error_code ec = check_path(path)) {
              throw Error(ec, "read/write lock " + std::string(path) + ": " + explain_path(path));
          }
          const auto& view = detail::Access::open_view(client, "read/write lock");
          auto others = detail::make_other_names(std::move(options.others), path);
          auto terms = detail::lease_terms(*view, std::string(path), std::move(options));
          return Sides{
              detail::make_read_write(view, std::string(path), &session::BootClock::now, std::move(terms), std::move(others))};
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
