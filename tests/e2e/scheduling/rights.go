package scheduling

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	authorizationv1 "k8s.io/api/authorization/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"outrigger.dev/outrigger/tests/support/kube"
	"outrigger.dev/outrigger/tests/support/outrigger"
)

// Right is one verb on one resource.
type Right struct{ Group, Resource, Verb string }

// String names the verb and the resource.
func (r Right) String() string { return r.Verb + " " + r.Resource }

// Refusal is how the API server says that somebody lacks the right.
func (r Right) Refusal() string {
	return fmt.Sprintf("cannot %s resource %q in API group %q", r.Verb, r.Resource, r.Group)
}

// RightsOf returns what `agents NAME -o json` says that an agent needs; of several agents, separated by commas, what
// all of them need, none twice.
func RightsOf(t *testing.T, agents string) []Right {
	t.Helper()
	var rights []Right
	for _, agent := range strings.Split(agents, ",") {
		for _, right := range rightsOfOne(t, agent) {
			if !slices.Contains(rights, right) {
				rights = append(rights, right)
			}
		}
	}
	return rights
}

func rightsOfOne(t *testing.T, agent string) []Right {
	t.Helper()
	var info struct {
		Access []struct {
			Group    string   `json:"apiGroup"`
			Resource string   `json:"resource"`
			Verbs    []string `json:"verbs"`
		} `json:"access"`
	}
	if err := json.Unmarshal(outrigger.Run(t, "agents", agent, "-o", "json"), &info); err != nil {
		t.Fatal(err)
	}
	var rights []Right
	for _, rule := range info.Access {
		for _, verb := range rule.Verbs {
			rights = append(rights, Right{rule.Group, rule.Resource, verb})
		}
	}
	if len(rights) == 0 {
		t.Fatalf("agent %s needs no right: then this test shows nothing", agent)
	}
	return rights
}

// KubeconfigWithout returns the path of a kubeconfig of somebody new who has all rights but one.
func (w *World) KubeconfigWithout(name string, all []Right, missing Right) string {
	w.Helper()
	var rules []rbacv1.PolicyRule
	for _, right := range all {
		if right != missing {
			rules = append(rules, rbacv1.PolicyRule{APIGroups: []string{right.Group},
				Resources: []string{right.Resource}, Verbs: []string{right.Verb}})
		}
	}
	config, err := w.Cluster.ConfigWithRules(w.Ctx, name, rules...)
	w.Must(err)
	w.UntilGranted(config, rules[0])
	kubeconfig, err := w.Cluster.WriteKubeconfig(name, config)
	w.Must(err)
	return kubeconfig
}

// UntilGranted waits until the API server has heard of somebody's rule, in all namespaces or in one: before that it
// refuses everything, also what is looked for.
func (w *World) UntilGranted(config *rest.Config, rule rbacv1.PolicyRule, namespace ...string) {
	w.Helper()
	client, err := kube.NewClient(config)
	w.Must(err)
	resource, subresource, _ := strings.Cut(rule.Resources[0], "/")
	attributes := &authorizationv1.ResourceAttributes{Group: rule.APIGroups[0], Resource: resource,
		Subresource: subresource, Verb: rule.Verbs[0], Namespace: strings.Join(namespace, "")}
	if len(rule.ResourceNames) > 0 {
		attributes.Name = rule.ResourceNames[0]
	}
	review := &authorizationv1.SelfSubjectAccessReview{
		Spec: authorizationv1.SelfSubjectAccessReviewSpec{ResourceAttributes: attributes}}
	w.Must(kube.Eventually(w.Ctx, Patience, func(ctx context.Context) error {
		answer, err := client.AuthorizationV1().SelfSubjectAccessReviews().Create(ctx, review, metav1.CreateOptions{})
		if err == nil && !answer.Status.Allowed {
			err = fmt.Errorf("still may not %s %s", rule.Verbs, rule.Resources)
		}
		return err
	}))
}

// OnItsPage is why the agent is not ready; while it is, nothing.
func OnItsPage(agent *outrigger.Server) string {
	status, page := agent.Ask("/readyz?verbose")
	if status == http.StatusOK {
		return ""
	}
	return page
}

// CheckTells waits until a text has what the API server answers where the right is missing.
func CheckTells(t *testing.T, missing Right, told func() string) {
	t.Helper()
	deadline := time.Now().Add(Patience)
	for {
		text := told()
		if strings.Contains(text, "403") && strings.Contains(text, missing.Refusal()) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("does not say that it %s:\n%s", missing.Refusal(), text)
		}
		time.Sleep(20 * time.Millisecond)
	}
}
