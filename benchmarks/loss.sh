#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The loss workload again and again: a holder whose network goes silent must hear of it before the next one is granted.
#
# usage: benchmarks/loss.sh [BUILD_FOLDER]
#
# Settings from the environment: RUNS (default 20), SESSION_MS (default 4000). Exits 1 if any margin is not positive.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

runs=${RUNS:-20}
workload=$(find_program lock_workload)

start_server
start_proxy 0
for ((run = 0; run < runs; ++run)); do
    "$workload" --connect "127.0.0.1:$proxy_port" --direct "127.0.0.1:$server_port" --session-ms "${SESSION_MS:-4000}" \
        --proxy-pid "$proxy_pid" --work loss
done | awk '{print; fflush(); sub(/.*margin_ms=/, ""); n++; if ($0 > 0) good++}
            END {printf "margin positive in %d of %d runs\n", good, n; exit good != n}'
