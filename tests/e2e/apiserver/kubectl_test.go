package apiserver

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"outrigger.dev/outrigger/tests/e2e/scheduling"
	"outrigger.dev/outrigger/tests/support/cluster"
)

// what differs from run to run: UIDs, times, ages, versions, ends of generated names, addresses.
var volatile = []struct {
	pattern *regexp.Regexp
	with    string
}{
	{regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`), "UID"},
	{regexp.MustCompile(`\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z?`), "TIME"},
	{regexp.MustCompile(`(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} \w{3} \d{4} [^\n]*`), "TIME"},
	{regexp.MustCompile(`resourceVersion: "\d+"`), "resourceVersion: N"},
	{regexp.MustCompile(`"resourceVersion": ?"\d+"`), "resourceVersion: N"},
	{regexp.MustCompile(`http[s]?://127\.0\.0\.1:\d+`), "SERVER"},
	{regexp.MustCompile(`127\.0\.0\.1:\d+`), "SERVER"},
	{regexp.MustCompile(`(LIVE|MERGED)-\d+`), "FOLDER"},
	{regexp.MustCompile(`(?m)(---|\+\+\+) (\S+)\t.*$`), "$1 $2"},
	{regexp.MustCompile(`\b\d+(s|ms|m\d+s)\b`), "AGE"},
	{regexp.MustCompile(`[ \t]+`), " "}, // columns are as wide as what stands in them
	{regexp.MustCompile(`10\.0\.0\.\d+`), "ADDRESS"},
	{regexp.MustCompile(`v1\.37\.2\+outrigger-lab`), "v1.37.2"},
}

func settled(text string) string {
	for _, one := range volatile {
		text = one.pattern.ReplaceAllString(text, one.with)
	}
	return text
}

// A StatefulSet, since neither server has a controller that changes it.
const manifests = `apiVersion: apps/v1
kind: StatefulSet
metadata: {name: web, labels: {app: web}}
spec:
  serviceName: web
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
        - {name: a, image: "nginx:1", ports: [{containerPort: 80}, {containerPort: 81}], env: [{name: A, value: "1"}]}
        - {name: b, image: "nginx:1", resources: {limits: {cpu: 1500m}}}
---
apiVersion: v1
kind: Service
metadata: {name: web}
spec: {selector: {app: web}, ports: [{port: 80}]}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {a: b}
`

const pod = `apiVersion: v1
kind: Pod
metadata: {name: one, labels: {x: "1"}}
spec:
  containers: [{name: main, image: "busybox:1", resources: {requests: {cpu: 100m}}}]
`

const definition = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: things, singular: thing, kind: Thing, shortNames: [th]}
  versions:
    - name: v1
      served: true
      storage: true
      subresources: {status: {}}
      additionalPrinterColumns: [{name: Count, type: integer, jsonPath: .spec.count}, {name: Age, type: date, jsonPath: .metadata.creationTimestamp}]
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec:
              type: object
              required: [count]
              properties: {count: {type: integer, minimum: 1}, mode: {type: string, enum: [a, b], default: a}}
`

// What kubectl get -o yaml prints.
const list = `apiVersion: v1
kind: List
items:
  - {apiVersion: v1, kind: ConfigMap, metadata: {name: l1}, data: {a: b}}
  - {apiVersion: v1, kind: ConfigMap, metadata: {name: l2}, data: {a: b}}
