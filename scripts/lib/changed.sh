# Sourced by suites that `scripts/test --full` runs for what changed last alone.
# shellcheck shell=bash

# changed_last N PATTERN: the N files of include, src and agents that were changed last and match: those that are not
# committed, and then the latest first.
changed_last() {
  local file of=(include src agents)
  { git -C "$ROOT" diff --name-only HEAD -- "${of[@]}" && git -C "$ROOT" ls-files --others --exclude-standard -- "${of[@]}" &&
    git -C "$ROOT" log --name-only --format= -n 1000 -- "${of[@]}"; } | grep -E "$2" | awk '!seen[$0]++' |
    while read -r file; do [ ! -f "$ROOT/$file" ] || printf '%s\n' "$file"; done | sed -n "1,$1p"
}

# folders_changed_last: the five of them, the latest first.
folders_changed_last() {
  changed_last 9999 '\.(cc|h)$' | xargs -n 1 dirname | awk '!seen[$0]++' | sed -n 1,5p
}

# units BUILD [--changed]: what BUILD compiles of src and agents, a line each: its object, the file, and how many sources
# of ours it takes in, the most first. --changed: only those with sources in the five folders that were changed last.
units() {
  local folders=''
  if [ "${2:-}" = --changed ]; then folders=$(folders_changed_last); fi
  python3 - "$ROOT" "$1" "$folders" <<'PY'
import json, os, re, sys

root, build, folders = sys.argv[1:]
folders = set(folders.split())
found = []
for entry in json.load(open(build + "/compile_commands.json")):
    file = entry["file"]
    parts = re.findall(r'#include "(.*)"', open(file).read()) if "/Unity/" in file else [file]
    parts = [os.path.relpath(part, root) for part in parts]
    parts = [part for part in parts if part.split("/")[0] in ("src", "agents")]
    if parts and (not folders or any(os.path.dirname(part) in folders for part in parts)):
        found.append((len(parts), re.search(r" -o (\S+) ", entry["command"])[1], file, parts))
for size, target, file, parts in sorted(found, key=lambda unit: -unit[0]):
    print(target, file, *parts)
if not found:
    sys.exit(f"no source of src and agents is compiled in {build}")
PY
}
