# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Functions for scripts that source this file in the project's folder, such as run-tests.sh. They look for the things that a
# script needs and, as root on Debian, install the missing packages. A thing is present if compiler, linker or shell find it,
# wherever it comes from. Some names of packages contain a version, which depends on the release. These names are chosen from
# apt's packages.

# DOCENT_ARCH=arm64 builds for ARM64 on another processor: the compiler is a cross compiler, and the libraries are Debian's for
# arm64. Use it in a system of .ci/elsewhere, because libraries of two architectures exclude each other.
[ "${DOCENT_ARCH:=}" != "$(dpkg --print-architecture 2>/dev/null)" ] || DOCENT_ARCH=
case $DOCENT_ARCH in
'') compiler=${CXX:-c++} compiler_package=g++ ;;
arm64) compiler=aarch64-linux-gnu-g++ compiler_package=crossbuild-essential-arm64 ;;
*)
    echo "${0##*/}: cannot build for $DOCENT_ARCH; choose arm64, or this machine's own architecture" >&2
    exit 64
    ;;
esac
# shellcheck disable=SC2034 # used by the scripts that source this file
toolchain=(${DOCENT_ARCH:+--toolchain "$PWD/cmake/$DOCENT_ARCH.cmake"}) # for cmake

for_command=(cmake ninja boost boost-thread boost-json cli11 ncurses zookeeper-client zlib openssl ${DOCENT_ARCH:+emulator})
# shellcheck disable=SC2034 # used by the scripts that source this file
for_units=("${for_command[@]}" spdlog prometheus-cpp gtest groff zsh systemd-analyze git)
# shellcheck disable=SC2034 # used by the scripts that source this file
for_tests=("${for_units[@]}" zookeeper-server java javac curator curator-recipes kazoo zookeeper-cli tmux sqlite pkg-config)
boost_at_least=1.81 # any_completion_handler.hpp is new in this version

