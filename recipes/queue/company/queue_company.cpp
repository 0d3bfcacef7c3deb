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

void QueueCompany::join(Seat& seat, ClientView& view) {
    seat.before_ = last_;
    (last_ ? last_->after_ : first_) = &seat;
    last_ = &seat;
    if (++size_ == 1) {
        listener_ = view.listen([weak = weak_from_this()](const SessionEvent& event) {
            if (const auto self = weak.lock()) self->on_session(event);
        });
    } else if (!known_) {
        known_.emplace(names_);
    }
}

/// With one ahead, or nobody, the list has told all.
void QueueCompany::on_listed(const std::vector<std::string>& children, std::string_view self) {
    if (size_ > 1) return known_->on_listed(children);
    known_.reset();
    if (size_ == 1 && !self.empty() && children.size() > 2) known_.emplace(names_).on_listed(children, self);
}

void QueueCompany::leave(Seat& seat) {
    (seat.before_ ? seat.before_->after_ : first_) = seat.after_;
    (seat.after_ ? seat.after_->before_ : last_) = seat.before_;
    if (--size_ > 0) return;
    listener_.reset();
    known_.reset();
}

/// Whoever hears of it may leave, and others with it.
void QueueCompany::on_session(const SessionEvent& event) {
    if (known_) known_->forget();
    std::vector<std::weak_ptr<Member>> members;
    members.reserve(size_);
    for (const Seat* seat = first_; seat != nullptr; seat = seat->after_) members.push_back(seat->member_.weak_member());
    for (const auto& weak : members) {
        if (const auto member = weak.lock()) member->on_session(event);
    }
}

} // namespace docent::detail
