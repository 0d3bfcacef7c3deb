// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "zk/request.hpp"

#include <chrono>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace docent::zk {

/// Refuses requests whose answers took too long to arrive. Otherwise callers would repeat such a request for ever. Pure.
///
/// The answers to heartbeats arrive behind a long answer. If the long answer takes too long, the client leaves the server as it
/// leaves a silent server, and the caller asks the next server. To wait for the rest would not help: the validity bound passes
/// soon, which ends all leases, and waiters and caches ask again after such a loss. So after the second late answer in a row,
/// the client refuses the request for 3 T (T: the session timeout). Meanwhile the connection serves all other requests.
class LateAnswers {
public:
    using Time = std::chrono::steady_clock::time_point;
    enum class Read { data, children };
    using Question = std::pair<Read, std::string>; // the kind of the read, and the path

    /// The least size that counts. A shorter answer is late because of its server or its network.
    static constexpr std::size_t least = 64U << 10U;

    /// What the request asks for, if the answer may be long.
    static std::optional<Question> question_of(const Request& request) {
        if (const auto* get = std::get_if<GetRequest>(&request)) return Question{Read::data, get->path};
        if (const auto* list = std::get_if<ChildrenRequest>(&request)) return Question{Read::children, list->path};
        return std::nullopt;
    }

    /// The client leaves a server that has sent only a part of an answer of this size.
    void on_late(const Question& question, std::size_t size, Time now, std::chrono::milliseconds session_timeout) {
        if (size < least) return;
        std::erase_if(late_, [now](const auto& entry) { return entry.second.until <= now; });
        Late& late = late_[question];
        late = {size, late.times + 1, now + 3 * session_timeout};
    }
    /// The whole answer has arrived.
    void on_answer(const Question& question) { late_.erase(question); }

    /// Whether no late answer is remembered. Then no request is refused.
    bool empty() const { return late_.empty(); }
    /// The size of the answer if the request is refused; otherwise 0.
    std::size_t refused_size(const Request& request, Time now) const {
        const auto question = question_of(request);
        const auto found = question ? late_.find(*question) : late_.end();
        const bool refused = found != late_.end() && found->second.times > 1 && now < found->second.until;
        return refused ? found->second.size : 0;
    }

private:
    struct Late {
        std::size_t size = 0;
        int times = 0;
        Time until{}; // the entry counts until then
    };
    std::map<Question, Late> late_;
};

} // namespace docent::zk
