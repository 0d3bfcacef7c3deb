// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "folder.hpp"

#include <stdlib.h>

#include <filesystem>
#include <optional>
#include <string>

namespace docent::test {

/// Sets an environment variable, and restores its old value at the end.
class ScopedVariable {
public:
    ScopedVariable(std::string name, const std::string& value) : name_(std::move(name)) {
        if (const char* old = ::getenv(name_.c_str())) before_ = old;
        ::setenv(name_.c_str(), value.c_str(), 1);
    }
    ~ScopedVariable() {
        if (before_) {
            ::setenv(name_.c_str(), before_->c_str(), 1);
        } else {
            ::unsetenv(name_.c_str());
        }
    }
    ScopedVariable(const ScopedVariable&) = delete;
    ScopedVariable& operator=(const ScopedVariable&) = delete;

private:
    std::string name_;
    std::optional<std::string> before_;
};

/// An empty folder for temporary files, so that files that are left behind are seen.
class TemporaryFolder {
public:
    TemporaryFolder() : variable_("TMPDIR", folder_.path().string()) {}

    const std::filesystem::path& path() const { return folder_.path(); }
    bool empty() const { return std::filesystem::is_empty(path()); }

private:
    Folder folder_;
    ScopedVariable variable_;
};

} // namespace docent::test
