// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/testing/testing_server.hpp>

#include <boost/asio/local/stream_protocol.hpp>

#include <sys/types.h>

#include <istream>
#include <ostream>
#include <string>

namespace docent::test {

/// The connection between a test and the pool. A request is a line: a word, and an argument if it needs one. The answer is a
/// line `ok LENGTH` or `failed LENGTH`, and that many bytes. A test gives its server back when it hangs up.
using PoolStream = boost::asio::local::stream_protocol::iostream;

/// The address of the pool for the tests of one ctest: an abstract socket, so no file is left. The tests, and the programs that
/// start and end the pool, are children of that ctest.
inline boost::asio::local::stream_protocol::endpoint pool_endpoint(pid_t ctest) {
    std::string name("\0docent-servers-", 16);
    return {name + std::to_string(ctest)};
}

/// Returns all options but port and folder as one line. Servers with equal lines are interchangeable.
std::string line_of(const docent::testing::ServerOptions& options);
docent::testing::ServerOptions options_in(const std::string& line);

struct PoolAnswer {
    bool ok = false; ///< Also false if the pool does not answer.
    std::string text;
};

inline void send_answer(std::ostream& to, const PoolAnswer& answer) {
    to << (answer.ok ? "ok " : "failed ") << answer.text.size() << '\n' << answer.text << std::flush;
}

inline PoolAnswer ask_pool(PoolStream& pool, const std::string& line) {
    pool << line << std::endl;
    PoolAnswer answer;
    std::string word;
    std::size_t length = 0;
    if (!(pool >> word >> length) || pool.get() != '\n') return {false, "nobody answers"};
    answer.text.resize(length);
    if (!pool.read(answer.text.data(), static_cast<std::streamsize>(length))) return {false, "nobody answers"};
    answer.ok = word == "ok";
    return answer;
}

} // namespace docent::test
