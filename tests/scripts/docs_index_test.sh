#!/usr/bin/env bash
# docs/README.md lists every page of docs/ and every README.md, and none of its links leads nowhere.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

fail() { echo "docs_index_test: $*" >&2; exit 1; }

# links INDEX: the files that the index links, by their paths from the root
links() {
  local link
  grep -oE '\]\([^)#]+' "$1" | cut -c3- | while read -r link; do
    realpath -sm --relative-to="$root" "$root/docs/$link"
  done
}

# pages: what the index has to list; the steps of the course are listed by its own README.md
pages() {
  git -C "$root" ls-files '*README.md' 'docs/*.md' |
    grep -vxE 'docs/README.md|docs/learn/step[0-9]+.md'
}

# check INDEX: prints what is wrong with it
check() {
  local link
  comm -23 <(pages | sort -u) <(links "$1" | sort -u) | sed 's/$/ is not listed/'
  links "$1" | while read -r link; do
    [ -f "$root/$link" ] || echo "$link is listed, and there is no such file"
  done
}

index=$root/docs/README.md
wrong=$(check "$index")
[ -z "$wrong" ] || fail "docs/README.md: $wrong"
count=$(pages | wc -l)
((count >= 30)) || fail "only $count pages are looked for"

# What it finds in an index with a row less and a wrong link.
sed -e '/^| \[install.md\]/d' -e '/^| \[agents\/penalty/d' -e 's/(gang.md)/(gangs.md)/' "$index" >"$folder/README.md"
diff <(check "$folder/README.md") - <<'TEXT' || fail "finds something else in a wrong index"
agents/penalty/README.md is not listed
docs/gang.md is not listed
docs/install.md is not listed
docs/gangs.md is listed, and there is no such file
TEXT
echo "docs_index_test: $count pages are listed"
