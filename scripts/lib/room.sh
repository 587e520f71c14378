# Sourced by scripts/test: whether the disk has room for what a run writes.
# shellcheck shell=bash

# wanted SUITE...: "DIR MB" for each folder that these suites fill, as docs/testing.md has it.
wanted() {
  local build=3500 caches=600
  # An image's layers fit where the programs of sanitize were.
  if [[ " $* " == *" sanitize "* ]]; then build=$((build + 7500)) caches=$((caches + 1500)); fi
  printf '%s %s\n' "$ROOT/build" "$build" "$(ccache --get-config cache_dir 2>/dev/null || echo "$HOME/.cache/ccache")" "$caches"
  [[ " $* " == *" e2e "* || " $* " == *" deploy "* ]] || return 0
  printf '%s %s\n' "$CACHE" 800 "${GOCACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/go-build}" 4000 \
    "${GOMODCACHE:-${GOPATH:-$HOME/go}/pkg/mod}" 1600 "${TMPDIR:-/tmp}" 1000
}

# check_room SUITE...: a warning unless there is so much, less what is there of it already: what is wanted is an
# estimate, and a run that fails late says less. Folders of other disks do not count.
check_room() {
  local dir mb there needed=0 free
  while read -r dir mb; do
    there=0
    if [ -d "$dir" ]; then
      [ "$(stat -c %d "$dir")" = "$(stat -c %d "$ROOT")" ] || continue
      [ "$dir" = "${TMPDIR:-/tmp}" ] || there=$(du -sm "$dir" | cut -f 1)
    fi
    if ((mb > there)); then needed=$((needed + mb - there)); fi
  done < <(wanted "$@")
  free=$(df -Pm "$ROOT" | awk 'NR == 2 { print $4 }')
  ((free >= needed)) || say "warning: $((free / 1024)) GB free in $ROOT, $(((needed + 1023) / 1024)) GB needed; if suites fail for it, delete build folders of \
other clones, outrigger-* in ${TMPDIR:-/tmp}, which failed tests left, and what \"go clean -cache\" and \"ccache -C\" delete"
}
