// SPDX-License-Identifier: Apache-2.0
#include "observers/referee.hpp"

#include <docent/path.hpp>

#include <algorithm>
#include <string_view>

namespace docent::detail {
namespace {

std::string_view number_of(std::string_view path) {
    return path.substr(path.size() - std::min<std::size_t>(path.size(), 10));
}
bool shares(std::string_view path) {
    return path.find("__READ__") != std::string_view::npos;
}

} // namespace

bool Referee::is_permit(const std::string& path) const {
    return limits_.contains(std::string(parent_path(path)));
}

std::string Referee::one_ahead_of(const std::string& path) const {
    for (const auto& name : truth_.children(std::string(parent_path(path)))) {
        if (number_of(name) < number_of(path) && !(shares(path) && shares(name))) return name;
    }
    return {};
}

void Referee::look() {
    if (looked_at_ == truth_.zxid()) return;
    looked_at_ = truth_.zxid();
    for (const auto& [path, node] : truth_.nodes()) {
        if (node.stat.ephemeral_owner != 0 && !ever_free_.contains(path) && one_ahead_of(path).empty()) {
            ever_free_.insert(path);
        }
    }
}

/// An owner must be next in line at the leader. Exception: its node was taken, and the owner cannot know that yet.
std::string Referee::node_complaint(const std::string& path) const {
    if (events_get_lost_ && taken_.contains(path)) return {};
    if (!is_permit(path) && !ever_free_.contains(path)) return path + " is owned, and was never next in line";
    if (taken_.contains(path)) return {};
    if (!truth_.find(path)) return path + " is owned, and the leader knows no such node";
    if (is_permit(path)) return {};
    const auto ahead = one_ahead_of(path);
    return ahead.empty() ? ahead : path + " is owned, and " + ahead + " is ahead of it";
}

std::string Referee::token_complaint(const LeaseCore& lease) {
    if (!granted_.insert(lease.path()).second || is_permit(lease.path())) return {};
    auto& tokens = tokens_[std::string(parent_path(lease.path()))];
    const std::int64_t token = lease.fencing_token();
    const bool rises = shares(lease.path()) ? token >= tokens.writers : token > tokens.all;
    tokens.all = std::max(tokens.all, token);
    if (!shares(lease.path())) tokens.writers = token;
    return rises ? std::string{} : "the token of " + lease.path() + " is too low";
}

std::string Referee::judge(const std::vector<std::shared_ptr<LeaseCore>>& owned) {
    std::map<std::string, std::vector<std::string>> owners; // by lock
    for (const auto& lease : owned) {
        if (auto complaint = node_complaint(lease->path()); !complaint.empty()) return complaint;
        if (taken_.contains(lease->path())) continue;
        if (auto complaint = token_complaint(*lease); !complaint.empty()) return complaint;
        owners[std::string(parent_path(lease->path()))].push_back(lease->path());
    }
    for (const auto& [lock, paths] : owners) {
        const auto limit = limits_.find(lock);
        const bool alone = limit != limits_.end() ? paths.size() <= limit->second
                                                  : paths.size() == 1 || std::all_of(paths.begin(), paths.end(), shares);
        if (alone) continue;
        std::string text = lock + " has too many owners:";
        for (const auto& path : paths) text += " " + path;
        return text;
    }
    return {};
}

// ---- the ledger

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
