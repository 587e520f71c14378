#!/usr/bin/env bash
# Every pod with device claims that people may copy chooses a scheduler: without schedulerName it is refused, or starts
# without its devices (the policy in deploy/extender.devices.yaml).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

fail() { echo "device_examples_test: $*" >&2; exit 1; }

# pods FILE: "claims" or "claims scheduler" for each document of a manifest, and each block of a page, that has claims
pods() {
  awk '
    function end() { if (claims) print "claims" (scheduler ? " scheduler" : ""); claims = scheduler = 0 }
    /^---/ || /^```/ { end() }
    /^ +devmgmtproto.k8s.io\/device-claims:/ { claims = 1 }
    /schedulerName: outrigger/ { scheduler = 1 }
    END { end() }' "$1"
}

count=0
while read -r file; do
  while read -r pod; do
    [[ $pod == *scheduler ]] || fail "$file has a pod with device claims and without schedulerName: outrigger"
    count=$((count + 1))
  done < <(pods "$file")
done < <(git ls-files 'agents/devices/examples/*.yaml' '*.md')
((count >= 9)) || fail "only $count pods were found"
grep -qF "expression: '[\"outrigger\"]'" deploy/extender.devices.yaml || fail "the policy names another scheduler"
echo "device_examples_test: $count pods choose their scheduler"
