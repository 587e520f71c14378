package deploy

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
)

// objects returns the content of all objects that the API server has, by "resource.group namespace/name".
func (w *world) objects() map[string]string {
	w.Helper()
	config := rest.CopyConfig(w.Cluster.Config)
	config.QPS, config.Burst = 10_000, 10_000
	config.WarningHandler = rest.NoWarnings{}
	client, err := dynamic.NewForConfig(config)
	w.Must(err)
	lists, err := w.Client.Discovery().ServerPreferredResources()
	w.Must(err)
	lists = discovery.FilteredBy(discovery.SupportsAllVerbs{Verbs: []string{"list", "create"}}, lists)
	all := map[string]string{}
	for _, list := range lists {
		version, err := schema.ParseGroupVersion(list.GroupVersion)
		w.Must(err)
		for _, resource := range list.APIResources {
			if resource.Name == "events" { // they go by themselves
				continue
			}
			found, err := client.Resource(version.WithResource(resource.Name)).List(w.Ctx, metav1.ListOptions{})
			w.Must(err)
			for _, object := range found.Items {
				if _, own := object.GetAnnotations()["apf.kubernetes.io/autoupdate-spec"]; own {
					continue
				}
				key := fmt.Sprintf("%s %s/%s", version.WithResource(resource.Name).GroupResource(), object.GetNamespace(), object.GetName())
				object.SetManagedFields(nil)
				object.SetResourceVersion("")
				text, err := json.Marshal(object.Object)
				w.Must(err)
				all[key] = string(text)
			}
		}
	}
	maps.DeleteFunc(all, func(key, _ string) bool {
		return slices.ContainsFunc(ofServer, func(own string) bool { return strings.HasPrefix(key, own) })
	})
	return all
}

// ofServer are objects that kube-apiserver makes and changes by itself at any time.
var ofServer = []string{"leases.coordination.k8s.io kube-system/apiserver-", "apiservices.apiregistration.k8s.io ",
	"services default/kubernetes", "endpoints ", "endpointslices.discovery.k8s.io ", "ipaddresses.networking.k8s.io ", "servicecidrs.networking.k8s.io ",
	"configmaps kube-system/kube-apiserver-legacy-service-account-token-tracking"}

// checkObjects fails the test unless all objects are as they were, and of others these alone are there.
func (w *world) checkObjects(before map[string]string, left ...string) {
	w.Helper()
	now := w.objects()
	for _, key := range left {
		if now[key] == "" {
			w.Errorf("%s is not left", key)
		}
	}
	for key, text := range now {
		if was, known := before[key]; !known && !slices.Contains(left, key) {
			w.Errorf("%s is left", key)
		} else if known && was != text {
			w.Errorf("%s has changed:\n%s\n%s", key, was, text)
		}
	}
	for key := range before {
		if _, there := now[key]; !there {
			w.Errorf("%s is gone", key)
		}
	}
}
