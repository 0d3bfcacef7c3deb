# SPDX-License-Identifier: Apache-2.0
# Java programs of the tests. They use Debian's jars of Apache Curator. Their manifests name all jars that they need.
find_program(DOCENT_JAVAC javac HINTS ENV JAVA_HOME PATH_SUFFIXES bin)
find_file(DOCENT_CURATOR_JAR curator-framework.jar PATHS /usr/share/java)
find_file(DOCENT_CURATOR_RECIPES_JAR curator-recipes.jar PATHS /usr/share/java)
find_file(DOCENT_ZOOKEEPER_JAR zookeeper.jar PATHS /usr/share/java)
find_file(DOCENT_SLF4J_JAR slf4j-nop.jar PATHS /usr/share/java)
set(all_needed DOCENT_JAVAC DOCENT_CURATOR_JAR DOCENT_CURATOR_RECIPES_JAR DOCENT_ZOOKEEPER_JAR DOCENT_SLF4J_JAR)
mark_as_advanced(${all_needed})
foreach(needed IN LISTS all_needed)
    if(NOT ${needed})
        message(FATAL_ERROR "The tests beside Apache Curator need javac and Curator's jars (not found: ${needed}). On Debian: "
            "apt-get install default-jdk-headless libcurator-recipes-java; or do without them: "
            "-DDOCENT_BUILD_INTEROP_TESTS=OFF")
    endif()
endforeach()

# docent_add_java(TARGET CLASS...): compiles java/CLASS.java... of this folder. Sets TARGET_class_path, the path to run them.
function(docent_add_java target)
    set(classes "${CMAKE_CURRENT_BINARY_DIR}/classes")
    set(compile_path "${DOCENT_CURATOR_JAR}:${DOCENT_CURATOR_RECIPES_JAR}:${DOCENT_ZOOKEEPER_JAR}")
    list(TRANSFORM ARGN PREPEND "${CMAKE_CURRENT_SOURCE_DIR}/java/" OUTPUT_VARIABLE sources)
    list(TRANSFORM sources APPEND .java)
    add_custom_command(OUTPUT "${classes}.stamp"
        COMMAND "${CMAKE_COMMAND}" -E rm -rf "${classes}"
        COMMAND "${DOCENT_JAVAC}" --release 11 -Xlint:all,-path $<$<BOOL:${DOCENT_WARNINGS_AS_ERRORS}>:-Werror> -proc:none
            -d "${classes}" -cp "${compile_path}" ${sources}
        COMMAND "${CMAKE_COMMAND}" -E touch "${classes}.stamp"
        DEPENDS ${sources} COMMENT "Compiling ${target}" VERBATIM COMMAND_EXPAND_LISTS)
    add_custom_target(${target} DEPENDS "${classes}.stamp")
    set(${target}_class_path "${classes}:${compile_path}:${DOCENT_SLF4J_JAR}" PARENT_SCOPE)
endfunction()
