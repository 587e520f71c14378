# Sourced by scripts/test: the table at its end, and the warning when the whole takes too long.
# shellcheck shell=bash

# row SUITE|VERDICT|SECONDS: one line of the table.
row() {
  local suite verdict seconds
  IFS='|' read -r suite verdict seconds <<<"$1"
  printf '%-20s %-7s %5d s' "$suite" "$verdict" "$seconds"
}

# report SECONDS PAGE: prints the table of "${rows[@]}", the time of all, and above OUTRIGGER_BUDGET
# seconds (an hour) a warning that names the suites that took longer than PAGE has them.
# shellcheck disable=SC2154 # rows is the caller's
report() {
  local total=$1 page=$2 budget=${OUTRIGGER_BUDGET:-3600} each
  printf '\n'
  for each in "${rows[@]}"; do printf '%s\n' "$(row "$each")"; done
  printf 'all suites: %d min %02d s\n' $((total / 60)) $((total % 60))
  ((total > budget)) || return 0
  printf 'warning: this took more than %d minutes. Slower than in %s:%s\n' $((budget / 60)) \
    "${page#"$ROOT"/}" "$(grown "$page")"
}

# grown PAGE: the suites that took a tenth longer than the table of PAGE has them (second column: seconds
# without caches), or that are not in it.
# shellcheck disable=SC2154
grown() {
  local each suite seconds known
  for each in "${rows[@]}"; do
    IFS='|' read -r suite _ seconds <<<"$each"
    known=$(awk -F'|' -v suite="$suite" '{ name = $2; gsub(/[` ]/, "", name); gsub(/ /, "", suite) }
      name == suite && $3 + 0 > 0 { print $3 + 0; exit }' "$1")
    if [ -z "$known" ]; then
      printf ' %s (%d s, not in the table)' "$suite" "$seconds"
    elif ((seconds * 10 > known * 11)); then
      printf ' %s (%d s, was %d s)' "$suite" "$seconds" "$known"
    fi
  done
}
