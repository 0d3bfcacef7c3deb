// SPDX-License-Identifier: Apache-2.0
#include "observers/ledger.hpp"

#include <docent/path.hpp>

#include <algorithm>

namespace docent::detail {

void Ledger::look() {
    const auto* const node = truth_.find(path);
    if (node == nullptr || node->stat.version == version_) return;
    version_ = node->stat.version;
    ++entries_;
    const auto found = open_.find(node->data);
    if (found == open_.end()) return complain("nobody has written " + node->data);
    Entry& entry = found->second;
    if (++entry.applied > 1) complain(node->data + " was applied twice");
    if (entry.told == Told::not_applied) complain(node->data + " was applied, though it was said that it never would be");
    auto& last = last_token_[entry.lock];
    if (entry.token < last) complain(node->data + " was applied after somebody with a higher token wrote");
    last = entry.token;
}

void Ledger::told(const std::string& value, Told what) {
    Entry& entry = open_.at(value);
    entry.told = what;
    entry.is_over = true;
    if (what == Told::applied && entry.applied == 0) complain(value + " is said to be applied, and is not");
    if (what == Told::not_applied && entry.applied != 0) complain(value + " is said not to be applied, and is");
}

/// Looks for a node of the lock, by its token.
bool Ledger::is_there(const std::string& lock, const auto& is_that_one) const {
    const auto nodes = truth_.children(lock);
    return std::any_of(nodes.begin(), nodes.end(),
                       [&](const auto& name) { return is_that_one(truth_.find(join_path(lock, name))->stat.czxid); });
}

/// A transaction can only be applied while the node exists that guards it.
std::string Ledger::picture() const {
    std::string text;
    for (const auto& [value, entry] : open_) {
        const bool is_guarded = is_there(entry.lock, [token = entry.token](std::int64_t czxid) { return czxid == token; });
        if (!is_guarded && entry.is_over) continue;
        text += value + ' ' + std::to_string(entry.applied);
        if (is_guarded) text += std::to_string(static_cast<int>(entry.told)) + " czxid " + std::to_string(entry.token);
        text += '\n';
    }
    for (const auto& [lock, last] : last_token_) {
        if (is_there(lock, [token = last](std::int64_t czxid) { return czxid < token; }))
            text += lock + " czxid " + std::to_string(last) + '\n';
    }
    return text;
}

} // namespace docent::detail
