#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs the packages that build.sh has made as a user would, in a minimal Debian 12 in a folder, where nothing else of ours is:
# the command first, then what it takes to develop, and a user's project in every way; sees that their removal leaves nothing.
# Must be root. Needs some 3 GB in build/, and takes some minutes; apt's sources and settings are this machine's.
# usage: test.sh [FOLDER], of the packages: build/packages
set -euo pipefail
cd "$(dirname "$0")/.."
. cmake/install-packages.sh
[ "$(id -u)" -eq 0 ] || { echo "${0##*/}: must be root, to make a Debian in a folder" >&2; exit 1; }
packages=$(cd "${1:-build/packages}" && pwd)
ls "$packages"/*.deb >/dev/null
install_packages debootstrap

base=$PWD/build/fresh-debian.tar
root=$PWD/build/fresh-debian

sources() { apt-get indextargets --format "deb \$(REPO_URI) \$(RELEASE) $1" 'Created-By: Packages' 'Origin: Debian' 'Component: main' | sort -u; }

make_base() {
    local mirror
    [ -n "$(sources main)" ] || apt-get update >/dev/null
    mirror=$(sources main | awk '$3 == "bookworm" { print $2; exit }')
    rm -rf "$root"
    debootstrap --variant=minbase bookworm "$root" "$mirror" >build/debootstrap.log 2>&1 || { tail -n 5 build/debootstrap.log >&2; exit 1; }
    sources main >"$root/etc/apt/sources.list"
    apt-config dump | grep -iE '^Acquire::(http|https|Check|AllowInsecure|Retries|Languages)' >"$root/etc/apt/apt.conf.d/99machine" || true
    printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d" # nothing is to be started
    chmod +x "$root/usr/sbin/policy-rc.d"
    tar -C "$root" --one-file-system -cf "$base.new" . # also for the next time
    mv "$base.new" "$base"
}

[ -e "$base" ] || make_base
rm -rf "$root"
mkdir -p "$root"
trap 'rm -rf "$root"' EXIT
tar -C "$root" -xf "$base"
cp /etc/resolv.conf /etc/hosts "$root/etc/"
mkdir "$root/root/"{packages,consumer}
cp "$packages"/*.deb "$root/root/packages"
cp tests/consumer/{CMakeLists.txt,*.cpp,*.hpp} "$root/root/consumer"
cp packaging/as_user.sh "$root/root"

# In a namespace of its own, so that what is mounted is gone with it.
mapfile -t proxies < <(env | grep -iE '^(https?_proxy|no_proxy)=' || true)
# shellcheck disable=SC2016 # for the other shell
env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 TERM=xterm DEBIAN_FRONTEND=noninteractive "${proxies[@]}" \
    unshare --mount --fork bash -euc '
        mount -t proc proc "$1/proc"
        mount --rbind /dev "$1/dev"
        exec chroot "$1" bash /root/as_user.sh' - "$root"
