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

/// Control characters must not reach a terminal, which would obey them. They come from the command line and from nodes.
bool is_control(char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 || byte == 0x7f;
}

/// The writer is never destroyed: its thread may still write when the process ends.
ErrorWriter& errors() {
    static auto* const writer = new ErrorWriter(STDERR_FILENO);
    return *writer;
}

} // namespace

void post_error(std::string_view line) {
    std::string text = "docent: ";
    for (const char c : line) text += is_control(c) ? ' ' : c;
    text += '\n';
    errors().post(std::move(text)); // in one write, so that lines of other processes do not mix in
}

/// Waits one second if nobody reads, and longer if the writer's thread gets no processor.
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
