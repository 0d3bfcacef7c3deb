// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "client/core/client_view.hpp"
#include "queue/company/known_queue.hpp"

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace docent::detail {

/// All attempts of one client in one queue, and what they know of it together: of one alone, whom it has before it. One hears
/// for all what becomes of the session. On the strand.
class QueueCompany : public std::enable_shared_from_this<QueueCompany> {
public:
    /// One attempt.
    class Member {
    public:
        virtual ~Member() = default;
        virtual void on_session(const SessionEvent& event) = 0;
        virtual std::weak_ptr<Member> weak_member() = 0;
    };

    /// That of this client, through whichever view it is seen.
    static std::shared_ptr<QueueCompany> of(ClientView& view, const std::string& path, const QueueNames& names);

    explicit QueueCompany(QueueNames names) : names_(std::move(names)) {}
    QueueCompany(const QueueCompany&) = delete;
    QueueCompany& operator=(const QueueCompany&) = delete;

    /// Of one attempt, for as long as it is under way.
    class Seat {
    public:
        Seat(QueueCompany& company, ClientView& view, Member& member) : company_(company), member_(member) {
            company_.join(*this, view);
        }
        ~Seat() { company_.leave(*this); }
        Seat(const Seat&) = delete;
        Seat& operator=(const Seat&) = delete;

    private:
        friend QueueCompany;
        QueueCompany& company_;
        Member& member_;
        Seat* before_ = nullptr;
        Seat* after_ = nullptr;
    };
    std::size_t size() const { return size_; }

    // See KnownQueue.
    /// `self`: who has asked for it, and may have left since; empty if that one does not go by what is known.
    void on_listed(const std::vector<std::string>& children, std::string_view self);
    void on_created(std::string_view name) {
        if (known_) known_->on_created(name);
    }
    void on_gone(std::string_view name) {
        if (known_) known_->on_gone(name);
    }
    std::optional<KnownPart> before(std::string_view self) const { return known_ ? known_->before(self) : std::nullopt; }

private:
    void join(Seat& seat, ClientView& view);
    void leave(Seat& seat);
    void on_session(const SessionEvent& event);

    QueueNames names_;
    Seat* first_ = nullptr; // in the order in which they came
    Seat* last_ = nullptr;
    std::size_t size_ = 0;
    std::optional<KnownQueue> known_;
    Registration listener_;
};

/// Of one client: by path, as servers call it, and by the tokens that count there.
struct QueueCompanies {
    std::map<std::string, std::weak_ptr<QueueCompany>, std::less<>> all;
    std::size_t purge_at = 64;
};

} // namespace docent::detail
