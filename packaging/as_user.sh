#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs, uses, upgrades and removes the packages in FOLDER as a user does, as root in a minimal Debian. For test.sh.
# usage: as_user.sh FOLDER
set -euo pipefail
checkout=$PWD
packages=$(realpath "$1")
cd /root
export DEBIAN_FRONTEND=noninteractive

fail() {
    echo "${0##*/}: $*" >&2
    exit 1
}
quietly() { "$@" >/root/log 2>&1 || { tail -n 40 /root/log >&2; fail "$*"; }; }
install() { quietly apt-get install -y "$@"; }
installed() { dpkg-query -W -f '${db:Status-Abbrev} ${Package}\n' | sed -n 's/^ii  *//p' | sort; }
remove_all() { # removes all packages of docent, and checks that nothing is left
    local left
    # shellcheck disable=SC2046 # words
    quietly apt-get purge -y $(installed | grep docent)
    left=$(find / -xdev \( -path /root -o -path /proc -o -path /var/cache/man \) -prune -o -iname '*docent*' -print) # man keeps pages
    [ -z "$left" ] || fail "left after the removal: $left"
    ! dpkg-query -W 2>/dev/null | grep -i docent || fail "dpkg still knows these packages"
    echo "removed: nothing of docent is left"
}

quietly apt-get update
install --no-install-recommends man-db bash-completion

echo "=== the command: apt-get install ./libdocent0 ./docent"
installed >before
install "$packages"/libdocent0_*.deb "$packages"/docent_*.deb
installed | comm -13 before - | tee new
echo "$(grep -c . new) packages"
! grep -E 'java|jre|jdk|zookeeper-java' new || fail "docent brings Java"
docent --version
docent help >/dev/null
ldd "$(command -v docent)" | grep -F libdocent.so.

echo "=== man docent"
man docent >page 2>/dev/null || fail "man docent"
grep -m 1 -A 1 '^NAME' page
grep -qE 'docent +lock +PATH' page || fail "the page says nothing of docent lock"

echo "=== docent lo<TAB> --<TAB>"
# The text is typed when the shell shows its prompt. The input of the shell stays open until the shell has ended.
typed=$'docent lo\t--\t\t\x15exit\n'
printf 'PS1="ready> "; . /usr/share/bash-completion/bash_completion; bind "set enable-bracketed-paste off"\n' >bashrc
: >screen
{
    until [ -e ended ] || grep -q 'ready> ' screen; do sleep 0.1; done
    printf '%s' "$typed"
    until [ -e ended ]; do sleep 0.1; done
} | {
    timeout 120 script -qec 'bash --rcfile /root/bashrc -i' /dev/null >screen || true
    touch ended
} || true # typing fails if the shell has ended; only the screen decides
tr -d '\r\a' <screen | grep -oE -- '(^ready> docent lock --|--(connect|once-per|no-wait|wait|session-timeout|help))( |$)' | sort -u | tee completed
grep -q '^ready> docent lock --' completed || fail "docent lo<TAB> is not completed: $(cat -v screen)"
for option in --once-per --no-wait --connect; do
    grep -q -- "^$option" completed || fail "docent lock --<TAB> does not show $option: $(cat -v screen)"
done

echo "=== docent demo without Java"
quietly docent demo
grep -A 1 '^Proved' log

echo "=== docent server and docent demo --real, without Java and with the packages that they name"
for command in "server --port 0" "demo --real"; do
    # shellcheck disable=SC2086 # words
    ! docent $command >log 2>said || fail "docent $command works without Java"
    [ "$(wc -l <said)" = 1 ] || fail "docent $command says more than a line: $(cat said)"
    grep 'apt-get install [a-z0-9 -]*' said || fail "docent $command does not say what to install: $(cat said)"
done
# shellcheck disable=SC2046 # words
install --no-install-recommends $(sed -n 's/.*apt-get install \([a-z0-9 -]*\).*/\1/p' said)
quietly docent demo --real
grep -A 1 '^Proved' log
remove_all

echo "=== upgrade"
# Makes packages of the previous version. It had all shared libraries in libdocent0, and all their -dev files in libdocent-dev.
previous=0.1.0-1
current=$(dpkg-deb --field "$packages"/docent_*.deb Version)
dpkg --compare-versions $previous lt "$current" || fail "$previous is not older than $current"
unpack() { dpkg-deb --raw-extract "$packages/$1"_*.deb "previous/$1"; }
merge() { # PACKAGE OTHER: adds OTHER's files to PACKAGE
    dpkg-deb --extract "$packages/$2"_*.deb "previous/$1"
    rm -r "previous/$1/usr/share/doc/$2"
}
mkdir previous
for package in docent libdocent0 libdocent-dev; do unpack $package; done
merge libdocent0 libdocent-logging0
merge libdocent0 libdocent-prometheus0
merge libdocent-dev libdocent-logging-dev
merge libdocent-dev libdocent-prometheus-dev
for package in docent libdocent0 libdocent-dev; do
    sed -i "s/$current/$previous/g" previous/$package/DEBIAN/control
    rm previous/$package/DEBIAN/md5sums
    quietly dpkg-deb --root-owner-group --build previous/$package previous
done
install --no-install-recommends "$PWD"/previous/*.deb
docent --version >/dev/null
install --no-install-recommends "$packages"/*.deb
dpkg-query -W -f '${Package} ${Version} ${Installed-Size} KiB\n' docent 'docent-*' 'libdocent*' | tee versions
[ "$(grep -cF " $current " versions)" = "$(find "$packages" -name '*.deb' | wc -l)" ] || fail "not all packages are of version $current"
echo "upgraded from $previous"
for part in logging prometheus; do
    [[ $(dpkg-query -S "*/libdocent_$part.so.0") = "libdocent-${part}0:"* ]] || fail "libdocent_$part.so.0 is not of its new package"
done
quietly docent demo

echo "=== a project"
install --no-install-recommends g++ cmake ninja-build pkgconf
mkdir apart # a folder without any other sources
(cd "$checkout" && cp -r --parents debian/tests tests/consumer /root/apart)
apart/debian/tests/consumer

echo "=== pages and examples"
# shellcheck disable=SC2016 # perl expands these variables
dead_links=$(cd /usr/share/doc/docent && find . -name '*.md' -exec perl -0ne '
    s/```.*?```|`[^`\n]*`//gs;
    my ($folder) = $ARGV =~ m!(.*/)!;
    while (/\]\(([^)\s#:]+)[)#]/g) { print "$ARGV: $1\n" unless -e "$folder$1" }' {} +)
[ -z "$dead_links" ] || fail "links of pages that lead nowhere:"$'\n'"$dead_links"
echo "$(find /usr/share/doc/docent -name '*.md' | wc -l) pages: all links lead somewhere"
cp -r /usr/share/doc/docent/examples .
quietly cmake -S examples -B examples/build -G Ninja
quietly cmake --build examples/build
quietly ctest --test-dir examples/build --output-on-failure
grep 'tests passed' log

echo "=== removal"
remove_all
