# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Sourced by quickstart.sh, run-tests.sh and .ci/run, in the project's folder: looks for what they need and, as root on Debian,
# installs what is not there. What counts is whether compiler, linker and shell find the thing, wherever it comes from.

compiler=${CXX:-c++}

# find_missing THING...: prints Debian's names of the packages for what is not there.
find_missing() {
    local thing
    command -v "$compiler" >/dev/null || echo g++
    for thing in "$@"; do
        case $thing in
        cmake) version_of_cmake_is_enough || echo cmake ;;
        ninja) command -v ninja >/dev/null || echo ninja-build ;;
        boost) has_header boost/asio/any_completion_handler.hpp || echo libboost1.81-dev ;;
        boost-thread) has_header boost/thread/thread.hpp && has_library boost_thread || echo libboost-thread1.81-dev ;;
        boost-json) has_header boost/json.hpp && has_library boost_json || echo libboost-json1.81-dev ;;
        ncurses) has_header curses.h && has_library ncursesw || echo libncurses-dev ;;
        cli11) has_header CLI/CLI.hpp || echo libcli11-dev ;;
        zookeeper-client) has_zookeeper_client || package_of_zookeeper_client ;;
        zookeeper-server) has_zookeeper_server || echo libzookeeper-java ;;
        java) "${JAVA_HOME:+$JAVA_HOME/bin/}java" -version >/dev/null 2>&1 || echo default-jre-headless ;;
        javac) "${JAVA_HOME:+$JAVA_HOME/bin/}javac" -version >/dev/null 2>&1 || echo default-jdk-headless ;;
        curator) has_jars curator-framework zookeeper slf4j-nop || echo libcurator-framework-java ;;
        curator-recipes) has_jars curator-recipes || echo libcurator-recipes-java ;;
        kazoo) /usr/bin/python3 -c 'import kazoo' 2>/dev/null || echo python3-kazoo ;;
        etcd-server) command -v etcd >/dev/null || echo etcd-server ;;
        etcd-client-in-go) [ -d /usr/share/gocode/src/go.etcd.io/etcd/clientv3 ] || echo golang-etcd-server-dev ;;
        golang) command -v go >/dev/null || echo golang-go ;;
        hiredis) has_header hiredis/hiredis.h && has_library hiredis || echo libhiredis-dev ;;
        postgresql) compgen -G '/usr/lib/postgresql/*/bin/postgres' >/dev/null || echo postgresql ;;
        libpq) has_header postgresql/libpq-fe.h && has_library pq || echo libpq-dev ;;
        gnuplot) command -v gnuplot >/dev/null || echo gnuplot-nox ;;
        spdlog) has_header spdlog/spdlog.h && has_library spdlog || echo libspdlog-dev ;;
        prometheus-cpp) has_header prometheus/registry.h && has_library prometheus-cpp-core || echo prometheus-cpp-dev ;;
        sqlite) has_header sqlite3.h && has_library sqlite3 || echo libsqlite3-dev ;;
        zlib) has_header zlib.h && has_library z || echo zlib1g-dev ;;
        gtest) has_header gtest/gtest.h && has_library gtest || echo libgtest-dev ;;
        benchmark) has_header benchmark/benchmark.h && has_library benchmark || echo libbenchmark-dev ;;
        pkg-config) command -v pkg-config >/dev/null || echo pkgconf ;;
        dpkg-dev) command -v dpkg-buildflags >/dev/null || echo dpkg-dev ;;
        mkdocs-material) [ -d /usr/share/mkdocs/themes/material ] || echo mkdocs-material ;;
        groff) command -v groff >/dev/null || echo groff-base ;;
        clang-sanitizers) has_clang_sanitizers || echo libclang-rt-14-dev ;;
        *) command -v "$thing" >/dev/null || echo "$thing" ;; # a program with a package of its own name
        esac
    done
}

has_header() { # any_completion_handler.hpp is new in Boost 1.81
    command -v "$compiler" >/dev/null && echo "#include <$1>" | "$compiler" -std=c++20 -M -x c++ - >/dev/null 2>&1
}

