// SPDX-License-Identifier: Apache-2.0
// A file with many readers and few writers, for docs/recipes/inter_process_read_write_lock.md. A
// writer replaces the text in two halves; a reader must never see one new and one old half.
// Usage: reader_writer [CONNECT_STRING]. Without an argument, the program starts a server.

#include "example_server.hpp"

#include <docent/docent.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <future>
#include <iostream>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <vector>

#include <unistd.h>

using namespace std::chrono_literals;
namespace fs = std::filesystem;

void rewrite(const fs::path& file, const std::string& text) {
    std::ofstream out(file, std::ios::trunc);
    out << text << std::flush; // the first half
    out << text << std::flush;
}

std::string read_all(const fs::path& file) {
    std::ifstream in(file);
    return {std::istreambuf_iterator<char>(in), {}};
}

void show_both_sides(docent::Client& client, const fs::path& file) {
    // [sides]
    docent::InterProcessReadWriteLock lock{client, "/examples/reader_writer"};
    {
        const std::shared_lock reading{lock}; // together with other readers
        read_all(file);
    }
    if (const std::unique_lock writing{lock, 5s}) { // waits 5 seconds at most
        rewrite(file, "1");
    }
    docent::Lease write = lock.write_lock().acquire();
    docent::Lease read = write.downgrade(); // before all waiting writers
    // [sides]
    if (write.owns() || !read.owns()) throw std::runtime_error("the downgrade failed");
}

void write_often(const std::string& servers, const fs::path& file) {
    docent::Client client{{.connect_string = servers}}; // a separate session, as in a separate process
    client.start();
    docent::InterProcessReadWriteLock lock{client, "/examples/reader_writer"};
    for (int turn = 0; turn < 20; ++turn) {
        const std::unique_lock writing{lock};
        rewrite(file, std::to_string(turn) + ";");
    }
}

void read_often(const std::string& servers, const fs::path& file) {
    docent::Client client{{.connect_string = servers}};
    client.start();
    docent::InterProcessReadWriteLock lock{client, "/examples/reader_writer"};
    for (int turn = 0; turn < 100; ++turn) {
        const std::shared_lock reading{lock};
        const std::string text = read_all(file);
        const std::string half = text.substr(0, text.size() / 2);
        if (text != half + half) throw std::runtime_error("half of a text was read: " + text);
    }
}

int main(int argc, char** argv) {
    const ExampleServer server(argc, argv);
    const fs::path file = fs::temp_directory_path() / ("docent-reader-writer-" + std::to_string(::getpid()));
    int status = EXIT_SUCCESS;
    try {
        docent::Client client{{.connect_string = server.connect_string()}};
        client.start();
        show_both_sides(client, file);
        std::vector<std::future<void>> all;
        for (int i = 0; i < 2; ++i) all.push_back(std::async(std::launch::async, write_often, server.connect_string(), file));
        for (int i = 0; i < 4; ++i) all.push_back(std::async(std::launch::async, read_often, server.connect_string(), file));
        for (auto& one : all) one.get();
        std::cout << "400 times read, 40 times rewritten, never half of a text seen\n";
    } catch (const std::exception& e) {
        std::cerr << e.what() << '\n';
        status = EXIT_FAILURE;
    }
    fs::remove(file);
    return status;
}
