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

/// A peer's answer to one command.
struct PeerAnswer {
    std::string error;                         // empty on success
    std::map<std::string, std::string> values; // the results of a successful command

    /// Returns an empty string if there is no such value.
    std::string operator[](const std::string& key) const;
    /// The value `data`, decoded from hex.
    std::string data() const;
};

/// Words of a command: `key` or `key=value`, without spaces.
using Words = std::vector<std::string>;

/// `data=<hex>`
std::string data_word(std::string_view bytes);
std::string to_hex(std::string_view bytes);

/// A program that carries out commands with its own client; java/Peer.java describes the lines of the protocol. The program
/// ends with this object, and with this process, however that ends. For one thread at a time.
class Peer {
public:
    /// Returns at once, while the program is still starting. Throws std::runtime_error.
    Peer(std::string name, const std::vector<std::string>& command_line);
    ~Peer();
    Peer(const Peer&) = delete;
    Peer& operator=(const Peer&) = delete;

    /// Makes a thread of the peer carry out a command. The thread need not have answered its last command.
    void send(const std::string& thread, const std::string& verb, const Words& words);
    /// Returns the thread's next answer. Throws std::runtime_error with the peer's log if the answer does not come in time, or
    /// can never come.
    PeerAnswer await(const std::string& thread, std::chrono::milliseconds longest = default_wait);
    /// Returns true if an answer of the thread is ready for await(). Does not wait.
    bool has_answered(const std::string& thread);
    /// Sends a command to the thread `main` and returns its answer.
    PeerAnswer call(const std::string& verb, const Words& words = {});

    /// Closes the peer's input. Returns true if the peer then ends by itself. No commands may follow.
    bool close();
    /// Kills the peer with SIGKILL and waits for its end. No commands may follow.
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
    std::string log_; // the lines that are not answers
    std::map<std::string, std::deque<PeerAnswer>> answers_;
};

using JavaAnswer = PeerAnswer;

/// A Java program that carries out commands with Apache Curator.
class JavaPeer : public Peer {
public:
    JavaPeer();
};

} // namespace docent::test
