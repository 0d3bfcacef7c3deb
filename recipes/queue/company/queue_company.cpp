// SPDX-License-Identifier: Apache-2.0
#include "queue/company/queue_company.hpp"

#include <algorithm>
#include <utility>

namespace docent::detail {
namespace {

std::string key_of(const ClientView& view, const std::string& path, const QueueNames& names) {
    std::string key = view.server_path(path);
    for (const auto tokens : {names.tokens(), names.other_tokens()}) {
        for (const QueueToken& token : tokens) key.append(1, '\0').append(token.text);
    }
    return key;
}

} // namespace

std::shared_ptr<QueueCompany> QueueCompany::of(ClientView& view, const std::string& path, const QueueNames& names) {
    auto& companies = view.kept<QueueCompanies>();
    auto& entry = companies.all[key_of(view, path, names)];
    if (auto company = entry.lock()) return company;
    auto company = std::make_shared<QueueCompany>(names);
    entry = company;
    if (companies.all.size() >= companies.purge_at) {
        std::erase_if(companies.all, [](const auto& each) { return each.second.expired(); });
        companies.purge_at = std::max<std::size_t>(64, 2 * companies.all.size());
    }
    return company;
}

void QueueCompany::join(ClientView& view) {
    if (++size_ < 2 || known_) return;
    known_.emplace(names_);
    listener_ = view.listen([this](const SessionEvent&) { known_->forget(); });
}

void QueueCompany::leave() {
    if (--size_ > 0) return;
    listener_.reset();
    known_.reset();
}

} // namespace docent::detail
