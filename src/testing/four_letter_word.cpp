// SPDX-License-Identifier: Apache-2.0
#include "testing/four_letter_word.hpp"

#include "posix/descriptors.hpp"

#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <stdexcept>
#include <system_error>

namespace docent::testing {

using std::chrono::steady_clock;

namespace {

std::string reason(int error) {
    return std::generic_category().message(error);
}

class Question {
public:
    Question(std::uint16_t port, std::string_view word, std::chrono::milliseconds timeout)
        : port_(port), word_(word), deadline_(steady_clock::now() + timeout),
          socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)) {
        if (!socket_) throw posix::last_error("docent::testing: cannot ask the server");
    }

    std::string ask() {
        connect();
        if (::send(socket_.get(), word_.data(), word_.size(), MSG_NOSIGNAL) < 0) fail(reason(errno));
        return read_to_end();
    }

private:
    void connect() {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(port_);
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        if (::connect(socket_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) return;
        if (errno != EINPROGRESS && errno != EINTR) fail(reason(errno));
        wait_for(POLLOUT);
        int error = 0;
        socklen_t size = sizeof error;
        ::getsockopt(socket_.get(), SOL_SOCKET, SO_ERROR, &error, &size);
        if (error != 0) fail(reason(error));
    }

    std::string read_to_end() {
        std::string answer;
        for (;;) {
            std::array<char, 4096> buffer{};
            const auto n = ::recv(socket_.get(), buffer.data(), buffer.size(), 0);
            if (n > 0) {
                answer.append(buffer.data(), static_cast<std::size_t>(n));
            } else if (n == 0) {
                return answer;
            } else if (errno == EAGAIN) {
                wait_for(POLLIN);
            } else if (errno != EINTR) {
                fail(reason(errno));
            }
        }
    }

    void wait_for(short events) const {
        for (;;) {
            const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline_ - steady_clock::now()).count();
            if (left <= 0) fail("no answer in time");
            pollfd item{socket_.get(), events, 0};
            if (::poll(&item, 1, static_cast<int>(left)) > 0) return;
        }
    }

    [[noreturn]] void fail(std::string_view why) const {
        throw std::runtime_error("'" + std::string(word_) + "' to 127.0.0.1:" + std::to_string(port_) +
                                 " failed: " + std::string(why));
    }

    const std::uint16_t port_;
    const std::string_view word_;
    const steady_clock::time_point deadline_;
    const posix::UniqueFd socket_;
};

} // namespace

std::string ask_server(std::uint16_t port, std::string_view word, std::chrono::milliseconds timeout) {
    return Question(port, word, timeout).ask();
}

std::string_view answer_field(std::string_view answer, std::string_view name, char separator) {
    while (!answer.empty()) {
        const auto end = std::min(answer.find('\n'), answer.size());
        const std::string_view line = answer.substr(0, end);
        if (line.size() > name.size() && line.starts_with(name) && line[name.size()] == separator) {
            return line.substr(name.size() + 1);
        }
        answer.remove_prefix(std::min(end + 1, answer.size()));
    }
    return {};
}

} // namespace docent::testing
