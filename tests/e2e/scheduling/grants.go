package scheduling

import (
	"bytes"
	"slices"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"outrigger.dev/outrigger/tests/support/outrigger"
)

// Grant is one verb on one resource, everywhere or in kube-system alone, of any name or of one.
type Grant struct {
	Right
	Name  string
	Local bool
}

// GrantsOf is what the roles of that name in a manifest allow.
func GrantsOf(t *testing.T, manifest []byte, name string) (grants []Grant) {
	t.Helper()
	for _, document := range bytes.Split(manifest, []byte("---\n")) {
		var role rbacv1.Role // a ClusterRole has the same fields
		if err := yaml.Unmarshal(document, &role); err != nil {
			t.Fatal(err)
		}
		if (role.Kind != "Role" && role.Kind != "ClusterRole") || role.Name != name {
			continue
		}
		if role.Kind == "Role" && role.Namespace != metav1.NamespaceSystem {
			t.Errorf("Role %s is in namespace %s, not where the agent's objects are", role.Name, role.Namespace)
		}
		for _, rule := range role.Rules {
			grants = append(grants, grantsOfRule(rule, role.Kind == "Role")...)
		}
	}
	return grants
}

func grantsOfRule(rule rbacv1.PolicyRule, local bool) (grants []Grant) {
	names := rule.ResourceNames
	if len(names) == 0 {
		names = []string{""}
	}
	for _, group := range rule.APIGroups {
		for _, resource := range rule.Resources {
			for _, verb := range rule.Verbs {
				for _, name := range names {
					grants = append(grants, Grant{Right{Group: group, Resource: resource, Verb: verb}, name, local})
				}
			}
		}
	}
	return grants
}

// GrantsOfAgent is what the agent asks for, with its own objects in kube-system.
func GrantsOfAgent(t *testing.T, agent string) []Grant {
	t.Helper()
	printed := outrigger.Run(t, "agents", "--rbac", agent, "--namespace", metav1.NamespaceSystem)
	grants := GrantsOf(t, printed, "outrigger-"+agent)
	if len(grants) == 0 {
		t.Fatalf("agent %s needs no right: then this test shows nothing", agent)
	}
	return grants
}

// CheckGrants compares what is granted with what is needed.
func CheckGrants(t *testing.T, granted, needed []Grant) {
	t.Helper()
	for _, each := range granted {
		if !slices.Contains(needed, each) {
			t.Errorf("%+v is granted, and the agent does not need it", each)
		}
		if (each.Resource == "configmaps" || each.Resource == "leases") && each.Verb != "create" && each.Name == "" {
			t.Errorf("%+v is granted for objects of all names", each)
		}
	}
	for _, each := range needed {
		if !slices.Contains(granted, each) {
			t.Errorf("%+v is not granted", each)
		}
	}
}
