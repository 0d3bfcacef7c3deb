#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Fleets of clients on one server of their own: load, memory, queues and reconnects, beside a model. `fleet.sh --help` says what
# can be chosen. Build build/release first, as benchmarks/README.md says.
set -euo pipefail
cd "$(dirname "$0")/.."
exec /usr/bin/python3 benchmarks/compare/fleet.py "$@"
