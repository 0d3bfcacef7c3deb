// SPDX-License-Identifier: Apache-2.0
#include "peer.hpp"

#include "testing/process/server_process.hpp"

#include <boost/algorithm/hex.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/local/connect_pair.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/write.hpp>

#include <fcntl.h>
#include <signal.h>

#include <iterator>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace docent::test {

namespace asio = boost::asio;
using namespace std::chrono_literals;

namespace {

constexpr std::string_view mark = "= "; // stands before an answer

} // namespace

std::string PeerAnswer::operator[](const std::string& key) const {
    const auto found = values.find(key);
    return found == values.end() ? std::string() : found->second;
}

std::string PeerAnswer::data() const {
    return boost::algorithm::unhex((*this)["data"]);
}

std::string to_hex(std::string_view bytes) {
    std::string hex;
    boost::algorithm::hex_lower(bytes, std::back_inserter(hex));
    return hex;
}

std::string data_word(std::string_view bytes) {
    return "data=" + to_hex(bytes);
}

Peer::Peer(std::string name, const std::vector<std::string>& command_line) : name_(std::move(name)) {
    asio::local::stream_protocol::socket theirs(context_);
    asio::local::connect_pair(socket_, theirs);
    // No other child program may keep the socket open: its end is what ends the peer.
    ::fcntl(socket_.native_handle(), F_SETFD, FD_CLOEXEC);
    process_ = docent::testing::ChildProcess(command_line, {.input = theirs.native_handle(), .output = theirs.native_handle()});
}

Peer::~Peer() {
    if (!close()) kill();
}

bool Peer::close() {
    if (socket_.is_open()) socket_.close();
    return process_.wait_ended(10s);
}

void Peer::kill() {
    process_.send(SIGKILL);
    process_.wait_ended(10s);
}

void Peer::send(const std::string& thread, const std::string& verb, const Words& words) {
    std::string line = thread + ' ' + verb;
    for (const auto& word : words) line += ' ' + word;
    line += '\n';
    bool written = false;
    asio::async_write(socket_, asio::buffer(line), [&written](auto ec, std::size_t) { written = !ec; });
    context_.restart();
    context_.run_for(default_wait);
    if (!written) fail("takes no commands");
}

PeerAnswer Peer::await(const std::string& thread, std::chrono::milliseconds longest) {
    const auto deadline = std::chrono::steady_clock::now() + longest;
    auto& answers = answers_[thread];
    while (answers.empty()) read_line(deadline);
    PeerAnswer answer = std::move(answers.front());
    answers.pop_front();
    return answer;
}

bool Peer::has_answered(const std::string& thread) {
    while (received_.find('\n') != std::string::npos || socket_.available() > 0) {
        read_line(std::chrono::steady_clock::now() + default_wait);
    }
    return !answers_[thread].empty();
}

PeerAnswer Peer::call(const std::string& verb, const Words& words) {
    send("main", verb, words);
    return await("main");
}

void Peer::read_line(std::chrono::steady_clock::time_point deadline) {
    std::size_t length = 0;
    asio::async_read_until(socket_, asio::dynamic_buffer(received_), '\n', [&length](auto ec, std::size_t n) {
        if (!ec) length = n;
    });
    context_.restart();
    context_.run_until(deadline);
    if (length == 0) fail("does not answer");
    take(received_.substr(0, length - 1));
    received_.erase(0, length);
}

void Peer::take(const std::string& line) {
    if (!line.starts_with(mark)) {
        log_ += line + '\n';
        return;
    }
    std::istringstream words(line.substr(mark.size()));
    std::string thread, result;
    words >> thread >> result;
    PeerAnswer answer;
    if (result == "error") words >> answer.error;
    for (std::string word; words >> word;) {
        const auto end_of_key = word.find('=');
        answer.values[word.substr(0, end_of_key)] = word.substr(end_of_key + 1);
    }
    answers_[thread].push_back(std::move(answer));
}

/// Closes the socket, which also ends all commands under way.
void Peer::fail(const std::string& what) {
    socket_.close();
    context_.restart();
    context_.run();
    process_.wait_ended(1s);
    throw std::runtime_error("the " + name_ + " peer " + what + "; it " + process_.end_description() + ", and said:\n" + log_);
}

JavaPeer::JavaPeer()
    : Peer("Java", {docent::testing::find_java().string(), "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmx128m", "-cp",
                    DOCENT_PEER_CLASS_PATH, "Peer"}) {}

} // namespace docent::test
