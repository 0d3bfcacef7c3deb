#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What test.sh lets a user do, as root in a fresh minimal Debian, in a checkout below /root.
# usage: as_user.sh FOLDER_OF_PACKAGES
set -euo pipefail
mkdir /root/packages
cp "$1"/*.deb /root/packages
cp -r tests/consumer /root
cd /root
export DEBIAN_FRONTEND=noninteractive

fail() {
    echo "as a user: $*" >&2
    exit 1
}
quietly() { "$@" >/root/log 2>&1 || { tail -n 40 /root/log >&2; fail "$*"; }; }
install() { quietly apt-get install -y "$@"; }
files() { find / -xdev \( -path /proc -o -path /dev -o -path /sys -o -path /root \) -prune -o -print | sort; }

quietly apt-get update
install --no-install-recommends man-db bash-completion
files >before
[ -z "$(find / -xdev -path /root -prune -o -iname '*docent*' -print)" ] || fail "something of ours is here already"

echo "=== the command: apt-get install ./libdocent0 ./docent"
install ./packages/libdocent[0-9]*.deb ./packages/docent_*.deb
docent --version
docent help >/dev/null
ldd /usr/bin/docent | grep -F libdocent.so.

echo "=== man docent"
man docent >page 2>/dev/null || fail "man docent"
grep -m 1 -A 1 '^NAME' page
grep -qE 'docent +lock +PATH' page || fail "the page says nothing of docent lock"

echo "=== docent lo<TAB> --<TAB>"
# What is typed waits in the terminal until the shell has begun to read.
typed=$'docent lo\t--\t\t\x15exit\n'
printf 'PS1=; . /usr/share/bash-completion/bash_completion; bind "set enable-bracketed-paste off"\n' >bashrc
{ sleep 2; printf '%s' "$typed"; sleep 2; } | script -qec 'bash --rcfile /root/bashrc -i' /dev/null >screen || true
tr -d '\r\a' <screen | grep -oE -- '(^docent lock --|--(connect|once-per|no-wait|wait|session-timeout|help))( |$)' | sort -u | tee completed
grep -q '^docent lock --' completed || fail "docent lo<TAB> is not completed"
for option in --once-per --no-wait --connect; do
    grep -q -- "^$option" completed || fail "docent lock --<TAB> does not show $option: $(cat -v screen)"
done

echo "=== docent demo"
quietly docent demo
tail -n 3 log

echo "=== a project: apt-get install ./libdocent-dev"
install ./packages/libdocent-dev_*.deb
install --no-install-recommends g++ cmake ninja-build pkgconf
for kind in static shared; do
    shared=OFF
    [ $kind = static ] || shared=ON
    quietly cmake -S consumer -B $kind -G Ninja -DBUILD_SHARED_LIBS=$shared
    quietly cmake --build $kind
    for program in consumer consumer_logging consumer_prometheus exceptions api_table; do quietly ./$kind/$program; done
    if ldd $kind/consumer | grep -q libdocent; then linked=shared; else linked=static; fi
    [ $linked = $kind ] || fail "find_package gave the $linked library for BUILD_SHARED_LIBS=$shared"
    echo "find_package, $kind: consumer, consumer_logging, consumer_prometheus, exceptions and api_table are built and do what they should"
done
# shellcheck disable=SC2046 # options are words
{
    quietly g++ -std=c++20 consumer/consumer.cpp -o by_hand_shared $(pkg-config --cflags --libs docent docent-testing)
    quietly g++ -std=c++20 consumer/consumer.cpp -o by_hand_static $(pkg-config --cflags docent) \
        $(pkg-config --static --libs docent docent-testing | sed -E 's/-l(docent[a-z_]*)/-l:lib\1.a/g') # else the linker takes the shared ones
}
ldd by_hand_shared | grep -q libdocent || fail "pkg-config did not give the shared library"
ldd by_hand_static | grep -q libdocent && fail "pkg-config --static did not do without the shared library"
quietly ./by_hand_shared
quietly ./by_hand_static
echo "pkg-config, shared and static: consumer is built and does what it should"

cp -r /usr/share/doc/libdocent-dev/examples .
quietly cmake -S examples -B examples/build -G Ninja
quietly cmake --build examples/build
quietly ctest --test-dir examples/build --output-on-failure
grep 'tests passed' log

echo "=== removal"
quietly apt-get purge -y docent 'libdocent*'
left=$(find / -xdev \( -path /root -o -path /var/cache/man \) -prune -o -iname '*docent*' -print) # man keeps the pages that it has shown
[ -z "$left" ] || fail "left after the removal: $left"
! dpkg-query -W 2>/dev/null | grep -i docent || fail "dpkg still knows of it"
quietly apt-get autoremove -y --purge
files >after
comm -13 before after | grep -vE '^/(var/(cache|lib/(apt|dpkg)|log)|tmp|run|etc/(ssl|java|ld\.so\.cache)|usr/(share/(gcc|doc)|lib/jvm|local))(/|$)' | head -n 20 >new || true
echo "nothing of docent is left; what else is new after all that was installed: $(grep -c . new || true) files"
