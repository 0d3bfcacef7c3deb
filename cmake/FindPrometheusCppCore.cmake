# SPDX-License-Identifier: Apache-2.0
# Finds the core of prometheus-cpp: target PrometheusCpp::core. prometheus-cpp's
# package also requires the dependencies of its push and pull parts.
find_path(PrometheusCppCore_INCLUDE_DIR prometheus/registry.h)
find_library(PrometheusCppCore_LIBRARY NAMES prometheus-cpp-core)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(PrometheusCppCore
    REQUIRED_VARS PrometheusCppCore_LIBRARY PrometheusCppCore_INCLUDE_DIR
    REASON_FAILURE_MESSAGE "On Debian: apt-get install prometheus-cpp-dev")

if(PrometheusCppCore_FOUND AND NOT TARGET PrometheusCpp::core)
    add_library(PrometheusCpp::core UNKNOWN IMPORTED)
    set_target_properties(PrometheusCpp::core PROPERTIES
        IMPORTED_LOCATION "${PrometheusCppCore_LIBRARY}" INTERFACE_INCLUDE_DIRECTORIES "${PrometheusCppCore_INCLUDE_DIR}")
endif()
mark_as_advanced(PrometheusCppCore_INCLUDE_DIR PrometheusCppCore_LIBRARY)
