#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Checks the packages that pack.sh has made in FOLDER: what is in them, what they depend on, and what lintian says.
# usage: check.sh FOLDER [development], if they were not built by build.sh, with Debian's options and folders
set -euo pipefail
cd "$(dirname "$0")/.."
. cmake/install-packages.sh
install_packages lintian

version=$(sed -n 's/^project(docent VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
number=$(sed -n 's/^set(DOCENT_SOVERSION \([0-9]*\))$/\1/p' cmake/DocentLibrary.cmake)
built_with=$(sed -n 's/^#if BOOST_VERSION != \([0-9]*\)$/\1/p' "$1/include/docent/detail/boost_version.hpp")
boost=$((built_with / 100000))\\.$((built_with / 100 % 1000))
failed=0
fail() {
    echo "packaging: $*" >&2
    failed=1
}

package() { # NAME: its file
    local found=("$folder/${1}_$version"-*.deb)
    [ -e "${found[0]}" ] || { echo "packaging: there is no package $1 of version $version in $folder" >&2; exit 1; }
    echo "${found[0]}"
}

has() { # NAME REGEX...: files in it
    local name=$1 pattern list
    list=$(dpkg-deb --contents "$(package "$name")" | awk '$1 !~ /^d/ { print $6 }')
    shift
    for pattern in "$@"; do
        grep -qE "^\./usr/$pattern\$" <<<"$list" || fail "$name has no file usr/$pattern"
    done
}

has_only() { # NAME REGEX: no others
    local others
    others=$(dpkg-deb --contents "$(package "$1")" | awk '$1 !~ /^d/ { print $6 }' |
        grep -vE "^\./usr/(share/doc/$1/.+|share/lintian/overrides/$1|$2)\$" || true)
    [ -z "$others" ] || fail "$1 has more than it should:"$'\n'"$others"
}

needs() { # NAME FIELD REGEX...: in that field
    local name=$1 field=$2 pattern value
    value=$(dpkg-deb --field "$(package "$name")" "$field")
    shift 2
    for pattern in "$@"; do
        grep -qE "(^|, )$pattern( \([^)]*\))?(,|$)" <<<"$value" || fail "$name: $field has not $pattern, but: $value"
    done
}

folder=$1
library=libdocent$number
lib='lib(/[a-z0-9_-]+)?'
for name in "$library" libdocent-dev docent; do
    has "$name" "share/doc/$name/"{copyright,changelog.gz,changelog.Debian.gz}
done
has "$library" "$lib/libdocent\.so\.$number" "$lib/libdocent\.so\.$version" "$lib/libdocent_"{testing,logging,prometheus}"\.so\.$number"
has_only "$library" "$lib/libdocent[a-z_]*\.so\.[0-9.]+"
needs "$library" Depends libc6 'libstdc\+\+6' 'libssl3(t64)?' 'libzookeeper-st2(t64)?' zlib1g "libboost-thread$boost\.[0-9]+" 'libspdlog[0-9.]+(-fmt[0-9]+)?' 'libprometheus-cpp-core[0-9.]+'
has libdocent-dev "$lib/libdocent"{,_testing,_logging,_prometheus}"\."{so,a} include/docent/{docent,client,export}\.hpp \
    "$lib/cmake/docent/docent-"{,logging-,prometheus-}{static,shared}"-targets\.cmake" \
    "$lib/cmake/docent/"{docent-config,docent-config-version,FindZooKeeperST,FindPrometheusCppCore}"\.cmake" \
    "$lib/pkgconfig/docent"{,-testing,-logging,-prometheus}"\.pc"
has libdocent-dev share/doc/libdocent-dev/examples/{CMakeLists.txt,first_steps.cpp}
has_only libdocent-dev "(include/docent/.+|$lib/(libdocent[a-z_]*\.(so|a)|cmake/docent/.+|pkgconfig/docent.+))"
needs libdocent-dev Depends "$library \(= $version-[0-9]+\)" "libboost$boost-dev" "libboost-thread$boost-dev" libssl-dev zlib1g-dev
has docent bin/docent share/man/man1/docent.1.gz share/bash-completion/completions/docent 'share/zsh/(vendor-completions|site-functions)/_docent'
has_only docent '(bin/docent|share/man/man1/docent\.1\.gz|share/bash-completion/completions/docent|share/zsh/.+/_docent)'
needs docent Depends "$library \(= $version-[0-9]+\)" libc6 libncursesw6 "libboost-json$boost\.[0-9]+"
needs docent Recommends libzookeeper-java

# lintian will not be root unless it must, and says so in so many words.
suppressed=()
[ "${2:-}" != development ] ||
    suppressed=(--suppress-tags "hardening-no-bindnow,hardening-no-fortify-functions,hardening-no-pie,uses-no-compression-for-data-tarball,pkg-config-unavailable-for-cross-compilation")
lintian --allow-root --fail-on error,warning --tag-display-limit 0 "${suppressed[@]}" "$folder"/*.deb || fail "lintian is not content"
[ $failed = 0 ] || exit 1
echo "packaging: $(cd "$folder" && echo ./*.deb) are as they should be"
