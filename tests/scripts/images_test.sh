#!/usr/bin/env bash
# dockerfiles/build with engines that only write down how they are called; the choice of agents for an image; and that
# a Dockerfile of an agent that was edited is noticed.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "images_test: $*" >&2; exit 1; }

mkdir "$work/bin"
# engine NAME VERSION: "NAME version" ends with VERSION, and all calls are appended to the log.
engine() {
  cat >"$work/bin/$1" <<SCRIPT
#!/usr/bin/env bash
case \$1 in
  version) exit $2 ;;
  build) grep -A 4 "^FROM scratch" >"$work/last" ;;
  image) echo registry.example/team/image@sha256:2222 ;;
esac
echo "$1 \$*" >>"$work/log"
while [ \$# -gt 1 ]; do
  [ "\$1" != --iidfile ] || echo sha256:1111 >"\$2"
  [ "\$1" != --digestfile ] || echo sha256:3333 >"\$2"
  shift
done
SCRIPT
  chmod +x "$work/bin/$1"
}
build() { PATH=$work/bin:$PATH "$root/dockerfiles/build" "$@" 2>"$work/err"; }
# called TEXT: the last run called an engine with the text.
called() { grep -qF -- "$1" "$work/log" || { cat "$work/log" >&2; fail "not called: $1"; }; }
# prints TEXT: and printed it.
prints() { [[ $(tr -s ' ' <"$work/out") == "$1" ]] || { cat "$work/out" >&2; fail "not printed: $1"; }; }

for each in docker podman buildah; do engine $each 0; done
build safe gang,qos -- --network host >"$work/out"
called "docker build --build-arg AGENTS=gang,qos --network host -f - --build-arg SOURCE_DATE_EPOCH=1 --iidfile"
called "-t kube-sched-ext-gang-qos:0.0 ."
prints "kube-sched-ext-safe:0.0 sha256:1111
kube-sched-ext-gang-qos:0.0 sha256:1111"
[[ $(cat "$work/last") == $'FROM scratch\nLABEL org.opencontainers.image.revision="'* ]] || fail "no commit: $(cat "$work/last")"
grep -q 'kube-scheduler: gang,qos"' "$work/last" || fail "no agents: $(cat "$work/last")"
build --push registry.example/team/ safe >"$work/out"
called "docker push registry.example/team/kube-sched-ext-safe:0.0"
prints "registry.example/team/kube-sched-ext-safe:0.0 sha256:2222"

engine docker 1 # its daemon does not answer
build --push registry.example/team safe >"$work/out"
called "podman build --build-arg AGENTS=safe -f - --target program ."
called "podman build --build-arg AGENTS=safe -f - --timestamp 1 --iidfile"
called "podman push --digestfile"
prints "registry.example/team/kube-sched-ext-safe:0.0 sha256:3333"
engine podman 1
build >"$work/out"
called "buildah build --layers --build-arg AGENTS=template -f - --timestamp 1 --iidfile"
[[ $(wc -l <"$work/out") == $("$root/dockerfiles/choose" all | wc -l) ]] || fail "without a name not every agent has an image"
engine buildah 1
if build safe; then fail "builds without an engine"; fi
grep -q "needs docker" "$work/err" || fail "does not say what is missing"

: >"$work/log"
engine docker 0
# refuses TEXT ARGUMENT...: builds nothing, and says the text.
refuses() {
  if build "${@:2}"; then fail "accepted: ${*:2}"; fi
  grep -qF -- "$1" "$work/err" || { cat "$work/err" >&2; fail "'${*:2}' was refused without '$1'"; }
  [ ! -s "$work/log" ] || fail "builds before it refuses: ${*:2}"
}
refuses "no agent 'gangs': did you mean gang?" safe gangs
refuses "no agent 'rewad': did you mean reward?" qos,rewad
refuses "no agent ''" ""
refuses "no agent ''" safe,
refuses "--push wants a registry" --push
refuses "unknown flag '--pusch'" --pusch x

# Of agents that are not chosen the name is there, and no code.
"$root/dockerfiles/choose" qos "$root/agents" "$work/chosen" >/dev/null
[ -f "$work/chosen/gang/qos/qos.cc" ] || fail "the chosen agent has no code"
[ -f "$work/chosen/gang/desk/CMakeLists.txt" ] || fail "the library of the chosen agent is not there"
[ ! -e "$work/chosen/pigeon/pigeon.cc" ] || fail "an agent that is not chosen has code"
for agent in gang pigeon; do
  [[ $(cat "$work/chosen/$agent/CMakeLists.txt") == *"OUTRIGGER_AGENTS_LEFT_OUT $agent)" ]] || fail "$agent is not left out"
done

mkdir "$work/tree"
cp -r -t "$work/tree" "$root/dockerfiles" "$root/agents"
"$work/tree/dockerfiles/generate" --check || fail "a Dockerfile is not as dockerfiles/generate writes it"
for edit in 'echo >>Dockerfile.safe' 'rm Dockerfile.safe' 'touch Dockerfile.old' 'sed -i s/65532/0/ Dockerfile'; do
  (cd "$work/tree/dockerfiles" && eval "$edit")
  if "$work/tree/dockerfiles/generate" --check 2>/dev/null; then fail "not noticed: $edit"; fi
  cp -r -t "$work/tree" "$root/dockerfiles"
  rm -f "$work/tree/dockerfiles/Dockerfile.old"
done
echo "images_test: ok"