`

const thing = `apiVersion: example.com/v1
kind: Thing
metadata: {name: t}
spec: {count: 2}
`

// commands are run one after another on both servers. FILE stands for a file of `files`.
var commands = []string{
	"version",
	"get namespaces",
	"get nodes",
	"create namespace shop",
	"get namespace shop -o jsonpath={.status.phase}",
	"apply -f manifests.yaml",
	"apply -f manifests.yaml",
	"diff -f changed.yaml",
	"apply -f changed.yaml",
	"get statefulset web -o jsonpath={.spec.template.spec.containers}",
	"get statefulsets,services,configmaps",
	"get statefulset web -o yaml",
	"scale statefulset web --replicas=0",
	"get statefulset web -o jsonpath={.spec.replicas}",
	`patch statefulset web -p {"spec":{"template":{"spec":{"containers":[{"name":"b","image":"x:2"}]}}}}`,
	`patch statefulset web --type=json -p [{"op":"remove","path":"/spec/template/spec/containers/1"}]`,
	`patch configmap settings --type=merge -p {"data":{"a":null,"c":"d"}}`,
	"get configmap settings -o yaml",
	"set image statefulset/web a=y:3",
	"label statefulset web tier=front",
	"label statefulset web tier=back",
	"label statefulset web tier=back --overwrite",
	"annotate statefulset web note=1",
	"get statefulsets -l tier=back --show-labels",
	"get statefulsets -l tier=front",
	"apply -f pod.yaml",
	"get pods",
	"get pods -o wide",
	"get pod one -o yaml",
	"get pods --field-selector=status.phase=Pending -o name",
	"get pods --field-selector=status.nothing=x",
	"get pods -l x=(",
	"describe pod one",
	"create -f pod.yaml",
	"apply -f bad-name.yaml",
	"apply -f bad-field.yaml",
	"apply -f bad-type.yaml",
	"run two --image=x:1 --dry-run=server -o yaml",
	"run two --image=x:1",
	"wait --for=jsonpath={.status.phase}=Pending pod/two --timeout=10s",
	"replace -f pod-image.yaml",
	"replace -f pod-node.yaml",
	"create configmap direct --from-literal=k=v",
	"create secret generic hidden --from-literal=k=v",
	"get secret hidden -o yaml",
	"create quota limits --hard=pods=5",
	"create pdb keep --selector=app=web --min-available=1",
	"get pdb keep -o jsonpath={.spec}",
	"create priorityclass high --value=1000",
	"get priorityclasses",
	"create job once --image=x:1 --dry-run=server -o jsonpath={.spec.backoffLimit}",
	"create serviceaccount someone",
	"create role reader --verb=get --resource=pods",
	"auth can-i create pods",
	"api-resources --api-group=apps",
	"explain pod.spec.nodeName",
	"apply -f definition.yaml",
	"wait --for=condition=Established crd/things.example.com --timeout=20s",
	"apply -f thing.yaml",
	"apply -f list.yaml",
	"get things",
	"get th t -o yaml",
	`patch thing t --type=merge -p {"spec":{"count":0}}`,
	`patch thing t --type=merge -p {"spec":{"mode":"c"}}`,
	`patch thing t --type=merge -p {"spec":{"count":3}}`,
	"delete thing t",
	"delete crd things.example.com",
	"delete pod one two --now",
	"delete pod none",
	"delete -f manifests.yaml",
	"delete configmap direct --dry-run=server",
	"delete configmaps --all",
	"get all",
}

func writeFiles(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	changed := strings.Replace(manifests, ", {containerPort: 81}", "", 1)
	for name, text := range map[string]string{
		"manifests.yaml":  manifests,
		"changed.yaml":    strings.Replace(changed, `value: "1"`, `value: "2"`, 1),
		"pod.yaml":        pod,
		"pod-image.yaml":  strings.Replace(pod, "busybox:1", "busybox:2", 1),
		"pod-node.yaml":   strings.Replace(pod, "100m", "200m", 1),
		"bad-name.yaml":   strings.Replace(pod, "name: one", "name: One_", 1),
		"bad-field.yaml":  pod + "  hostnme: x\n",
		"bad-type.yaml":   pod + "  priority: high\n",
		"definition.yaml": definition,
		"thing.yaml":      thing,
		"list.yaml":       list,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// kubectl runs a command and returns what it printed and its exit code.
func kubectl(t *testing.T, c *cluster.Cluster, dir, command string) string {
	t.Helper()
	kubeconfig, err := c.WriteKubeconfig("kubectl", c.Config)
	if err != nil {
		t.Fatal(err)
	}
	run := exec.CommandContext(t.Context(), c.Binary("kubectl"), strings.Fields(command)...)
	run.Dir = dir
	run.Env = []string{"KUBECONFIG=" + kubeconfig, "HOME=" + c.Dir, "PATH=" + os.Getenv("PATH")}
	output, err := run.CombinedOutput()
	code := 0
	if err != nil {
		code = run.ProcessState.ExitCode()
	}
	return fmt.Sprintf("%sexit code %d\n", settled(string(output)), code)
}

// differing are commands of which the lab's answer is another one on purpose, with the reason.
var differing = map[string]string{
	"explain pod.spec.nodeName": "descriptions are not served: they are 3 MB",
	"get pods -l x=(":           "our words for what is wrong",
	"apply -f bad-field.yaml":   "upstream prints the patch as Go's map",
	"apply -f bad-type.yaml":    "upstream's word for a wrong type in a patch is \"unrecognized type: int32\"",
	"replace -f pod-node.yaml":  "upstream adds a diff as Go prints it",
}

func TestKubectlPrintsTheSameAsOnTheRealServer(t *testing.T) {
	scheduling.Long(t)
	t.Parallel()
	dir := writeFiles(t)
	upstream, lab := cluster.ForTest(t), startLab(t)
	same := 0
	for _, command := range commands {
		want, got := kubectl(t, upstream, dir, command), kubectl(t, lab, dir, command)
		_, expected := differing[command]
		switch {
		case want == got && expected:
			t.Errorf("kubectl %s: the same, though it is in the list of those that differ", command)
		case want != got && !expected:
			t.Errorf("kubectl %s\n--- kube-apiserver:\n%s--- lab:\n%s", command, want, got)
		case want == got:
			same++
		}
	}
	t.Logf("%d of %d commands print the same", same, len(commands))
}
