package deploy

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"
)

// folder is that of the files under test.
const folder = "../../deploy"

// manifest is a file of objects.
type manifest struct {
	path    string
	objects []unstructured.Unstructured
}

func readManifest(t *testing.T, path string) manifest {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	m := manifest{path: path}
	decoder := utilyaml.NewYAMLOrJSONDecoder(bytes.NewReader(text), 4096)
	for {
		var object unstructured.Unstructured
		if err := decoder.Decode(&object.Object); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		if len(object.Object) > 0 {
			m.objects = append(m.objects, object)
		}
	}
	if len(m.objects) == 0 {
		t.Fatalf("%s has no objects", path)
	}
	return m
}

// manifests are all files with objects, by name without ".yaml"; a new one is tested at once.
func manifests(t *testing.T) map[string]manifest {
	t.Helper()
	paths, err := filepath.Glob(folder + "/*.yaml")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no files in %s: %v", folder, err)
	}
	all := map[string]manifest{}
	for _, path := range paths {
		if name := strings.TrimSuffix(filepath.Base(path), ".yaml"); name != "kustomization" {
			all[name] = readManifest(t, path)
		}
	}
	return all
}

// find decodes the object of a kind that is wanted, false if there is none.
func find[T any](t *testing.T, m manifest, kind string, wanted func(*T) bool) (*T, bool) {
	t.Helper()
	for _, object := range m.objects {
		if object.GetKind() != kind {
			continue
		}
		typed := new(T)
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, typed); err != nil {
			t.Fatalf("%s: %s %s: %v", m.path, kind, object.GetName(), err)
		}
		if wanted(typed) {
			return typed, true
		}
	}
	return nil, false
}

// deployment is the only one of a file, nil if it has none.
func (m manifest) deployment(t *testing.T) *appsv1.Deployment {
	t.Helper()
	found, _ := find(t, m, "Deployment", func(*appsv1.Deployment) bool { return true })
	return found
}

// schedulerName is by which pods choose the file's scheduler, "" if it has none.
func (m manifest) schedulerName(t *testing.T) string {
	t.Helper()
	holder, ok := find(t, m, "ConfigMap", func(c *corev1.ConfigMap) bool { return c.Data["scheduler.yaml"] != "" })
	if !ok {
		return ""
	}
	var config struct {
		Profiles []struct {
			SchedulerName string `json:"schedulerName"`
		} `json:"profiles"`
	}
	if err := yaml.Unmarshal([]byte(holder.Data["scheduler.yaml"]), &config); err != nil || len(config.Profiles) == 0 {
		t.Fatalf("%s: scheduler.yaml has no profile: %v", m.path, err)
	}
	return config.Profiles[0].SchedulerName
}
