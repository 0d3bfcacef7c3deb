// SPDX-License-Identifier: Apache-2.0
#include "cli/messages.hpp"

#include "cli/error_writer.hpp"

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>
#include <utility>

#include <unistd.h>

namespace docent::cli {

namespace {

/// Line ends may have been typed; what others have written into nodes may be anything, and a terminal obeys it.
bool is_control(char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 || byte == 0x7f;
}

/// Never destroyed: its thread may still be writing when the process ends.
ErrorWriter& errors() {
    static auto* const writer = new ErrorWriter(STDERR_FILENO);
    return *writer;
}

} // namespace

void post_error(std::string_view line) {
    std::string text = "docent: ";
    for (const char c : line) text += is_control(c) ? ' ' : c;
    text += '\n';
    errors().post(std::move(text)); // one write, not torn apart by other processes'
}

/// Where nobody reads, a second is enough; where the thread that writes gets no processor, more are.
void flush_errors() {
    constexpr int seconds = 15;
    for (int i = 0; i < seconds && !errors().flush(std::chrono::seconds(1)) && errors().is_writable(); ++i) {
    }
}

void print_error(std::string_view line) {
    post_error(line);
    flush_errors();
}

void print(std::string_view bytes) {
    if (std::fwrite(bytes.data(), 1, bytes.size(), stdout) != bytes.size() || std::fflush(stdout) != 0) {
        throw std::runtime_error(std::string("cannot write to standard output: ") + std::strerror(errno));
    }
}

} // namespace docent::cli
