// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "testing/process/child_process.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>

#include <chrono>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace docent::test {

/// What a peer answered to one command.
struct PeerAnswer {
    std::string error;                         // empty: it succeeded
    std::map<std::string, std::string> values; // what it gave then

    /// Empty if there is none.
    std::string operator[](const std::string& key) const;
    /// The value `data`, out of its hex.
    std::string data() const;
};

/// Words of a command: `key` or `key=value`, without spaces.
using Words = std::vector<std::string>;

/// `data=<hex>`
std::string data_word(std::string_view bytes);
std::string to_hex(std::string_view bytes);

/// Another program that does with its own client what it is told; java/Peer.java says how that is put into lines. The program
/// ends with this object, and with this process however that ends. One thread at a time.
class Peer {
public:
    /// Returns at once, while the program still starts. Throws std::runtime_error.
    Peer(std::string name, std::vector<std::string> command_line);
    ~Peer();
    Peer(const Peer&) = delete;
    Peer& operator=(const Peer&) = delete;

    /// Lets one of the peer's threads carry out a command. It need not have answered the one before.
    void send(const std::string& thread, const std::string& verb, const Words& words);
    /// The thread's next answer. Throws std::runtime_error with the peer's log if it does not come in time, or never will.
    PeerAnswer await(const std::string& thread, std::chrono::milliseconds longest = default_wait);
    /// Whether there is an answer of the thread's for await(). Does not wait.
    bool has_answered(const std::string& thread);
    /// Both, on the thread `main`.
    PeerAnswer call(const std::string& verb, const Words& words = {});

    /// Ends its input; true if it then ends by itself. No more commands after that.
    bool close();
    /// SIGKILL, and waits for its end. No more commands after that.
    void kill();

    static constexpr std::chrono::milliseconds default_wait{60000};

private:
    void read_line(std::chrono::steady_clock::time_point deadline);
    void take(const std::string& line);
    [[noreturn]] void fail(const std::string& what);

    const std::string name_;
    boost::asio::io_context context_;
    boost::asio::local::stream_protocol::socket socket_{context_};
    docent::testing::ChildProcess process_;
    std::string received_;
    std::string log_; // lines that are no answers
    std::map<std::string, std::deque<PeerAnswer>> answers_;
};

} // namespace docent::test
