#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Measures docent, Apache Curator, kazoo, etcd, Redis, PostgreSQL and the raw C client in turn, in one run, on servers that it
# starts. `compare.sh --help` lists the options. Without --quick, --installed or --help, it installs missing packages (Debian,
# as root) and says so, and builds the programs that it measures. In the end it removes the servers and their data.
set -euo pipefail
cd "$(dirname "$0")/.."

case " $* " in
*" --quick "* | *" --installed "* | *" --help "* | *" -h "*) ;;
*)
    # shellcheck source-path=SCRIPTDIR/.. source=cmake/install-packages.sh
    . cmake/install-packages.sh
    install_packages cmake ninja boost boost-thread boost-json cli11 ncurses zookeeper-client zlib zookeeper-server java javac \
        openssl openssl-command curator curator-recipes kazoo pkg-config etcd-server golang etcd-client-in-go redis-server hiredis \
        postgresql libpq gnuplot
    case " $* " in
    *" --build "*) ;;
    *)
        mkdir -p build/release
        if [ ! -e build/release/build.ninja ] &&
            ! cmake --preset release -DCMAKE_UNITY_BUILD=ON -DDOCENT_BUILD_TESTS=OFF -DDOCENT_BUILD_EXAMPLES=OFF -DDOCENT_BUILD_LOGGING=OFF \
                -DDOCENT_BUILD_PROMETHEUS=OFF >build/release/configure.log 2>&1; then
            cat build/release/configure.log >&2
            exit 1
        fi
        build_quietly build/release --target lock_workload raw_workload redis_workload postgres_workload delay_proxy
        ;;
    esac
    ;;
esac
exec /usr/bin/python3 benchmarks/compare/run.py "$@"
