package queue

import (
	"bytes"
	"os"
	"slices"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	"sigs.k8s.io/yaml"

	"outrigger.dev/outrigger/tests/e2e/scheduling"
)

// The manifest's ClusterRole has what the agents need, and nothing else.
func TestTheClusterRoleHasTheRightsOfTheAgents(t *testing.T) {
	text, err := os.ReadFile(scheduling.QueueScheduler.Path())
	if err != nil {
		t.Fatal(err)
	}
	var granted []scheduling.Right
	for _, document := range bytes.Split(text, []byte("\n---\n")) {
		var role rbacv1.ClusterRole
		if err := yaml.Unmarshal(document, &role); err != nil {
			t.Fatal(err)
		}
		if role.Kind != "ClusterRole" || role.Name != "riya-cr" {
			continue
		}
		for _, rule := range role.Rules {
			for _, resource := range rule.Resources {
				for _, verb := range rule.Verbs {
					granted = append(granted, scheduling.Right{Group: rule.APIGroups[0], Resource: resource, Verb: verb})
				}
			}
		}
	}
	needed := scheduling.RightsOf(t, "gang,qos")
	for _, right := range granted {
		if !slices.Contains(needed, right) {
			t.Errorf("%s %s is granted, and no agent needs it", right, right.Group)
		}
	}
	for _, right := range needed {
		if !slices.Contains(granted, right) {
			t.Errorf("%s %s is not granted", right, right.Group)
		}
	}
}
