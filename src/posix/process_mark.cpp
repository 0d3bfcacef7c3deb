// SPDX-License-Identifier: Apache-2.0
#include "posix/process_mark.hpp"

#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <new>
#include <utility>

namespace docent::posix {
namespace {

using Number = std::atomic<std::uint64_t>;

constinit Number no_page{0};                         // used before the page exists, or if it cannot be made
constinit std::atomic<std::uint64_t> last_number{0}; // the last number of this process or an ancestor

/// Makes a page of memory that is zero in each child, however the child was made. Returns null without memory.
Number* make_page() noexcept {
    const auto size = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    void* const page = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) return nullptr;
    // Kernels before 4.14 do not know this flag, and some emulators ignore it. Then the handler below covers fork(), but
    // neither _Fork() nor clone().
    static_cast<void>(::madvise(page, size, MADV_WIPEONFORK));
    return new (page) Number(0);
}

void forget_number() noexcept {
    detail::process_number.load()->store(0);
}

/// Runs when the library is loaded, before any fork(). Earlier marks keep their number.
bool prepare() noexcept {
    if (Number* const page = make_page()) {
        page->store(no_page.load());
        detail::process_number.store(page);
    }
    return ::pthread_atfork(nullptr, nullptr, forget_number) == 0;
}

struct Kept {
    std::shared_ptr<void> object;
    Kept* next;
};
constinit std::atomic<Kept*> all_kept{nullptr};

} // namespace

constinit std::atomic<Number*> detail::process_number{&no_page};

namespace {
[[maybe_unused]] const bool is_prepared = prepare();
} // namespace

std::uint64_t detail::number_this_process() noexcept {
    Number& number = *process_number.load();
    std::uint64_t found = number.load();
    if (found != 0) return found;
    const std::uint64_t mine = last_number.fetch_add(1) + 1;
    return number.compare_exchange_strong(found, mine) ? mine : found;
}

void keep_for_ever(std::shared_ptr<void> object) noexcept {
    if (auto* const kept = new (std::nothrow) Kept{std::move(object), all_kept.load()}) {
        while (!all_kept.compare_exchange_weak(kept->next, kept)) {
        }
        return;
    }
    alignas(std::shared_ptr<void>) unsigned char not_destroyed[sizeof(std::shared_ptr<void>)];
    static_cast<void>(new (not_destroyed) std::shared_ptr<void>(std::move(object)));
}

} // namespace docent::posix
