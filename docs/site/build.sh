#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes a site of all pages and of the headers' comments in build/site/html, and checks its links. On Debian as root it installs
# mkdocs-material and doxygen if they are missing.
set -euo pipefail
cd "$(dirname "$0")/../.."
. cmake/install-packages.sh

install_packages mkdocs-material doxygen

site=build/site
rm -rf $site
mkdir -p $site
docs/site/reference_headers.py $site/headers
doxygen docs/site/Doxyfile
docs/site/gather.py $site/pages
docs/site/reference_pages.py $site/doxygen/html $site/pages/reference
mkdocs --quiet build --config-file docs/site/mkdocs.yml
docs/site/check_links.py $site/html
docs/site/check_reference.py $site/doxygen/xml
