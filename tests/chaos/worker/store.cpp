// SPDX-License-Identifier: Apache-2.0
#include "worker/store.hpp"

#include "history/journal.hpp"
#include "posix/descriptors.hpp"

#include <algorithm>
#include <array>
#include <sstream>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

namespace docent::chaos {
namespace {

/// Returns the last line of the file.
std::string tail_of(int file) {
    std::array<char, 512> bytes{};
    const off_t size = ::lseek(file, 0, SEEK_END);
    const off_t begin = std::max<off_t>(0, size - static_cast<off_t>(bytes.size()));
    const ssize_t count = ::pread(file, bytes.data(), bytes.size(), begin);
    std::string text(bytes.data(), static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
    if (!text.empty()) text.pop_back(); // the last newline
    return text.substr(text.rfind('\n') + 1);
}

} // namespace

Store::Store(std::filesystem::path folder, Tokens tokens)
    : tokens_(tokens), name_(tokens == Tokens::checked ? "checked" : "unchecked"),
      file_(folder / ("store-" + name_ + ".history")) {}

template <typename Change> bool Store::change(const Work& by, std::int64_t token, const Change& change) const {
    const posix::UniqueFd file(::open(file_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
    if (!file || ::flock(file.get(), LOCK_EX) != 0) throw posix::last_error(file_.c_str());
    State state;
    std::string skipped;
    std::istringstream last(tail_of(file.get()));
    last >> skipped >> skipped >> skipped >> skipped >> state.value >> skipped >> skipped >> state.token;
    const bool accepted = tokens_ == Tokens::ignored || token >= state.token;
    const std::string answer = accepted ? change(state) : "refused";
    state.token = std::max(state.token, token);
    std::ostringstream line; // TIME store WORK NAME VALUE PROCESS ANSWER TOKEN
    line << now() << " store " << by.number << ' ' << name_ << ' ' << state.value << ' ' << by.process << ' ' << answer << ' '
         << state.token << '\n';
    const std::string text = line.str();
    if (::write(file.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size())) throw posix::last_error("a store");
    return accepted;
}

std::int64_t Store::read(const Work& by, std::int64_t token) const {
    std::int64_t value = -1;
    change(by, token, [&](const State& state) {
        value = state.value;
        return std::string("read");
    });
    return value;
}

bool Store::write(const Work& by, std::int64_t token, std::int64_t value) const {
    return change(by, token, [&](State& state) {
        state.value = value;
        return std::string("accepted");
    });
}

} // namespace docent::chaos
