// SPDX-License-Identifier: Apache-2.0
#include "testing/memory/acl_rules.hpp"

#include <arpa/inet.h>
#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>

namespace docent::detail {
namespace {

struct Network {
    std::uint32_t address = 0;
    unsigned bits = 32;
};

/// Reads `127.0.0.1` or `127.0.0.0/8`.
std::optional<Network> network_of(const std::string& id) {
    const auto slash = id.find('/');
    Network network;
    in_addr address{};
    if (::inet_pton(AF_INET, id.substr(0, slash).c_str(), &address) != 1) return std::nullopt;
    network.address = ntohl(address.s_addr);
    if (slash != std::string::npos) {
        const char* const end = id.data() + id.size();
        const auto [rest, ec] = std::from_chars(id.data() + slash + 1, end, network.bits);
        if (ec != std::errc{} || rest != end || network.bits > 32) return std::nullopt;
    }
    return network;
}

bool contains(const Network& network, const Network& host) {
    return network.bits == 0 || (network.address ^ host.address) >> (32 - network.bits) == 0;
}

bool matches(const AclEntry& entry, const Identity& identity) {
    if (entry.scheme != identity.scheme) return false;
    if (entry.id == identity.id) return true;
    if (entry.scheme != "ip") return false;
    const auto network = network_of(entry.id);
    const auto host = network_of(identity.id);
    return network && host && contains(*network, *host);
}

bool is_valid(const AclEntry& entry) {
    if (entry.scheme == "world") return entry.id == "anyone";
    if (entry.scheme == "digest") return std::count(entry.id.begin(), entry.id.end(), ':') == 1 && !entry.id.ends_with(':');
    return entry.scheme == "ip" && network_of(entry.id);
}

void add(Acl& acl, AclEntry entry) {
    if (std::find(acl.begin(), acl.end(), entry) == acl.end()) acl.push_back(std::move(entry));
}

} // namespace

bool allows(const TreeAcl& acl, Permission permission, const std::vector<Identity>& identities) {
    if (!acl) return true;
    return std::any_of(acl->begin(), acl->end(), [&](const AclEntry& entry) {
        if ((static_cast<std::int32_t>(entry.permissions) & static_cast<std::int32_t>(permission)) == 0) return false;
        if (entry.scheme == "world") return true;
        return std::any_of(identities.begin(), identities.end(), [&](const Identity& each) { return matches(entry, each); });
    });
}

std::optional<Acl> stored_acl(const Acl& acl, const std::vector<Identity>& identities) {
    Acl stored;
    for (const AclEntry& entry : acl) {
        if (entry.scheme == "auth") {
            bool known = false;
            for (const Identity& each : identities) {
                if (each.scheme != "digest") continue; // an address proves nothing
                known = true;
                add(stored, {entry.permissions, each.scheme, each.id});
            }
            if (!known) return std::nullopt;
        } else if (is_valid(entry)) {
            add(stored, entry);
        } else {
            return std::nullopt;
        }
    }
    if (stored.empty()) return std::nullopt;
    return stored;
}

Acl without_hashes(Acl acl) {
    for (AclEntry& entry : acl) {
        if (entry.scheme == "digest") entry.id = entry.id.substr(0, entry.id.find(':')) + ":x";
    }
    return acl;
}

Identity digest_identity(std::string_view credentials) {
    std::array<unsigned char, EVP_MAX_MD_SIZE> hash{};
    unsigned length = 0;
    EVP_Digest(credentials.data(), credentials.size(), hash.data(), &length, EVP_sha1(), nullptr);
    std::array<unsigned char, EVP_MAX_MD_SIZE * 2> text{};
    const int size = EVP_EncodeBlock(text.data(), hash.data(), static_cast<int>(length));
    const std::string encoded(text.begin(), text.begin() + size);
    return {"digest", std::string(credentials.substr(0, credentials.find(':'))) + ':' + encoded};
}

} // namespace docent::detail
