# Sourced by scripts/test: the table at its end, and the warning when the whole takes too long.
# shellcheck shell=bash

# processor_seconds: of all commands of this script that have ended (cutime and cstime of proc(5)).
processor_seconds() {
  awk -v per_second="$(getconf CLK_TCK)" '{ sub(/.*\) /, ""); printf "%d", ($14 + $15) / per_second }' /proc/$$/stat
}

# row SUITE|VERDICT|SECONDS|PROCESSOR SECONDS: one line of the table.
row() {
  local suite verdict seconds busy
  IFS='|' read -r suite verdict seconds busy <<<"$1"
  printf '%-20s %-7s %5d s %6d s of processors' "$suite" "$verdict" "$seconds" "$busy"
}

# report SECONDS: prints the table of "${rows[@]}", the time of all, and above OUTRIGGER_BUDGET seconds (45
# minutes) a warning.
# shellcheck disable=SC2154 # rows is the caller's
report() {
  local total=$1 budget=${OUTRIGGER_BUDGET:-2700} each
  printf '\n'
  for each in "${rows[@]}"; do printf '%s\n' "$(row "$each")"; done
  printf 'all suites: %d min %02d s\n' $((total / 60)) $((total % 60))
  ((total > budget)) || return 0
  printf 'warning: this took more than %d minutes: make room in the longest\n' $((budget / 60))
}
