// SPDX-License-Identifier: Apache-2.0
// A program that takes several locks together, again and again: multi_lock_turns CONNECT FOLDER TURNS PATH... While it holds
// the locks it makes a file for each of them, which no other process may have made, and counts the turn in another file. Exits
// with 1 if a check fails.
#include <docent/client.hpp>
#include <docent/recipes/inter_process_multi_lock.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <fstream>
#include <iostream>
#include <stdexcept>

namespace {

using namespace std::chrono_literals;

class Turn {
public:
    explicit Turn(const std::string& file) : mark_(file + ".mark") {
        const int fd = ::open(mark_.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
        if (fd < 0) throw std::runtime_error("somebody else is inside: " + mark_);
        ::close(fd);
        int turns = 0;
        std::ifstream(file) >> turns;
        std::ofstream(file) << turns + 1;
    }
    ~Turn() { ::unlink(mark_.c_str()); }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

private:
    const std::string mark_;
};

void use(const std::string& folder, const std::vector<std::string>& paths, std::size_t from = 0) {
    if (from == paths.size()) return;
    const Turn turn(folder + paths[from]); // the files are named by the paths of the locks
    use(folder, paths, from + 1);
}

} // namespace

int main(int argc, char** argv) {
    const std::vector<std::string> words(argv + 1, argv + argc);
    const std::vector<std::string> paths(words.begin() + 3, words.end());
    try {
        docent::Client client{{.connect_string = words[0]}};
        client.start();
        docent::InterProcessMultiLock locks{client, paths};
        for (int turn = std::stoi(words[2]); turn > 0; --turn) {
            docent::MultiLease lease = locks.acquire({.timeout = 30s}); // a lock that never comes shows as a failure
            use(words[1], paths);
            lease.release();
        }
    } catch (const std::exception& e) {
        std::cerr << e.what() << '\n';
        return 1;
    }
}
