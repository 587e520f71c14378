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
  local agent
  for agent in $(git grep -hoE '^outrigger_add_agent\([a-z0-9-]+' -- 'agents/**/CMakeLists.txt' | cut -d'(' -f2); do
    echo "outrigger_agent_${agent//-/_} outrigger/agent/agent.h | serve/wire/extender.h serve/engine/engine.h" \
      "codec/page/page.h kube/api.h http/server.h serve/server/service.h cli/main.h console/args/command.h"
  done
  cat <<'EOF'
outrigger_agent_safe outrigger/agent/agent.h | codec/json/reader.h cluster/snapshot.h gang/plan/planner.h load/usage/source.h
outrigger_agent_gang gang/plan/planner.h | codec/json/reader.h devices/allocation/pool.h penalty/classes/policy.h
outrigger_agent_qos gang/desk/desk.h | codec/json/reader.h devices/allocation/pool.h penalty/classes/policy.h
outrigger_agent_penalty penalty/classes/policy.h gang/plan/group.h | codec/json/reader.h gang/desk/desk.h devices/allocation/pool.h
outrigger_agent_devices devices/allocation/pool.h gang/plan/group.h | gang/desk/desk.h penalty/classes/policy.h
outrigger_base sdk/base/url.h outrigger/base/clock.h | serve/wire/extender.h codec/json/reader.h kube/api.h
outrigger_sdk outrigger/k8s/pod.h | serve/wire/extender.h
outrigger_names sdk/names/name_set.h | codec/json/reader.h outrigger/k8s/node.h
outrigger_cel cel/program.h outrigger/k8s/quantity.h | codec/json/reader.h kube/api.h cluster/snapshot.h serve/engine/engine.h
outrigger_json codec/json/reader.h | gang/plan/group.h serve/wire/extender.h kube/api.h codec/protobuf/envelope.h
outrigger_wire serve/wire/extender.h outrigger/k8s/pod.h | serve/engine/engine.h http/server.h
outrigger_protobuf codec/protobuf/envelope.h codec/json/path.h | kube/api.h serve/wire/extender.h
outrigger_plan gang/plan/groups.h cluster/snapshot.h | codec/json/reader.h kube/api.h serve/engine/engine.h gang/desk/desk.h
outrigger_desk gang/desk/desk.h gang/plan/groups.h | codec/json/reader.h kube/api.h serve/engine/engine.h
outrigger_penalty penalty/classes/policy.h outrigger/agent/config_maps.h | cluster/snapshot.h gang/plan/planner.h codec/json/reader.h kube/api.h
outrigger_devices devices/allocation/allocator.h devices/allocation/search/search.h | codec/json/reader.h kube/api.h cluster/snapshot.h devices/objects/decode.h
outrigger_dra devices/dra/allocator.h codec/json/reader.h cel/program.h | kube/api.h cluster/snapshot.h devices/allocation/search/search.h
outrigger_device_objects devices/objects/decode.h codec/json/reader.h devices/allocation/pool.h | kube/api.h serve/wire/extender.h serve/engine/engine.h devices/writer/writer.h
outrigger_device_writer devices/writer/writer.h devices/objects/decode.h | kube/api.h serve/wire/extender.h serve/engine/engine.h cluster/snapshot.h
outrigger_kube kube/api.h codec/json/reader.h | serve/wire/extender.h http/server.h cli/main.h
outrigger_page codec/page/page.h codec/json/text.h outrigger/agent/page.h | serve/engine/engine.h http/server.h
outrigger_engine serve/wire/extender.h serve/engine/engine.h | serve/server/service.h http/server.h codec/page/page.h
outrigger_http http/server.h | serve/wire/extender.h outrigger/k8s/pod.h
outrigger_server serve/engine/engine.h | cli/main.h console/agent_client/fetch_page.h
outrigger_http_client http/client/client.h sdk/base/url.h | codec/json/reader.h http/server.h kube/api.h
outrigger_usage load/usage/source.h http/client/client.h codec/json/reader.h | kube/api.h serve/wire/extender.h cli/main.h
outrigger_annotate load/annotate/annotator.h load/usage/source.h kube/api.h cluster/snapshot.h | http/server.h serve/server/metrics.h serve/engine/engine.h cli/main.h
outrigger_lab kube/api.h gang/plan/order.h | serve/wire/extender.h serve/engine/engine.h http/server.h serve/server/service.h load/annotate/annotator.h cli/main.h
outrigger_apiserver http/server.h codec/protobuf/envelope.h cel/program.h | kube/api.h serve/wire/extender.h cluster/snapshot.h lab/framework/plugins.h cli/main.h
outrigger_agent_client codec/page/page.h console/agent_client/fetch_page.h | serve/engine/engine.h http/server.h serve/server/service.h
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
        if not any(os.path.exists(f"{top}/{header}") for top in ("src", "agents", "include")):
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
# itself; "=" too, and there headers are contracts, which every room may include. Tests may look at
# every floor.
with_floors=''
floors() {
  local folder=$1 prefix=$2 above='' room files headers
  shift 2
  for room in "$@"; do
    files="$folder/$room/*" headers="$prefix$room/"
    [[ $room != [.=] ]] || files=":(glob)$folder/*" headers="${prefix}[a-z0-9_]+\.h\""
    [ -n "$(git ls-files -- "$files")" ] || { echo "$folder has no room $room"; failed=1; }
    [ -z "$above" ] || forbid "an include that runs upwards from $folder/$room" \
      "#include \"($above)" "$files" ':!*_test.cc' ':!*_testing.*'
    [ "$room" = = ] || above+=${above:+|}$headers
    with_floors+=" $folder/$room "
  done
}
floors src/cli cli/ main . manifests doctor look monitoring explain scheduler_config agents serve
floors src/console console/ reading pages args settings process format agent_client
floors src/serve serve/ server engine wire
floors src/codec codec/ page protobuf json
floors src/sdk sdk/ names base
floors src/sdk outrigger/ state agent k8s
floors src/cel cel/ . run check library syntax values
floors src/kube kube/ view lease write watch stream transport config .
floors src/http http/ client server answer request tls socket .
floors src/apiserver apiserver/ commands = controllers verbs admission files store crd patch select types
floors src/lab lab/ commands client nodes steps plugins framework
floors agents/gang gang/ commands qos desk plan
floors agents/gang '' . reports eviction calls events common
floors agents/gang/plan gang/plan/ = preemption shortfall round search nodes pairs groups
floors agents/gang/desk gang/desk/ = pages release nominations calls board leadership writes
floors agents/penalty penalty/ commands classes
floors agents/penalty '' . followed
floors agents/penalty/classes penalty/classes/ = pages mapped replace journal ledger edges policy
floors agents/devices devices/ commands writer objects allocation dra
floors agents/devices '' . control calls reports store stranded
floors agents/devices/commands devices/commands/ schedule devices explain dra claims
floors agents/devices/allocation devices/allocation/ = original reasons scores search demand selectors pools model
floors agents/devices/dra devices/dra/ = reasons
floors agents/devices/writer devices/writer/ = custody
floors agents/load load/ commands safe congestion annotate usage
floors agents/reward '' . original rule pods common
floors agents/pigeon '' . demand
# What commands share knows none of them, and no command another product's; nor do the tests of products.
forbid "a command in what commands share" '#include "(cli|[a-z]+/commands)/' 'src/console/*' ':!*_test.cc' ':!*_testing.*'
products=(apiserver devices gang load penalty lab)
for product in "${products[@]}"; do
  others=$(printf '%s\n' "${products[@]}" | grep -vx "$product" | paste -sd '|')
  forbid "cli, or a command of another product, in $product" "#include \"(cli|($others)/commands)/" \
    "agents/$product/*" "src/$product/*"
