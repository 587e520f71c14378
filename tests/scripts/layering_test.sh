#!/usr/bin/env bash
# The forbidden includes of ARCHITECTURE.md do not compile: each row names a library target and a
# header that it must not reach. A row is tried with the target's own compile command, first with
# a header that it may include (or the test would pass for any broken command), then with the other.
set -euo pipefail
ROOT=$(cd "$(dirname "$0")/../.." && pwd)
BUILD=${BUILD:-$ROOT/build/dev}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

# flags_of TARGET: include paths, definitions and standard with which its sources are compiled.
flags_of() {
  python3 - "$BUILD/compile_commands.json" "$1" <<'PY'
import json, shlex, sys
for entry in json.load(open(sys.argv[1])):
    if "CMakeFiles/%s.dir/" % sys.argv[2] in entry["command"]:
        words = shlex.split(entry["command"])
        keep, i = [], 0
        while i < len(words):
            word = words[i]
            if word.startswith(("-I", "-D", "-std=")):
                keep.append(word)
            elif word == "-isystem":
                keep += [word, words[i + 1]]
            i += 1
        print(" ".join(keep))
        sys.exit()
sys.exit("no source of target %s in compile_commands.json" % sys.argv[2])
PY
}

compiles() {
  local flags
  flags=$(flags_of "$1")
  printf '#include "%s"\n' "$2" >"$work/probe.cc"
  # shellcheck disable=SC2086 # a list of flags
  (cd "$BUILD" && g++ $flags -fsyntax-only "$work/probe.cc" 2>"$work/errors")
}

# row TARGET ALLOWED FORBIDDEN
row() {
  if ! compiles "$1" "$2"; then
    echo "$1: \"$2\" should compile and does not:"
    cat "$work/errors"
    failed=1
  elif compiles "$1" "$3"; then
    echo "$1: \"$3\" compiles and must not"
    failed=1
  elif ! grep -q 'No such file' "$work/errors"; then
    echo "$1: \"$3\" fails for another reason:"
    cat "$work/errors"
    failed=1
  fi
}

for agent in "$ROOT"/agents/*/; do
  [ -f "$agent/CMakeLists.txt" ] || continue
  target=outrigger_agent_$(basename "$agent" | tr - _)
  for header in wire/extender.h engine/engine.h kube/api.h cluster/snapshot.h plan/round.h http/server.h server/service.h cli/main.h; do
    row "$target" outrigger/agent/agent.h "$header"
  done
done
row outrigger_sdk outrigger/k8s/pod.h wire/extender.h
row outrigger_names names/name_set.h json/reader.h
row outrigger_names names/name_set.h outrigger/k8s/node.h
row outrigger_json json/reader.h wire/extender.h
row outrigger_wire wire/extender.h engine/engine.h
row outrigger_wire outrigger/k8s/pod.h http/server.h
row outrigger_json json/reader.h kube/api.h
row outrigger_json json/reader.h protobuf/envelope.h
row outrigger_protobuf protobuf/envelope.h kube/api.h
row outrigger_protobuf json/path.h wire/extender.h
row outrigger_plan outrigger/plan/groups.h json/reader.h
row outrigger_plan cluster/snapshot.h kube/api.h
row outrigger_plan cluster/snapshot.h engine/engine.h
row outrigger_plan plan/pairs/pod_pairs.h json/reader.h
row outrigger_kube kube/api.h wire/extender.h
row outrigger_kube json/reader.h http/server.h
row outrigger_kube kube/api.h cli/main.h
row outrigger_engine wire/extender.h server/service.h
row outrigger_engine engine/engine.h http/server.h
row outrigger_http http/server.h wire/extender.h
row outrigger_http http/server.h outrigger/k8s/pod.h
row outrigger_server engine/engine.h cli/main.h

# What include paths cannot forbid: relative paths, and libraries that every compiler finds.
cd "$ROOT"
forbid() {
  local what=$1 pattern=$2
  shift 2
  if git grep -nE "$pattern" -- "$@"; then
    echo "forbidden: $what"
    failed=1
  fi
}
forbid "simdjson outside src/json and tests" '#include [<"]simdjson' 'src/*' 'agents/*' 'include/*' ':!src/json'
forbid "httplib outside tests" '#include [<"]httplib' 'src/*' 'agents/*' 'include/*'
forbid "libcurl outside src/kube/transport/curl_*" '#include [<"]curl/' '*.cc' '*.h' ':!src/kube/transport/curl_*'
forbid "protozero outside src/protobuf and tests" '#include [<"]protozero' 'src/*' 'agents/*' 'include/*' ':!src/protobuf'
forbid "Boost.Beast outside the request parser" '#include [<"]boost/(beast|asio)' '*.cc' '*.h' ':!src/http/request/parser.cc'
forbid "OpenSSL outside src/http/tls*, src/kube/config/tls* and tests" '#include [<"]openssl' 'src/*' 'agents/*' 'include/*' ':!src/http/tls*' ':!src/kube/config/tls*'
forbid "an include that climbs out of its folder" '#include "\.\./' 'src/*' 'agents/*' 'include/*'
forbid "JSON or protobuf in the SDK or an agent" '#include [<"](nlohmann|simdjson|yaml-cpp|protozero)' 'include/*' 'src/sdk/*' 'agents/*.h' 'agents/*/*.cc' ':!agents/*_test.cc'
forbid "the environment read outside the command line" '\bgetenv\(' 'src/*' 'agents/*' 'include/*' ':!src/cli'

[ "$failed" -eq 0 ] && echo "layering: clean"
exit "$failed"
