package main

import (
	"encoding/json"
	"fmt"
	"go/build"
	"os"
	"path/filepath"
	"reflect"
	"runtime/debug"
	"slices"
	"strings"

	apidiscovery "k8s.io/api/apidiscovery/v2"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/install"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	_ "k8s.io/kubernetes/pkg/apis/apps/install"
	_ "k8s.io/kubernetes/pkg/apis/authentication/install"
	_ "k8s.io/kubernetes/pkg/apis/authorization/install"
	_ "k8s.io/kubernetes/pkg/apis/autoscaling/install"
	_ "k8s.io/kubernetes/pkg/apis/batch/install"
	_ "k8s.io/kubernetes/pkg/apis/coordination/install"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	_ "k8s.io/kubernetes/pkg/apis/discovery/install"
	_ "k8s.io/kubernetes/pkg/apis/events/install"
	_ "k8s.io/kubernetes/pkg/apis/networking/install"
	_ "k8s.io/kubernetes/pkg/apis/policy/install"
	_ "k8s.io/kubernetes/pkg/apis/rbac/install"
	_ "k8s.io/kubernetes/pkg/apis/resource/install"
	_ "k8s.io/kubernetes/pkg/apis/scheduling/install"
	_ "k8s.io/kubernetes/pkg/apis/storage/install"
)

const kubernetes = "k8s.io/kubernetes"

// served has the resources of each group and version.
var served = map[string]string{
	"v1": "bindings configmaps endpoints events limitranges namespaces nodes persistentvolumeclaims persistentvolumes " +
		"pods replicationcontrollers resourcequotas secrets serviceaccounts services",
	"apiextensions.k8s.io/v1":      "customresourcedefinitions",
	"apps/v1":                      "controllerrevisions daemonsets deployments replicasets statefulsets",
	"authentication.k8s.io/v1":     "selfsubjectreviews tokenreviews",
	"authorization.k8s.io/v1":      "localsubjectaccessreviews selfsubjectaccessreviews selfsubjectrulesreviews subjectaccessreviews",
	"batch/v1":                     "cronjobs jobs",
	"coordination.k8s.io/v1":       "leases",
	"discovery.k8s.io/v1":          "endpointslices",
	"events.k8s.io/v1":             "events",
	"networking.k8s.io/v1":         "networkpolicies",
	"policy/v1":                    "poddisruptionbudgets",
	"rbac.authorization.k8s.io/v1": "clusterrolebindings clusterroles rolebindings roles",
	"resource.k8s.io/v1":           "deviceclasses devicetaintrules resourceclaims resourceclaimtemplates resourceslices",
	"scheduling.k8s.io/v1":         "priorityclasses",
	// Those that kube-scheduler watches with the gates GenericWorkload and CompositePodGroup.
	"scheduling.k8s.io/v1alpha3": "compositepodgroups",
	"scheduling.k8s.io/v1beta1":  "podgroups workloads",
	"storage.k8s.io/v1":          "csidrivers csinodes csistoragecapacities storageclasses volumeattachments",
}

// subresources are those that are served.
var subresources = []string{"binding", "eviction", "finalize", "resize", "scale", "status"}

// bodies are kinds that are no resources.
var bodies = []schema.GroupVersionKind{
	{Version: "v1", Kind: "DeleteOptions"},
	{Version: "v1", Kind: "Status"},
	{Group: "autoscaling", Version: "v1", Kind: "Scale"},
	{Group: "policy", Version: "v1", Kind: "Eviction"},
}

type resource struct {
	group, version string
	apidiscovery.APIResourceDiscovery
}

// upstream reads the documents that are checked in beside upstream's sources.
type upstream struct {
	api     string // the folder
	schemas map[string]schemaDocument
}

func openUpstream() *upstream {
	u := &upstream{api: filepath.Join(moduleFolder(kubernetes), "api"), schemas: map[string]schemaDocument{}}
	for groupVersion := range served {
		u.readSchemas(groupVersion)
	}
	u.readSchemas("autoscaling/v1")
	return u
}

// moduleFolder is where the Go command keeps a module that this program is built with.
func moduleFolder(path string) string {
	cache := os.Getenv("GOMODCACHE")
	if cache == "" {
		cache = filepath.Join(build.Default.GOPATH, "pkg", "mod")
	}
	return filepath.Join(cache, path+"@"+moduleVersion(path))
}

func moduleVersion(path string) string {
	info, _ := debug.ReadBuildInfo()
	for _, module := range info.Deps {
		if module.Path == path {
			if module.Replace != nil {
				return module.Replace.Version
			}
			return module.Version
		}
	}
	exitOn(fmt.Errorf("this program is not built with %s", path))
	return ""
}

