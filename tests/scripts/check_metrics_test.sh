#!/usr/bin/env bash
# promtool has nothing to object to in the metrics of the real program.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
"$root/scripts/check-metrics" "${OUTRIGGER_BIN:-$root/build/dev/bin/outrigger}"