# find_missing THING...: prints the names of the packages of the missing things.
find_missing() {
    local thing
    command -v "$compiler" >/dev/null || echo "$compiler_package"
    for thing in "$@"; do
        case $thing in
        cmake) version_of_cmake_is_enough || echo cmake ;;
        ninja) command -v ninja >/dev/null || echo ninja-build ;;
        boost) has_header boost/asio/any_completion_handler.hpp || package_of_boost ;;
        boost-thread) has_header_and_library boost/thread/thread.hpp boost_thread || package_of_boost thread ;;
        boost-json) has_header_and_library boost/json.hpp boost_json || package_of_boost json ;;
        ncurses) has_header_and_library curses.h ncursesw || echo libncurses-dev ;;
        cli11) has_header CLI/CLI.hpp || echo libcli11-dev ;;
        zookeeper-client) has_zookeeper_client || package_of_zookeeper_client ;;
        zookeeper-server) has_zookeeper_server || echo libzookeeper-java ;;
        java) "${JAVA_HOME:+$JAVA_HOME/bin/}java" -version >/dev/null 2>&1 || echo default-jre-headless ;;
        javac) "${JAVA_HOME:+$JAVA_HOME/bin/}javac" -version >/dev/null 2>&1 || echo default-jdk-headless ;;
        curator) has_jars curator-framework zookeeper slf4j-nop || echo libcurator-framework-java ;;
        curator-recipes) has_jars curator-recipes || echo libcurator-recipes-java ;;
        zookeeper-cli) [ -x /usr/lib/zookeeper/bin/cli_mt ] || echo zookeeper-bin ;;
        kazoo) /usr/bin/python3 -c 'import kazoo' 2>/dev/null || echo python3-kazoo ;;
        etcd-server) command -v etcd >/dev/null || echo etcd-server ;;
        etcd-client-in-go) [ -d /usr/share/gocode/src/go.etcd.io/etcd/clientv3 ] || echo golang-etcd-server-dev ;;
        golang) command -v go >/dev/null || echo golang-go ;;
        hiredis) has_header_and_library hiredis/hiredis.h hiredis || echo libhiredis-dev ;;
        postgresql) compgen -G '/usr/lib/postgresql/*/bin/postgres' >/dev/null || echo postgresql ;;
        libpq) has_header_and_library postgresql/libpq-fe.h pq || echo libpq-dev ;;
        gnuplot) command -v gnuplot >/dev/null || echo gnuplot-nox ;;
        spdlog) has_header_and_library spdlog/spdlog.h spdlog || echo libspdlog-dev ;;
        prometheus-cpp) has_header_and_library prometheus/registry.h prometheus-cpp-core || echo prometheus-cpp-dev ;;
        sqlite) has_header_and_library sqlite3.h sqlite3 || echo libsqlite3-dev ;;
        openssl) has_header_and_library openssl/ssl.h ssl || echo libssl-dev ;;
        openssl-command) command -v openssl >/dev/null || echo openssl ;;
        zlib) has_header_and_library zlib.h z || echo zlib1g-dev ;;
        emulator) command -v qemu-aarch64-static >/dev/null || echo qemu-user-static ;;
        gtest) has_header_and_library gtest/gtest.h gtest || echo libgtest-dev ;;
        pkg-config) command -v pkg-config >/dev/null || echo pkgconf ;;
        dpkg-dev) command -v dpkg-buildflags >/dev/null || echo dpkg-dev ;;
        mkdocs-material) [ -d /usr/share/mkdocs/themes/material ] || echo mkdocs-material ;;
        groff) command -v groff >/dev/null || echo groff-base ;;
        systemd-analyze) command -v systemd-analyze >/dev/null || echo systemd ;;
        clang-sanitizers) has_clang_sanitizers || package_of_clang_runtime ;;
        llvm-symbolizer) command -v llvm-symbolizer >/dev/null || echo llvm ;;
        clang-format-*) command -v "$thing" >/dev/null || ! is_offered "$thing" || echo "$thing" ;; # not every release has it
        *) command -v "$thing" >/dev/null || echo "$thing" ;; # a program whose package has the same name
        esac
    done | sed -E "s/^(lib.*|zlib1g-dev|prometheus-cpp-dev)$/&${DOCENT_ARCH:+:$DOCENT_ARCH}/"
}

has_header() {
    command -v "$compiler" >/dev/null && echo "#include <$1>" | "$compiler" -std=c++20 -M -x c++ - >/dev/null 2>&1
}

has_library() {
    command -v "$compiler" >/dev/null && echo 'int main() {}' | "$compiler" -x c++ - "-l$1" -o /dev/null 2>/dev/null
}

has_header_and_library() { has_header "$1" && has_library "$2"; }

has_zookeeper_client() {
    has_header zookeeper/zookeeper.h && { has_library zookeeper_st || has_library :libzookeeper_st.so.2; }
}

package_of_zookeeper_client() { # the -dev packages of both variants exclude each other, and either brings the header
    if dpkg-query -W -f '${Status}' libzookeeper-mt-dev 2>/dev/null | grep -q 'install ok installed'; then
        package_of_zookeeper_library
    else
        echo libzookeeper-st-dev
    fi
}

package_of_zookeeper_library() { # Ubuntu has renamed this package
    if is_offered libzookeeper-st2t64; then echo libzookeeper-st2t64; else echo libzookeeper-st2; fi
}

# package_of_boost [LIBRARY]: prints the package of the version whose headers are installed. Without installed headers, prints
# the release's default version if that is new enough, otherwise the newest version that apt offers.
package_of_boost() {
    local version newest
    if has_header boost/asio/any_completion_handler.hpp; then
        version=$(version_of_boost_headers)
        is_offered "libboost${1:+-$1}$version-dev" || version=
    else
        version=$(version_offered libboost-dev)
        if [ -z "$version" ] || is_at_least $boost_at_least "$version"; then
            version=
        else
            newest=$(apt-cache pkgnames libboost | sed -n 's/^libboost\([0-9][0-9.]*\)-dev$/\1/p' | sort -V | tail -n 1)
            version=$boost_at_least # if this is not offered, apt says so
            ! is_at_least $boost_at_least "$newest" || version=$newest
        fi
    fi
    echo "libboost${1:+-$1}$version-dev"
}

