package devices

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"outrigger.dev/outrigger/tests/support/kube"
)

// The parts share one API server.
func TestTypes(t *testing.T) {
	w := install(t)
	of := func(t *testing.T) *world {
		part := *w
		part.T = t
		return &part
	}
	t.Run("AreEstablished", func(t *testing.T) { checkConditions(of(t)) })
	t.Run("TakeEveryExample", func(t *testing.T) { checkExamples(of(t)) })
	t.Run("RefuseInvalidObjects", func(t *testing.T) { checkRefused(of(t)) })
	t.Run("RefuseInvalidChanges", func(t *testing.T) { checkRefusedChanges(of(t)) })
	t.Run("RefuseInvalidStatus", func(t *testing.T) { checkRefusedStatus(of(t)) })
	t.Run("TakeWhatIsAtTheBounds", func(t *testing.T) { checkAccepted(of(t)) })
	t.Run("TakeLargestObjects", func(t *testing.T) { checkLargest(of(t)) })
	t.Run("SetDefaults", func(t *testing.T) { checkDefaults(of(t)) })
	t.Run("KeepStatusApart", func(t *testing.T) { checkStatusIsApart(of(t)) })
	t.Run("ShowColumns", func(t *testing.T) { checkColumns(of(t)) })
}

// checkConditions allows the one condition that the annotation of a prototype brings with it.
func checkConditions(w *world) {
	want := map[string]string{"Established": "True InitialNamesAccepted", "NamesAccepted": "True NoConflicts",
		"KubernetesAPIApprovalPolicyConformant": "False UnapprovedAnnotation"}
	for _, k := range kinds {
		err := kube.Eventually(w.Ctx, settled, func(context.Context) error { // controllers write them one by one
			found, err := w.conditions(k)
			if err == nil && !maps.Equal(found, want) {
				err = fmt.Errorf("conditions are %v, want %v", found, want)
			}
			return err
		})
		if err != nil {
			w.Errorf("%s: %v", k.name, err)
		}
	}
}

