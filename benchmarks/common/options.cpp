// SPDX-License-Identifier: Apache-2.0
#include "common/options.hpp"

#include <charconv>
#include <exception>
#include <iostream>

Options::Options(int argc, char** argv) {
    for (int i = 1; i < argc; i += 2) {
        const std::string name = argv[i];
        if (name.rfind("--", 0) != 0) throw std::invalid_argument("expected an option, not '" + name + "'");
        if (i + 1 == argc) throw std::invalid_argument(name + " needs a value");
        values_[name.substr(2)] = argv[i + 1];
    }
}

const std::string& Options::text(const std::string& name) const {
    const auto found = values_.find(name);
    if (found == values_.end()) throw std::invalid_argument("--" + name + " is missing");
    return found->second;
}

std::string Options::text(const std::string& name, const std::string& otherwise) const {
    const auto found = values_.find(name);
    return found == values_.end() ? otherwise : found->second;
}

int Options::number(const std::string& name) const {
    const std::string& value = text(name);
    int result = 0;
    const auto [rest, ec] = std::from_chars(value.data(), value.data() + value.size(), result);
    if (ec != std::errc{} || rest != value.data() + value.size() || result < 0) {
        throw std::invalid_argument("--" + name + " needs a number, not '" + value + "'");
    }
    return result;
}

int Options::number(const std::string& name, int otherwise) const {
    return values_.count(name) == 0 ? otherwise : number(name);
}

int run_work(int argc, char** argv, const char* program, const char* usage, const Works& works) {
    try {
        const Options options(argc, argv);
        const auto work = works.find(options.text("work"));
        if (work == works.end()) throw std::invalid_argument("no such work: " + options.text("work"));
        work->second(options);
        return 0;
    } catch (const std::invalid_argument& e) {
        std::cerr << program << ": " << e.what() << '\n' << usage;
        return 64;
    } catch (const std::exception& e) {
        std::cerr << program << ": " << e.what() << '\n';
        return 1;
    }
}
