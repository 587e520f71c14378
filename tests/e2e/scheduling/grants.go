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

// Grant is one verb on one resource, everywhere or in the agent's own namespace alone, of any name or of one.
type Grant struct {
	Right
	Name  string
	Local bool
}

// GrantsOf is what the roles of that name in a manifest allow, of which the Roles are in kube-system.
func GrantsOf(t *testing.T, manifest []byte, name string) (grants []Grant) {
	t.Helper()
	return GrantsIn(t, manifest, name, metav1.NamespaceSystem)
}

// GrantsIn is GrantsOf where the agent's objects are in another namespace.
func GrantsIn(t *testing.T, manifest []byte, name, namespace string) (grants []Grant) {
	t.Helper()
	for _, document := range bytes.Split(manifest, []byte("---\n")) {
		var role rbacv1.Role // a ClusterRole has the same fields
		if err := yaml.Unmarshal(document, &role); err != nil {
			t.Fatal(err)
		}
		if (role.Kind != "Role" && role.Kind != "ClusterRole") || role.Name != name {
			continue
		}
		if role.Kind == "Role" && role.Namespace != namespace {
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

// KubeconfigWithoutGrant is KubeconfigWithout with grants, of which some are of kube-system or of one name alone.
func (w *World) KubeconfigWithoutGrant(name string, all []Grant, missing Right) string {
	w.Helper()
	var everywhere, local []rbacv1.PolicyRule
	for _, each := range all {
		if each.Right == missing {
			continue
		}
		rule := rbacv1.PolicyRule{APIGroups: []string{each.Group}, Resources: []string{each.Resource}, Verbs: []string{each.Verb}}
		if each.Name != "" {
			rule.ResourceNames = []string{each.Name}
		}
		if each.Local {
			local = append(local, rule)
		} else {
			everywhere = append(everywhere, rule)
		}
	}
	config, err := w.Cluster.ConfigWithRules(w.Ctx, name, everywhere...)
	w.Must(err)
	meta := metav1.ObjectMeta{Name: name, Namespace: metav1.NamespaceSystem}
	rbac := w.Client.RbacV1()
	_, err = rbac.Roles(meta.Namespace).Create(w.Ctx, &rbacv1.Role{ObjectMeta: meta, Rules: local}, metav1.CreateOptions{})
	w.Must(err)
	_, err = rbac.RoleBindings(meta.Namespace).Create(w.Ctx, &rbacv1.RoleBinding{ObjectMeta: meta,
		RoleRef:  rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: name},
		Subjects: []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: metav1.NamespaceDefault, Name: name}}},
		metav1.CreateOptions{})
	w.Must(err)
	w.UntilGranted(config, everywhere[0])
	w.UntilGranted(config, local[0], metav1.NamespaceSystem)
	kubeconfig, err := w.Cluster.WriteKubeconfig(name, config)
	w.Must(err)
	return kubeconfig
}
