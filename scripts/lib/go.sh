# Sourced by scripts that build Go programs: all with the same flags, so that what they share, Kubernetes above all, is
# compiled once. What debuggers want takes an eighth of the time; what `go test` would vet again, scripts/e2e vets.
# shellcheck shell=bash
export GOTOOLCHAIN=local CGO_ENABLED=0 GOFLAGS="-trimpath -gcflags=all=-dwarf=false -vet=off"
