// SPDX-License-Identifier: Apache-2.0
#pragma once

// A fuzz target for two programs: libFuzzer's, and the program that runs all targets over corpus/.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

namespace docent::fuzz {

using Target = void (*)(std::string_view input);

/// Registers a target with the program that runs the corpus.
struct Registration {
    Registration(const char* name, Target target);
};

/// Aborts unless the condition holds.
inline void require(bool holds) {
    if (!holds) std::abort();
}

} // namespace docent::fuzz

#ifdef DOCENT_LIBFUZZER
#define DOCENT_FUZZ_TARGET(name)                                                                                               \
    static void fuzz_##name(std::string_view input);                                                                           \
    extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {                                        \
        fuzz_##name({reinterpret_cast<const char*>(data), size});                                                              \
        return 0;                                                                                                              \
    }                                                                                                                          \
    static void fuzz_##name
#else
#define DOCENT_FUZZ_TARGET(name)                                                                                               \
    static void fuzz_##name(std::string_view input);                                                                           \
    static const docent::fuzz::Registration registration_of_##name(#name, fuzz_##name);                                        \
    static void fuzz_##name
#endif
