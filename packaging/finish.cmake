# SPDX-License-Identifier: Apache-2.0
# Run by cpack when the files of each package are in a folder: adds what Debian expects of every package.
file(READ "${DOCENT_SOURCE_DIR}/CHANGELOG.md" changelog)
string(REGEX MATCH "\n## \\[[0-9.]+\\] - ([0-9-]+)" matched "${changelog}")
set(date "${CMAKE_MATCH_1}")
if(date) # of the release, for the same package whenever it is made
    execute_process(COMMAND date -u -R -d "${date} 12:00" OUTPUT_VARIABLE date OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
else()
    execute_process(COMMAND date -u -R OUTPUT_VARIABLE date OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
endif()

function(compress file) # the same bytes each time
    execute_process(COMMAND gzip -9nf "${file}" COMMAND_ERROR_IS_FATAL ANY)
endfunction()

foreach(group IN ITEMS library headers command)
    set(root "${CPACK_TEMPORARY_INSTALL_DIRECTORY}/${group}/usr")
    if(NOT EXISTS "${root}")
        message(FATAL_ERROR "nothing is installed for ${DOCENT_PACKAGE_${group}} in ${root}")
    endif()
    set(doc "${root}/share/doc/${DOCENT_PACKAGE_${group}}")
    file(COPY "${DOCENT_SOURCE_DIR}/packaging/debian/copyright" "${DOCENT_SOURCE_DIR}/CHANGELOG.md" DESTINATION "${doc}"
        FILE_PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
    file(RENAME "${doc}/CHANGELOG.md" "${doc}/changelog")
    file(CONFIGURE OUTPUT "${doc}/changelog.Debian" CONTENT [[
docent (@DOCENT_DEBIAN_VERSION@) @DOCENT_DISTRIBUTION@; urgency=medium

  * Made by packaging/build.sh; what is new is in changelog.gz.

 -- @DOCENT_MAINTAINER@  @date@
]] @ONLY)
    compress("${doc}/changelog")
    compress("${doc}/changelog.Debian")
    set(overrides "${DOCENT_SOURCE_DIR}/packaging/debian/${group}.lintian-overrides")
    if(EXISTS "${overrides}")
        configure_file("${overrides}" "${root}/share/lintian/overrides/${DOCENT_PACKAGE_${group}}" @ONLY
            FILE_PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
    endif()
    file(GLOB pages "${root}/share/man/man?/*.?")
    foreach(page IN LISTS pages)
        compress("${page}")
    endforeach()
    file(GLOB_RECURSE archives "${root}/*.a")
    foreach(archive IN LISTS archives) # cpack strips programs and shared libraries
        execute_process(COMMAND "${DOCENT_STRIP}" --strip-debug --enable-deterministic-archives "${archive}" COMMAND_ERROR_IS_FATAL ANY)
    endforeach()
endforeach()

file(COPY "${DOCENT_SOURCE_DIR}/examples" DESTINATION "${CPACK_TEMPORARY_INSTALL_DIRECTORY}/headers/usr/share/doc/libdocent-dev"
    FILE_PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ
    DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
