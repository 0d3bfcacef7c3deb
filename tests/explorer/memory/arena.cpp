// SPDX-License-Identifier: Apache-2.0
#include "arena.hpp"

#include <sys/mman.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define DOCENT_HAS_ARENA 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define DOCENT_HAS_ARENA 0
#endif
#endif
#ifndef DOCENT_HAS_ARENA
#define DOCENT_HAS_ARENA 1
#endif

namespace docent::explorer::arena {
namespace {

constexpr std::size_t arena_size = std::size_t{1} << 28;
constexpr std::size_t unit = 16;
constexpr std::size_t small_classes = 256; // one for each multiple of the unit; then one for each power of two

struct Block {
    std::size_t size_class;
    Block* next; // the next free block; of an `aligned` block: the block around it
};
constexpr std::size_t aligned = 0; // marks a block of take_aligned(); real size classes begin at 1
static_assert(sizeof(Block) == unit);

/// Lies at the beginning of the arena, so that restore() restores it, too.
struct Head {
    unsigned char* top;
    Block* free[small_classes + 64];
};

Head* head = nullptr;
bool is_active = false;

unsigned char* begin() {
    return reinterpret_cast<unsigned char*>(head);
}

void open() {
    if (head) return;
    void* const memory =
        ::mmap(nullptr, arena_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) std::abort();
    head = static_cast<Head*>(memory);
    head->top = begin() + (sizeof(Head) + unit - 1) / unit * unit;
}

bool contains(const void* memory) {
    return head && memory >= begin() && memory < begin() + arena_size;
}

std::pair<std::size_t, std::size_t> class_and_size(std::size_t size) {
    const std::size_t units = size == 0 ? 1 : (size + unit - 1) / unit;
    if (units < small_classes) return {units, units * unit};
    std::size_t power = 0;
    while ((unit << power) < size) ++power;
    return {small_classes + power, unit << power};
}

void* take(std::size_t size) {
    const auto [size_class, length] = class_and_size(size);
    Block*& first = head->free[size_class];
    if (first) return std::exchange(first, first->next) + 1;
    if (head->top + sizeof(Block) + length > begin() + arena_size) return nullptr;
    auto* const block = reinterpret_cast<Block*>(head->top);
    head->top += sizeof(Block) + length;
    block->size_class = size_class;
    return block + 1;
}

/// Aligns to a multiple of more than the unit.
void* take_aligned(std::size_t alignment, std::size_t size) {
    void* const all = take(size + alignment);
    if (all == nullptr) return nullptr;
    const auto at = (reinterpret_cast<std::uintptr_t>(all) / alignment + 1) * alignment; // at least a unit behind `all`
    Block* const block = reinterpret_cast<Block*>(at) - 1;
    *block = {aligned, static_cast<Block*>(all) - 1};
    return block + 1;
}

void give_back(void* memory) {
    Block* block = static_cast<Block*>(memory) - 1;
    if (block->size_class == aligned) block = block->next;
    block->next = std::exchange(head->free[block->size_class], block);
}

std::size_t size_of(void* memory) { // not for an `aligned` block
    const std::size_t size_class = (static_cast<Block*>(memory) - 1)->size_class;
    if (size_class == aligned) std::abort();
    return size_class < small_classes ? size_class * unit : unit << (size_class - small_classes);
}

} // namespace

bool is_available() {
    return DOCENT_HAS_ARENA != 0;
}

Scope::Scope(Allocations allocations) : before_(is_active) {
    if (allocations == Allocations::inside) open();
    is_active = allocations == Allocations::inside;
}

Scope::~Scope() {
    is_active = before_;
}

void save(Saved& saved) {
    const Scope copy(Scope::Allocations::outside);
    saved.assign(begin(), head->top);
}

void restore(const Saved& saved) {
    std::memcpy(begin(), saved.data(), saved.size());
}

} // namespace docent::explorer::arena

#if DOCENT_HAS_ARENA

// All allocations of this program come here. Most of them are passed on to the C library.

namespace arena = docent::explorer::arena;

extern "C" {

void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
void __libc_free(void*);

void* malloc(std::size_t size) {
    return arena::is_active ? arena::take(size) : __libc_malloc(size);
}

void free(void* memory) {
    if (arena::contains(memory)) arena::give_back(memory);
    else __libc_free(memory);
}

void* calloc(std::size_t count, std::size_t size) {
    if (!arena::is_active) return __libc_calloc(count, size);
    if (size != 0 && count > arena::arena_size / size) return nullptr;
    void* const memory = arena::take(count * size);
    return memory ? std::memset(memory, 0, count * size) : nullptr;
}

void* realloc(void* memory, std::size_t size) {
    if (!arena::contains(memory)) return memory == nullptr ? malloc(size) : __libc_realloc(memory, size);
    if (size <= arena::size_of(memory)) return memory;
    void* const larger = malloc(size);
    if (larger == nullptr) return nullptr;
    std::memcpy(larger, memory, arena::size_of(memory));
    arena::give_back(memory);
    return larger;
}

void* aligned_alloc(std::size_t alignment, std::size_t size) {
    if (arena::is_active) return alignment > arena::unit ? arena::take_aligned(alignment, size) : arena::take(size);
    return __libc_memalign(alignment, size);
}

void* memalign(std::size_t alignment, std::size_t size) {
    return aligned_alloc(alignment, size);
}

int posix_memalign(void** memory, std::size_t alignment, std::size_t size) noexcept {
    *memory = aligned_alloc(alignment, size);
    return *memory ? 0 : 12; // ENOMEM
}

} // extern "C"

void* operator new(std::size_t size) {
    if (void* const memory = arena::is_active ? arena::take(size) : __libc_malloc(size)) return memory;
    throw std::bad_alloc();
}
void operator delete(void* memory) noexcept {
    free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
    free(memory);
}

#endif
