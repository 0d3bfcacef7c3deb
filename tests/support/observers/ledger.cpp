// SPDX-License-Identifier: Apache-2.0
#include "observers/ledger.hpp"

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
    if (what == Told::applied && entry.applied == 0) complain(value + " is said to be applied, and is not");
    if (what == Told::not_applied && entry.applied != 0) complain(value + " is said not to be applied, and is");
}

std::string Ledger::picture() const {
    std::string text;
    for (const auto& [value, entry] : open_) {
        text += value + ' ' + std::to_string(entry.applied) + std::to_string(static_cast<int>(entry.told)) + " czxid " +
                std::to_string(entry.token) + '\n';
    }
    return text;
}

} // namespace docent::detail