has_library() {
    command -v "$compiler" >/dev/null && echo 'int main() {}' | "$compiler" -x c++ - "-l$1" -o /dev/null 2>/dev/null
}

has_zookeeper_client() {
    has_header zookeeper/zookeeper.h && { has_library zookeeper_st || has_library :libzookeeper_st.so.2; }
}

package_of_zookeeper_client() { # the -dev packages of both variants exclude each other, and either brings the header
    if dpkg-query -W -f '${Status}' libzookeeper-mt-dev 2>/dev/null | grep -q 'install ok installed'; then
        echo libzookeeper-st2
    else
        echo libzookeeper-st-dev
    fi
}

has_zookeeper_server() { [ -n "${ZOOKEEPER_HOME:-}" ] || [ -e /usr/share/java/zookeeper.jar ]; }

has_jars() { # where Debian has them
    local jar
    for jar in "$@"; do [ -e "/usr/share/java/$jar.jar" ] || return 1; done
}

has_clang_sanitizers() {
    command -v clang++ >/dev/null && echo 'int main() {}' | clang++ -fsanitize=address,undefined -x c++ - -o /dev/null 2>/dev/null
}

version_of_cmake_is_enough() {
    local version
    version=$(cmake --version 2>/dev/null | sed -n '1s/[^0-9]*//p')
    [ "$(printf '%s\n' 3.25 "$version" | sort -V | head -n 1)" = 3.25 ]
}

# install_packages THING...: returns when all is there, or ends the script with one line that says what to do.
install_packages() {
    local missing log=build/install-packages.log
    mapfile -t missing < <(find_missing "$@")
    [ "${#missing[@]}" -gt 0 ] || return 0
    local command=(apt-get install -y --no-install-recommends --no-remove "${missing[@]}")
    if ! command -v apt-get >/dev/null; then
        echo "${0##*/}: missing (names of Debian's packages): ${missing[*]}" >&2
        exit 1
    fi
    if [ "$(id -u)" -ne 0 ]; then
        echo "${0##*/}: packages are missing; as root, run: ${command[*]}" >&2
        exit 1
    fi
    echo "Installing ${missing[*]}"
    mkdir -p build
    if ! try_to_install "${command[@]}" >"$log" 2>&1; then
        tail -n 5 "$log" >&2
        echo "${0##*/}: cannot install the missing packages; see $log. This failed: ${command[*]}" >&2
        exit 1
    fi
}

try_to_install() { # with the lists that are there; with new ones if there are none or they are too old
    export DEBIAN_FRONTEND=noninteractive
    local options=(-o DPkg::Lock::Timeout=300)
    if compgen -G '/var/lib/apt/lists/*_Packages*' >/dev/null && "$@" "${options[@]}" </dev/null; then return 0; fi
    apt-get update "${options[@]}" && "$@" "${options[@]}" </dev/null
}

# build_quietly FOLDER [OPTION...]: one line of progress, and what matters of the log if it fails.
build_quietly() {
    local log=$1/build.log
    if [ -t 1 ]; then
        cmake --build "$@"
    elif ! cmake --build "$@" 2>&1 | tee "$log" | show_percent; then
        grep -A 20 -m 1 -E '^FAILED|error:' "$log" >&2 || tail -n 20 "$log" >&2
        echo "${0##*/}: the build failed; see $log" >&2
        return 1
    fi
}

show_percent() { # of Ninja's [done/all], every tenth
    local line shown=0 percent
    while IFS= read -r line; do
        [[ $line =~ ^\[([0-9]+)/([0-9]+)\] ]] || continue
        percent=$((100 * BASH_REMATCH[1] / BASH_REMATCH[2]))
        [ $percent -ge $((shown + 10)) ] || continue
        shown=$((percent / 10 * 10))
        printf ' %d%%' $shown
    done
    [ $shown -eq 0 ] || echo
}
