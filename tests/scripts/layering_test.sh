#!/usr/bin/env bash
# The forbidden includes of ARCHITECTURE.md are not there: between modules they do not compile, and
# within a module no room includes from a room above it.
set -euo pipefail
ROOT=$(cd "$(dirname "$0")/../.." && pwd)
BUILD=${BUILD:-$ROOT/build/dev}
cd "$ROOT"
failed=0

# Library targets, each with headers that it may include (or the test would pass for any broken
# command) and behind "|" with those that it must not reach. The preprocessor looks for them with
# the target's own include paths.
rows() {
  for agent in agents/*/; do
    [ -f "$agent/CMakeLists.txt" ] || continue
    echo "outrigger_agent_$(basename "$agent" | tr - _) outrigger/agent/agent.h | wire/extender.h" \
      "engine/engine.h page/page.h kube/api.h cluster/snapshot.h plan/round/round.h http/server.h" \
      "server/service.h cli/main.h json/reader.h devices/search/search.h device_objects/decode.h"
  done
  cat <<'EOF'
outrigger_base base/url.h outrigger/base/clock.h | wire/extender.h json/reader.h kube/api.h
outrigger_sdk outrigger/k8s/pod.h | wire/extender.h
outrigger_names names/name_set.h | json/reader.h outrigger/k8s/node.h
outrigger_cel cel/program.h outrigger/k8s/quantity.h | json/reader.h kube/api.h cluster/snapshot.h engine/engine.h
outrigger_json json/reader.h | wire/extender.h kube/api.h protobuf/envelope.h
outrigger_wire wire/extender.h outrigger/k8s/pod.h | engine/engine.h http/server.h
outrigger_protobuf protobuf/envelope.h json/path.h | kube/api.h wire/extender.h
outrigger_plan outrigger/plan/groups.h cluster/snapshot.h | json/reader.h kube/api.h engine/engine.h
outrigger_desk outrigger/desk/desk.h outrigger/plan/groups.h | json/reader.h kube/api.h engine/engine.h
outrigger_penalty outrigger/penalty/policy.h outrigger/agent/config_maps.h | cluster/snapshot.h plan/round/round.h json/reader.h kube/api.h
outrigger_devices outrigger/devices/allocator.h devices/search/search.h | json/reader.h kube/api.h cluster/snapshot.h device_objects/decode.h
outrigger_device_objects device_objects/decode.h json/reader.h outrigger/devices/pool.h | kube/api.h wire/extender.h engine/engine.h
outrigger_device_writer outrigger/devices/writer.h device_objects/decode.h | kube/api.h wire/extender.h engine/engine.h cluster/snapshot.h
outrigger_kube kube/api.h json/reader.h | wire/extender.h http/server.h cli/main.h
outrigger_page page/page.h json/text.h outrigger/agent/page.h | engine/engine.h http/server.h
outrigger_engine wire/extender.h engine/engine.h | server/service.h http/server.h page/page.h
outrigger_http http/server.h | wire/extender.h outrigger/k8s/pod.h
outrigger_server engine/engine.h | cli/main.h agent_client/fetch_page.h
outrigger_http_client http_client/client.h base/url.h | json/reader.h http/server.h kube/api.h
outrigger_usage usage/source.h http_client/client.h json/reader.h | kube/api.h wire/extender.h cli/main.h
outrigger_annotate annotate/annotator.h usage/source.h kube/api.h cluster/snapshot.h | http/server.h server/metrics.h engine/engine.h cli/main.h
outrigger_lab kube/api.h outrigger/plan/order.h | wire/extender.h engine/engine.h http/server.h server/service.h annotate/annotator.h cli/main.h
outrigger_agent_client page/page.h agent_client/fetch_page.h | engine/engine.h http/server.h server/service.h
EOF
}
rows | python3 -c '
import json, os, shlex, subprocess, sys
commands = {}
for entry in json.load(open(sys.argv[1])):
    for part in entry["command"].split("/"):
        if part.startswith("outrigger_") and part.endswith(".dir"):
            commands.setdefault(part[:-4], entry)

def flags_of(entry):
    """Include paths, definitions and the standard: all that decides which headers are found."""
    words, keep = shlex.split(entry["command"]), []
    for word, following in zip(words, words[1:] + [""]):
        if word.startswith(("-I", "-D", "-std=")):
            keep.append(word)
        elif word == "-isystem":
            keep += [word, following]
    return keep

failed = False
for line in sys.stdin:
    target, *headers = line.split()
    bar = headers.index("|")
    if target not in commands:
        sys.exit(f"no source of target {target} in compile_commands.json")
    probe = ""
    for at, header in enumerate(headers):
        if at == bar:
            continue
        if not any(os.path.exists(f"{top}/{header}") for top in ("src", "include")):
            sys.exit(f"{target}: \"{header}\" is no header of this tree")
        wrong = f"__has_include(\"{header}\")" if at > bar else f"!__has_include(\"{header}\")"
        text = "is reachable and must not be" if at > bar else "should be reachable and is not"
        probe += f"#if {wrong}\n#error {target}: {header} {text}\n#endif\n"
    entry = commands[target]
    ran = subprocess.run(["g++", *flags_of(entry), "-E", "-x", "c++", "-"], input=probe, text=True,
                         cwd=entry["directory"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    if ran.returncode != 0:
        failed = True
        print("\n".join(l for l in ran.stderr.split("\n") if "error" in l))
sys.exit(failed)' "$BUILD/compile_commands.json" || failed=1

# forbid WHAT PATTERN PATHSPEC...
forbid() {
  local what=$1 pattern=$2
  shift 2
  local status=0
  git grep -nE "$pattern" -- "$@" || status=$?
  case $status in
    0) echo "forbidden: $what" && failed=1 ;;
    1) ;;
    *) echo "the pattern of \"$what\" is not accepted: $pattern" && failed=1 ;;
  esac
}

# floors FOLDER PREFIX ROOM...: the rooms of a folder from the top. "." has the files of the folder
# itself. Tests may look at every floor.
with_floors=''
floors() {
  local folder=$1 prefix=$2 above='' room files headers
  shift 2
  for room in "$@"; do
    files="$folder/$room/*" headers="$prefix$room/"
    [ "$room" != . ] || files=":(glob)$folder/*" headers="${prefix}[a-z0-9_]+\.h\""
    [ -n "$(git ls-files -- "$files")" ] || { echo "$folder has no room $room"; failed=1; }
    [ -z "$above" ] || forbid "an include that runs upwards from $folder/$room" \
      "#include \"($above)" "$files" ':!*_test.cc' ':!*_testing.h'
    above+=${above:+|}$headers
    with_floors+=" $folder/$room "
  done
}
floors src/cli cli/ main . doctor lab annotate penalty gang schedule devices explain claims scheduler_config agents args serve settings format
floors src/cel cel/ . run check library syntax values
floors src/kube kube/ view lease write watch stream transport config .
floors src/http http/ server answer request tls socket .
floors src/plan plan/ . preemption shortfall round search nodes pairs groups
floors src/desk desk/ . release nominations calls board leadership writes
floors src/penalty penalty/ pages replace journal ledger edges policy
floors src/lab lab/ client steps plugins framework
floors src/devices devices/ . original reasons scores search demand selectors pools model
floors src/device_writer device_writer/ custody .
floors src/sdk outrigger/ state agent k8s
floors agents/gang '' . reports eviction calls events common
floors agents/reward '' . original rule pods common
floors agents/pigeon '' . demand
floors agents/devices '' . control calls claims reports store
# Neighbours that are on one floor: neither includes the other.
apart() {
  forbid "an include of $1/$4 from $1/$3" "#include \"$2$4/" "$1/$3/*" ':!*_test.cc' ':!*_testing.h'
}
apart src/kube kube/ lease write
apart src/kube kube/ write watch
apart src/http http/ answer request
apart src/http http/ request tls
apart src/desk desk/ board leadership writes
apart src/plan plan/ preemption shortfall
apart src/plan plan/ pairs groups
apart src/devices devices/ original reasons
apart src/devices devices/ reasons scores

for room in $(git ls-files 'src/*/*/*.cc' 'src/*/*/*.h' 'agents/*/*/*.cc' 'agents/*/*/*.h' | cut -d/ -f1-3 | sort -u); do
  [[ $with_floors == *" $room "* ]] && continue
  echo "$room: no row of this test says on which floor it is"
  failed=1
done
# A unit test is where its source is.
for room in $(git ls-files 'tests/unit/*/*/*' | cut -d/ -f3-4 | sort -u); do
  [ -d "src/$room" ] || { echo "tests/unit/$room mirrors no folder src/$room"; failed=1; }
done

# A folder that is too large is divided into rooms; corpora and golden tables are data.
git ls-files ':!tests/fuzz/corpus' ':!tests/golden' | awk -v most=40 '
  { if (!sub("/[^/]*$", "")) $0 = "." ; files[$0]++ }
  END {
    for (folder in files) if (files[folder] > most) {
      printf "%s has %d files: more than %d are divided\n", folder, files[folder], most
      large = 1
    }
    exit large
  }' || failed=1

# What include paths cannot forbid: relative paths, and libraries that every compiler finds.
forbid "simdjson outside src/json and tests" '#include [<"]simdjson' 'src/*' 'agents/*' 'include/*' ':!src/json'
forbid "httplib outside src/http_client/*.cc and tests" '#include [<"]httplib' 'src/*' 'agents/*' 'include/*' ':!src/http_client/*.cc'
forbid "libcurl outside src/kube/transport/curl_*" '#include [<"]curl/' '*.cc' '*.h' ':!src/kube/transport/curl_*'
forbid "protozero outside src/protobuf and tests" '#include [<"]protozero' 'src/*' 'agents/*' 'include/*' ':!src/protobuf'
forbid "RE2 outside src/cel/library" '#include [<"]re2/' '*.cc' '*.h' ':!src/cel/library'
forbid "Boost.Beast outside the request parser" '#include [<"]boost/(beast|asio)' '*.cc' '*.h' ':!src/http/request/parser.cc'
forbid "OpenSSL outside src/http/tls*, src/kube/config/tls* and tests" '#include [<"]openssl' 'src/*' 'agents/*' 'include/*' ':!src/http/tls*' ':!src/kube/config/tls*'
forbid "an include that climbs out of its folder" '#include "\.\./' 'src/*' 'agents/*' 'include/*'
forbid "JSON or protobuf in the SDK or an agent" '#include [<"](nlohmann|simdjson|yaml-cpp|protozero)' 'include/*' 'src/sdk/*' 'agents/*.h' 'agents/*/*.cc' ':!agents/*_test.cc' ':!agents/*_testing.h'
# The lab's word is worth something since it shares no predicate with the planner.
forbid "the planner in the lab" '#include "(plan/|cluster/|outrigger/desk/|outrigger/plan/([^o]|o[^r]|or[^d]|ord[^e]|orde[^r]|order[^.]))' 'src/lab/*'
forbid "the environment read outside the command line" '\bgetenv\(' 'src/*' 'agents/*' 'include/*' ':!src/cli'

[ "$failed" -eq 0 ] && echo "layering: clean"
exit "$failed"
