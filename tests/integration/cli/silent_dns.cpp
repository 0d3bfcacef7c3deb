// SPDX-License-Identifier: Apache-2.0

// Preloaded before the C library (LD_PRELOAD): DNS never answers for names that begin with "silent".

#include <dlfcn.h>
#include <netdb.h>
#include <unistd.h>

#include <string_view>

extern "C" int getaddrinfo(const char* __restrict name, const char* __restrict service, const struct addrinfo* __restrict hints,
                           struct addrinfo** __restrict found) {
    constexpr unsigned far_too_long = 60;
    if (name != nullptr && std::string_view(name).starts_with("silent")) {
        ::sleep(far_too_long);
        return EAI_AGAIN;
    }
    using LookUp = int (*)(const char*, const char*, const struct addrinfo*, struct addrinfo**);
    return reinterpret_cast<LookUp>(::dlsym(RTLD_NEXT, "getaddrinfo"))(name, service, hints, found);
}
