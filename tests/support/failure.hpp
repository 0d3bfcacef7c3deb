// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/error.hpp>

#include <boost/system/system_error.hpp>

#include <string>

namespace docent {

/// The code and the text of the exception that a call has thrown. A call without an exception has neither.
struct Failure {
    error_code code;
    std::string text;
};

template <typename Call> Failure failure_of(Call&& call) {
    try {
        static_cast<void>(call());
    } catch (const boost::system::system_error& e) {
        return {e.code(), e.what()};
    }
    return {};
}

} // namespace docent
