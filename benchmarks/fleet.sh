#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Measures fleets of clients on one server: load, memory, queues and reconnects, beside a model. `fleet.sh --help` lists the
# options. Build build/release first, as benchmarks/README.md says.
set -euo pipefail
cd "$(dirname "$0")/.."
exec /usr/bin/python3 benchmarks/compare/fleet.py "$@"