done
# Neighbours that are on one floor: neither includes the other.
apart() {
  forbid "an include of $1/$4 from $1/$3" "#include \"$2$4/" "$1/$3/*" ':!*_test.cc' ':!*_testing.*'
}
apart src/kube kube/ lease write
apart src/kube kube/ write watch
apart src/http http/ answer request
apart src/http http/ request tls
apart src/http http/ client server
apart agents/gang/desk gang/desk/ board leadership writes
apart agents/gang/plan gang/plan/ preemption shortfall
apart agents/gang/plan gang/plan/ pairs groups
apart agents/devices devices/ allocation dra
apart agents/devices/allocation devices/allocation/ original reasons
apart agents/devices/allocation devices/allocation/ reasons scores

for room in $(git ls-files 'src/*.cc' 'src/*.h' 'agents/*.cc' 'agents/*.h' | sed 's#/[^/]*$##' | sort -u); do
  [[ $room == */*/* ]] || continue
  [[ $with_floors == *" $room "* ]] && continue
  echo "$room: no row of this test says on which floor it is"
  failed=1
done
# ARCHITECTURE.md has the same rooms.
rooms_of_page() {
  awk -F'|' '/^\| `[a-z_\/]+` \| what is in it/ { gsub(/[` ]/, "", $2); folder = $2; next }
    /^\|---/ { next } !/^\|/ { folder = ""; next }
    folder != "" { n = split($2, names, ","); for (i = 1; i <= n; i++) { gsub(/[` ]/, "", names[i]); print folder "/" names[i] } }' \
    ARCHITECTURE.md | sort -u
}
diff <(rooms_of_page | grep -v '/[.=]$') <(tr ' ' '\n' <<<"$with_floors" | grep . | grep -v '/[.=]$' | sort -u) ||
  { echo "ARCHITECTURE.md (<) has other rooms than this test (>)"; failed=1; }

# A folder that is too large is divided into rooms; corpora and golden tables are data, tests stand where their code is.
git ls-files ':!tests/fuzz/corpus' ':!tests/golden' ':!*_test.cc' ':!*_testing.*' | awk -v most=40 '
  { if (!sub("/[^/]*$", "")) $0 = "." ; files[$0]++ }
  END {
    for (folder in files) if (files[folder] > most) {
      printf "%s has %d files: more than %d are divided\n", folder, files[folder], most
      large = 1
    }
    exit large
  }' || failed=1

# What include paths cannot forbid: relative paths, and libraries that every compiler finds.
product=('src/*' 'agents/*' 'include/*' ':!*_test.cc' ':!*_testing.*')
forbid "simdjson outside src/codec/json and tests" '#include [<"]simdjson' "${product[@]}" ':!src/codec/json'
forbid "httplib outside src/http/client/*.cc and tests" '#include [<"]httplib' "${product[@]}" ':!src/http/client/*.cc'
forbid "libcurl outside src/kube/transport/curl_*" '#include [<"]curl/' '*.cc' '*.h' ':!src/kube/transport/curl_*'
forbid "protozero outside src/codec/protobuf, src/apiserver/types and tests" '#include [<"]protozero' "${product[@]}" ':!src/codec/protobuf' \
  ':!src/apiserver/types'
forbid "RE2 outside src/cel/library and src/apiserver" '#include [<"]re2/' '*.cc' '*.h' ':!src/cel/library' ':!src/apiserver'
forbid "Boost.Beast outside the request parser" '#include [<"]boost/(beast|asio)' '*.cc' '*.h' ':!src/http/request/parser.cc'
forbid "OpenSSL outside src/http/tls*, src/kube/config/tls* and tests" '#include [<"]openssl' "${product[@]}" ':!src/http/tls*' ':!src/kube/config/tls*'
forbid "an include that climbs out of its folder" '#include "\.\./' 'src/*' 'agents/*' 'include/*'
forbid "JSON or protobuf in the SDK or an agent" '#include [<"](nlohmann|simdjson|yaml-cpp|protozero)' 'include/*' 'src/sdk/agent/*' \
  'src/sdk/k8s/*' 'src/sdk/state/*' 'agents/*.cc' 'agents/*.h' ':!*_test.cc' ':!*_testing.*' ':!agents/*/commands/*' \
  ':!agents/devices/objects' ':!agents/devices/writer' ':!agents/devices/dra' ':!agents/penalty/classes' \
  ':!agents/load/annotate' ':!agents/load/usage'
# The lab's word is worth something since it shares no predicate with the planner.
forbid "the planner in the lab" '#include "(cluster/|gang/desk/|gang/plan/([^o]|o[^r]|or[^d]|ord[^e]|orde[^r]|order[^.]))' \
  'src/lab/*' ':!*_test.cc' ':!*_testing.*'
forbid "the environment read outside the command line" '\bgetenv\(' "${product[@]}" ':!src/cli' ':!src/console'

[ "$failed" -eq 0 ] && echo "layering: clean"
exit "$failed"
