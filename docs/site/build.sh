#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes a site of all pages and of the headers' comments in build/site/html, and looks whether each link leads somewhere. On
# Debian as root it installs what is missing (mkdocs-material, doxygen).
set -euo pipefail
cd "$(dirname "$0")/../.."
. cmake/install-packages.sh

install_packages mkdocs-material doxygen

site=build/site
rm -rf $site
mkdir -p $site
docs/site/gather.py $site/pages
doxygen docs/site/Doxyfile
mkdocs --quiet build --config-file docs/site/mkdocs.yml
docs/site/check_links.py $site/html