version_of_boost_headers() {
    printf '#include <boost/version.hpp>\nBOOST_LIB_VERSION\n' | "$compiler" -E -P -x c++ - | sed -n '$s/"\([0-9]*\)_\([0-9]*\).*/\1.\2/p'
}

package_of_clang_runtime() { # for the installed Clang, or for the Clang that apt will install
    local version
    version=$(clang++ -dumpversion 2>/dev/null || version_offered clang)
    echo "libclang-rt-${version%%.*}-dev"
}

version_offered() { # PACKAGE: prints the version that apt would install, without the epoch; nothing if there is none
    LC_ALL=C apt-cache policy "$1" 2>/dev/null | sed -n 's/^ *Candidate: \(.*:\)\?\([0-9].*\)/\2/p'
}

is_offered() { [ -n "$(version_offered "$1")" ]; }

is_at_least() { # LEAST VERSION
    [ "$(printf '%s\n' "$1" "$2" | sort -V | head -n 1)" = "$1" ]
}

has_zookeeper_server() { [ -n "${ZOOKEEPER_HOME:-}" ] || [ -e /usr/share/java/zookeeper.jar ]; }

has_jars() { # in Debian's folder of jars
    local jar
    for jar in "$@"; do [ -e "/usr/share/java/$jar.jar" ] || return 1; done
}

has_clang_sanitizers() {
    command -v clang++ >/dev/null && echo 'int main() {}' | clang++ -fsanitize=address,undefined -x c++ - -o /dev/null 2>/dev/null
}

version_of_cmake_is_enough() {
    is_at_least 3.25 "$(cmake --version 2>/dev/null | sed -n '1s/[^0-9]*//p')"
}

# install_packages THING...: returns when all things are present, or ends the script with a line that says what to do.
install_packages() {
    local missing log=build/install-packages.log
    mapfile -t missing < <(find_missing "$@")
    [ "${#missing[@]}" -gt 0 ] || return 0
    if ! command -v apt-get >/dev/null; then
        echo "${0##*/}: missing (names of Debian's packages; of Boost at least version $boost_at_least): ${missing[*]}" >&2
        exit 1
    fi
    if [ "$(id -u)" -ne 0 ]; then
        if has_package_lists; then
            echo "${0##*/}: packages are missing; as root, run: ${apt_install[*]} ${missing[*]}" >&2
        else
            echo "${0##*/}: packages are missing, and apt has no lists of packages yet; as root, run: apt-get update; then run this script again" >&2
        fi
        exit 1
    fi
    mkdir -p build
    : >"$log"
    [ -z "$DOCENT_ARCH" ] || dpkg --add-architecture "$DOCENT_ARCH"
    if ! { has_package_lists && try_to_install "$@"; } && ! { apt-get update "${apt_options[@]}" >>"$log" 2>&1 && try_to_install "$@"; }; then
        tail -n 5 "$log" >&2
        echo "${0##*/}: cannot install the missing packages; see $log. This failed: ${apt_install[*]} ${missing[*]}" >&2
        exit 1
    fi
}

apt_install=(apt-get install -y --no-install-recommends --no-remove)
apt_options=(-o DPkg::Lock::Timeout=300)

has_package_lists() { compgen -G "/var/lib/apt/lists/*${DOCENT_ARCH:+_binary-$DOCENT_ARCH}_Packages*" >/dev/null; }

try_to_install() { # THING...; sets `missing` again, because the names depend on apt's lists of packages
    mapfile -t missing < <(find_missing "$@")
    echo "Installing ${missing[*]}"
    DEBIAN_FRONTEND=noninteractive "${apt_install[@]}" "${apt_options[@]}" "${missing[@]}" </dev/null >>"$log" 2>&1
}

# build_quietly FOLDER [OPTION...]: prints one line of progress, and the important part of the log if the build fails.
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

show_percent() { # prints each tenth of Ninja's [done/all] as a percentage
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
