# SPDX-License-Identifier: Apache-2.0
# Builds the checkout that contains this port: vcpkg install docent --overlay-ports=packaging/vcpkg. In a registry,
# vcpkg_from_github() or vcpkg_from_git() must set SOURCE_PATH.
get_filename_component(SOURCE_PATH "${CURRENT_PORT_DIR}/../.." ABSOLUTE)

vcpkg_check_features(OUT_FEATURE_OPTIONS features FEATURES
    command DOCENT_BUILD_COMMAND
    logging DOCENT_BUILD_LOGGING
    prometheus DOCENT_BUILD_PROMETHEUS)
vcpkg_cmake_configure(SOURCE_PATH "${SOURCE_PATH}" OPTIONS
    -DDOCENT_BUILD_TESTS=OFF -DDOCENT_BUILD_BENCHMARKS=OFF -DDOCENT_BUILD_EXAMPLES=OFF ${features})
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/docent)
vcpkg_fixup_pkgconfig()
if("command" IN_LIST FEATURES)
    vcpkg_copy_tools(TOOL_NAMES docent AUTO_CLEAN)
endif()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
