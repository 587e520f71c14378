#!/usr/bin/env bash
# outrigger manifests: the files of deploy/ are what the command in their head prints; for each agent, each pair that
# scheduler-config accepts, and all, a rendering has the configuration of scheduler-config, the rights of agents --rbac,
# and nothing that doctor finds.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
export OUTRIGGER=${OUTRIGGER_BIN:-$root/build/dev/bin/outrigger}
cd "$root"
python3 - <<'PY'
import glob, itertools, json, os, subprocess, sys, tempfile, yaml

program = os.environ["OUTRIGGER"]
failures = []

def run(*args):
    done = subprocess.run([program, *args], capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr

def check(holds, text):
    if not holds:
        failures.append(text)

def rights(objects):
    """Verb, group, resource and name of each right, and whether it is of a Role."""
    return {(o["kind"], verb, group, resource, name)
            for o in objects if o["kind"] in ("Role", "ClusterRole") for rule in o["rules"]
            for verb in rule["verbs"] for group in rule["apiGroups"] for resource in rule["resources"]
            for name in rule.get("resourceNames", [""])}

def check_drift(agents):
    head = "# Written by `outrigger manifests "
    files = [f for f in sorted(glob.glob("deploy/*.yaml")) if open(f).readline().startswith(head)]
    for file in files:
        text = open(file).read()
        args = text[len(head):].split("`", 1)[0].split()
        code, out, err = run("manifests", *args)
        check(code == 0 and out == text, f"{file} is not what its command prints: run scripts/update-docs. {err}")
    for name in [*agents, "safe.congestion", "gang.safe.congestion", "gang.qos"]:
        check(f"deploy/extender.{name}.yaml" in files, f"deploy/extender.{name}.yaml is missing: run scripts/update-docs")

def check_set(chosen):
    names = ",".join(chosen)
    code, config, err = run("scheduler-config", "--agents", names, "--scheduler-name", "outrigger")
    if code != 0:
        check(run("manifests", *chosen)[0] == 2, f"{names}: scheduler-config refuses it, manifests does not")
        return
    code, text, err = run("manifests", *chosen)
    check(code == 0, f"{names}: {err}")
    if code != 0:
        return
    objects = list(yaml.safe_load_all(text))
    configs = [o["data"]["scheduler.yaml"] for o in objects if "scheduler.yaml" in o.get("data", {})]
    check(configs == [config], f"{names}: the configuration is not that of scheduler-config")
    _, rbac, _ = run("agents", "--rbac", names, "--namespace", "kube-system")
    ours = [o for o in objects if o["metadata"]["name"] == "outrigger-agents"]
    check(rights(ours) == rights(yaml.safe_load_all(rbac)), f"{names}: the rights are not those of agents --rbac")
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
        file.write(config)
        file.flush()
        code, out, _ = run("doctor", "--strict", "--scheduler-config", file.name, file.name)
        check(code == 0, f"{names}: doctor: {out}")
    pod = next(o for o in objects if o["kind"] == "Deployment")["spec"]["template"]["spec"]
    ports = [p["containerPort"] for c in pod["initContainers"] for p in c["ports"]]
    check(len(set(ports)) == len(ports), f"{names}: two containers listen on one port: {ports}")
    served = [a for c in pod["initContainers"] for a in c["args"][1].removeprefix("--agents=").split(",")]
    check(sorted(served) == sorted(chosen), f"{names}: the containers serve {served}")

# What takes agents that plan or bind together; the unit tests have the other refusals.
REFUSALS = [
    (["gang,safe", "qos"], "gang and qos plan or bind together, in a container of their own: write gang,qos"),
    (["gang,safe", "qos,congestion"], "gang and qos plan or bind together"),
    (["gang", "devices,safe"], "gang and devices plan or bind together"),
    (["safe,congestion", "gang,qos"], "both containers would listen on port 9870"),
    (["safe", "--alone"], "agent safe works only if a scheduler calls it"),
]

def check_refusals():
    for args, text in REFUSALS:
        code, _, err = run("manifests", *args)
        check(code == 2 and text in err, f"{args}: exit code {code}: {err}")

check(open("agents/gang/examples/train.yaml").read() in open("agents/gang/README.md").read(),
      "agents/gang/README.md does not show agents/gang/examples/train.yaml")
agents = [a["name"] for a in json.loads(run("agents", "-o", "json")[1])]
check_drift(agents)
check_refusals()
sets = [(a,) for a in agents] + list(itertools.combinations(agents, 2)) + [tuple(agents)]
for chosen in sets:
    check_set(chosen)
print("\n".join(failures))
print(f"manifests_test: {len(sets)} sets of agents, {len(failures)} failures")
sys.exit(bool(failures) or len(sets) < 3)
PY