// conditions returns status and reason of each condition of a kind's definition.
func (w *world) conditions(k kind) (map[string]string, error) {
	crd, err := w.dynamic.Resource(definitions).Get(w.Ctx, k.plural+".devmgmtproto.k8s.io", metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	conditions, _, err := unstructured.NestedSlice(crd.Object, "status", "conditions")
	found := map[string]string{}
	for _, each := range conditions {
		condition := each.(map[string]any)
		found[condition["type"].(string)] = condition["status"].(string) + " " + condition["reason"].(string)
	}
	return found, err
}

// checkExamples applies each example as a person does, then as a controller does, and compares how many objects there are.
func checkExamples(w *world) {
	objects := 0
	for _, file := range folderOf(w, examples) {
		text, err := os.ReadFile(file)
		w.Must(err)
		for _, document := range bytes.Split(text, []byte("\n---")) {
			var object map[string]any
			w.Must(yaml.Unmarshal(document, &object))
			objects++
		}
	}
	for _, how := range []struct{ flag, says string }{
		{"--server-side=false", "created"}, {"--server-side", "serverside-applied"},
	} {
		out := w.kubectl("apply", "--validate=strict", how.flag, "--force-conflicts="+forced(how.flag), "-f", examples)
		if said := strings.Count(out, " "+how.says); said != objects {
			w.Errorf("apply %s: %d of %d objects are %s:\n%s", how.flag, said, objects, how.says, out)
		}
	}
	for _, k := range kinds {
		list, err := w.client(k).List(w.Ctx, metav1.ListOptions{})
		w.Must(err)
		if len(list.Items) == 0 {
			w.Errorf("no example of %s", k.name)
		}
	}
}

// forced: the server-side apply takes the fields over that the other apply has set.
func forced(flag string) string {
	if flag == "--server-side" {
		return "true"
	}
	return "false"
}

func checkDefaults(w *world) {
	class, err := w.create(object(w, "DeviceClass", "by-default", "spec: {deviceType: gpu}"))
	w.Must(err)
	pool, err := w.create(object(w, "DevicePool", "by-default", `spec:
  driver: a
  resources: [{name: slices, capacity: 7}]
  devices: [{name: d, requests: {slices: 1}, resources: [{name: memory, capacity: 8Gi}, {name: x, capacity: 1, blockSize: 2}]}]`))
	w.Must(err)
	claim, err := w.create(object(w, "DeviceClaim", "by-default", "spec: {deviceClass: a}"))
	w.Must(err)
	detailed, err := w.create(object(w, "DeviceClaim", "by-default-too", "spec: {claims: [{deviceClass: a}]}"))
	w.Must(err)
	for _, row := range []struct {
		of   *unstructured.Unstructured
		want string
	}{
		{class, "spec: {deviceType: gpu, minDeviceCount: 1}"},
		{pool, `spec:
  driver: a
  resources: [{name: slices, capacity: 7, blockSize: "1"}]
  devices:
  - name: d
    requests: {slices: 1}
    resources: [{name: memory, capacity: 8Gi, blockSize: "1"}, {name: x, capacity: 1, blockSize: 2}]`},
		// What the class has is not known to the API server.
		{claim, "spec: {deviceClass: a}"},
		{detailed, "spec: {claims: [{deviceClass: a}]}"},
	} {
		got, err := yaml.Marshal(row.of.Object["spec"])
		w.Must(err)
		want, err := yaml.Marshal(object(w, "a", "a", row.want).Object["spec"])
		w.Must(err)
		if !bytes.Equal(got, want) {
			w.Errorf("%s %s: spec\n%s, want\n%s", row.of.GetKind(), row.of.GetName(), got, want)
		}
	}
}

// checkStatusIsApart: who may write specs writes no status with them, and the other way round.
func checkStatusIsApart(w *world) {
	for kind, body := range map[string]string{
		"DeviceClass":           "spec: {deviceType: gpu}\nstatus: {drivers: [a]}",
		"DevicePool":            "spec: {driver: a, count: 1}\nstatus: {freeDevices: 1}",
		"DeviceClaim":           "spec: {deviceClass: a}\nstatus: {state: Allocated}",
		"DevicePrivilegedClaim": "spec: {driver: a}\nstatus: {state: Allocated}",
		"DeviceSetClaim":        "spec: {claimSpec: [{deviceClass: a}]}\nstatus: {claimStatus: [{podNames: [a]}]}",
	} {
		given := object(w, kind, "apart", body)
		made, err := w.create(given)
		w.Must(err)
		if made.Object["status"] != nil {
			w.Errorf("%s: a status came with the spec: %v", kind, made.Object["status"])
		}
		made.Object["status"] = given.Object["status"]
		made.Object["spec"] = map[string]any{}
		written, err := w.client(kinds[kind]).UpdateStatus(w.Ctx, made, metav1.UpdateOptions{})
		w.Must(err)
		if written.Object["status"] == nil || len(written.Object["spec"].(map[string]any)) == 0 {
			w.Errorf("%s: after the status was written: %v", kind, written.Object)
		}
	}
}

// checkColumns writes the statuses that the agent writes, and reads the rows that people see.
func checkColumns(w *world) {
	for _, row := range []struct{ kind, body, status, columns string }{
		{"DeviceDriver", "deviceTypes: [gpu, nic]", "", `NAME TYPES AGE: columns ["gpu","nic"]`},
		{"DeviceClass", "spec: {deviceType: gpu, driver: a}", `status: {drivers: [a], conditions: [
			{type: Ready, status: "True", reason: Driver, message: "", lastTransitionTime: "2026-01-01T00:00:00Z"}]}`,
			"NAME DRIVER TYPE READY AGE: columns a gpu True"},
		{"DevicePool", "spec: {driver: a, nodeName: node-1, count: 4}", `status: {totalDevices: 4, freeDevices: 3, allocations: [
			{claimUID: u, claimNamespace: default, claimName: c, podUID: p, podName: p, state: Intent, writer: w,
			 deadline: "2026-01-01T00:00:00Z", deviceCount: 1}]}`,
			"NAME NODE DRIVER FREE TOTAL AGE: columns node-1 a 3 4"},
		{"DeviceClaim", "spec: {deviceClass: a}", `status: {class: a, state: Allocated, nodeName: node-1, observedGeneration: 1,
			allocations: [{devicePoolName: p, deviceCount: 1}, {devicePoolName: q, deviceName: d, allocations: [
			{name: memory, allocation: 1Gi}]}], podNames: [p], pods: [{name: p, uid: u}],
			classConfigs: [{apiVersion: v1, kind: ConfigMap, metadata: {name: m}, data: {a: b}}]}`,
			"NAME CLASS STATE WHERE AGE: columns a Allocated node-1"},
		{"DevicePrivilegedClaim", "spec: {driver: a}", "status: {state: Allocated, nodeName: node-1}",
			"NAME DRIVER STATE WHERE AGE: columns a Allocated node-1"},
		{"DeviceSetClaim", "spec: {matchAttributes: [numa], claimSpec: [{deviceClass: a}]}", "",
			`NAME MATCH AGE: columns ["numa"]`},
		{"DeviceClaimTemplate", "spec: {claimSpec: {deviceClass: a}}", "", "NAME CLASS AGE: columns a"},
	} {
		_, err := w.create(object(w, row.kind, "columns", row.body))
		w.Must(err)
		if row.status != "" {
			w.Must(w.setStatus(row.kind, "columns", row.status))
		}
		header, words, _ := strings.Cut(row.columns, ": ")
		got := table(w.kubectl("get", kinds[row.kind].plural+".devmgmtproto.k8s.io", "columns"))
		if len(got) != 2 || !slices.Equal(got[0], strings.Fields(header)) ||
			len(got[1]) != len(got[0]) || !slices.Equal(got[1][:len(got[1])-1], strings.Fields(words)) {
			w.Errorf("kubectl get %s: %v, want %s", kinds[row.kind].plural, got, row.columns)
		}
	}
	if text := w.kubectl("explain", "dmclaim.spec.claims.oneOf"); !strings.Contains(text, "The first of these that") {
		w.Errorf("kubectl explain does not describe the fields: %s", text)
	}
	if all := w.kubectl("get", "devmgmt", "-o", "name"); strings.Count(all, "/columns\n") != len(kinds) {
		w.Errorf("kubectl get devmgmt has not all kinds: %s", all)
	}
	for _, short := range []string{"dmdriver", "dmclass", "dmpool", "dmclaim", "dmprivileged", "dmset", "dmtemplate"} {
		if name := w.kubectl("get", short, "columns", "-o", "name"); !strings.Contains(name, ".devmgmtproto.k8s.io/columns") {
			w.Errorf("kubectl get %s: %s", short, name)
		}
	}
}
