#!/usr/bin/env bash
# Proves that the course quotes the code as it is, and that scripts/lib/quote sees when it does not.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

fail() { echo "quote_test: $*" >&2; exit 1; }
quote() { "$tree/scripts/lib/quote" "$@" >"$folder/out" 2>&1; }
refuses() { # TEXT MARKER...: the tool fails on a page of these lines and prints TEXT
  printf '%s\n' "${@:2}" >"$folder/page.md"
  if quote "$folder/page.md"; then fail "accepted: ${*:2}"; fi
  grep -qF -- "$1" "$folder/out" || fail "no \"$1\" but: $(cat "$folder/out")"
}

# The pages of this tree.
tree=$root
quote --check || fail "$(cat "$folder/out")"
[[ $(sed -n 's/^quote: \([0-9]*\) blocks.*/\1/p' "$folder/out") -gt 10 ]] || fail "hardly any block: $(cat "$folder/out")"

# A page, a source, and what becomes of the page when the source changes.
tree=$folder/tree
mkdir -p "$tree/scripts/lib" "$tree/docs/learn"
cp "$root/scripts/lib/quote" "$tree/scripts/lib/"
cat >"$tree/code.cc" <<'TEXT'
namespace lab {
  int One() {
    if (true) {
      return 1;
    }
  }
  int Two() { return 2; }
}
TEXT
cat >"$tree/docs/learn/page.md" <<'TEXT'
Before.
<!-- code: code.cc from "int One()" to "}" -->
```
```
After.
TEXT
quote || fail "cannot write: $(cat "$folder/out")"
diff "$tree/docs/learn/page.md" - <<'TEXT' || fail "wrote another page"
Before.
<!-- code: code.cc from "int One()" to "}" -->
```cpp
int One() {
  if (true) {
    return 1;
  }
}
```
After.
TEXT
quote --check || fail "does not accept what it wrote: $(cat "$folder/out")"
sed -i 's/return 1/return 3/' "$tree/code.cc"
if quote --check; then fail "does not see that the source has changed"; fi
grep -q '^+ *return 3' "$folder/out" || fail "does not show the difference: $(cat "$folder/out")"
grep -q 'return 1' "$tree/docs/learn/page.md" || fail "--check has written"
quote || fail "cannot write the change: $(cat "$folder/out")"
quote --check || fail "does not accept the change: $(cat "$folder/out")"

refuses 'there is no file none.cc' '<!-- code: none.cc -->' '```' '```'
refuses '"int" is in 2 lines' '<!-- code: code.cc from "int" to "}" -->' '```' '```'
refuses '"char" is in 0 lines' '<!-- code: code.cc from "char" to "}" -->' '```' '```'
refuses 'begins with "];"' '<!-- code: code.cc from "int One" to "];" -->' '```' '```'
refuses 'not a marker' '<!-- code: code.cc from int to } -->' '```' '```'
refuses 'no fenced block' '<!-- code: code.cc -->' 'text'
refuses 'the block has no end' '<!-- code: code.cc -->' '```'
echo "quote_test: ok"