func (u *upstream) read(name string, into any) {
	data, err := os.ReadFile(filepath.Join(u.api, name))
	exitOn(err)
	exitOn(json.Unmarshal(data, into))
}

// resources are in the order of upstream's discovery, the core group first.
func (u *upstream) resources() []resource {
	found := u.coreResources()
	var groups apidiscovery.APIGroupDiscoveryList
	u.read("discovery/aggregated_v2.json", &groups)
	for _, group := range groups.Items {
		for _, version := range group.Versions {
			wanted := strings.Fields(served[group.Name+"/"+version.Version])
			for _, r := range version.Resources {
				if slices.Contains(wanted, r.Resource) {
					found = append(found, resource{group.Name, version.Version, r})
				}
			}
		}
	}
	count := 0
	for _, names := range served {
		count += len(strings.Fields(names))
	}
	if count != len(found) {
		exitOn(fmt.Errorf("%d resources are wanted, and upstream has %d of them", count, len(found)))
	}
	return found
}

// coreResources are not among the aggregated ones.
func (u *upstream) coreResources() []resource {
	var list metav1.APIResourceList
	u.read("discovery/api__v1.json", &list)
	var found []resource
	for _, r := range list.APIResources {
		kind := &metav1.GroupVersionKind{Group: r.Group, Version: r.Version, Kind: r.Kind}
		if name, sub, is := strings.Cut(r.Name, "/"); is {
			if last := len(found) - 1; last >= 0 && found[last].Resource == name {
				found[last].Subresources = append(found[last].Subresources, apidiscovery.APISubresourceDiscovery{
					Subresource: sub, ResponseKind: kind, Verbs: r.Verbs,
				})
			}
			continue
		}
		if !slices.Contains(strings.Fields(served["v1"]), r.Name) {
			continue
		}
		scope := apidiscovery.ScopeCluster
		if r.Namespaced {
			scope = apidiscovery.ScopeNamespace
		}
		found = append(found, resource{"", "v1", apidiscovery.APIResourceDiscovery{
			Resource: r.Name, ResponseKind: kind, Scope: scope, SingularResource: r.SingularName,
			Verbs: r.Verbs, ShortNames: r.ShortNames, Categories: r.Categories,
		}})
	}
	return found
}

func kindsOf(resources []resource) []schema.GroupVersionKind {
	var kinds []schema.GroupVersionKind
	for _, r := range resources {
		kinds = append(kinds, schema.GroupVersionKind{Group: r.group, Version: r.version, Kind: r.ResponseKind.Kind})
	}
	return append(kinds, bodies...)
}

// allVerbs are those of most resources, which the table does not repeat.
const allVerbs = "create,delete,deletecollection,get,list,patch,update,watch"

func (r *resource) lines() []string {
	groupVersion := schema.GroupVersion{Group: r.group, Version: r.version}
	line := fmt.Sprintf("resource %s %s %s %s %s", groupVersion, r.ResponseKind.Kind,
		short(nameOf(goTypeOf(r.group, r.version, r.ResponseKind.Kind))), r.Resource, r.SingularResource)
	if r.Scope == apidiscovery.ScopeCluster {
		line += " cluster"
	}
	for _, list := range []struct {
		name  string
		words []string
	}{{"short", r.ShortNames}, {"categories", r.Categories}} {
		if len(list.words) > 0 {
			line += fmt.Sprintf(" %s=%s", list.name, strings.Join(list.words, ","))
		}
	}
	if verbs := strings.Join(r.Verbs, ","); verbs != allVerbs {
		line += " verbs=" + verbs
	}
	lines := []string{line}
	for _, s := range r.Subresources {
		if slices.Contains(subresources, s.Subresource) {
			group, version := s.ResponseKind.Group, s.ResponseKind.Version
			if version == "" {
				group, version = r.group, r.version
			}
			lines = append(lines, fmt.Sprintf("  %s %s %s %s", s.Subresource,
				schema.GroupVersion{Group: group, Version: version}, s.ResponseKind.Kind, strings.Join(s.Verbs, ",")))
		}
	}
	return lines
}

var extensions = func() *runtime.Scheme {
	scheme := runtime.NewScheme()
	apiextensions.Install(scheme)
	return scheme
}()

func newObject(kind schema.GroupVersionKind) runtime.Object {
	object, err := schemeOf(kind).New(kind)
	exitOn(err)
	return object
}

func schemeOf(kind schema.GroupVersionKind) *runtime.Scheme {
	if kind.Group == "apiextensions.k8s.io" {
		return extensions
	}
	return legacyscheme.Scheme
}

func goTypeOf(group, version, kind string) reflect.Type {
	return reflect.TypeOf(newObject(schema.GroupVersionKind{Group: group, Version: version, Kind: kind})).Elem()
}
