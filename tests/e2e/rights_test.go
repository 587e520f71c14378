package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	authorizationv1 "k8s.io/api/authorization/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"outrigger.dev/outrigger/tests/support/cluster"
	"outrigger.dev/outrigger/tests/support/kube"
	"outrigger.dev/outrigger/tests/support/outrigger"
)

// right is one verb on one resource.
type right struct{ group, resource, verb string }

func (r right) String() string { return r.verb + " " + r.resource }

// refusal is how the API server says that somebody lacks the right.
func (r right) refusal() string {
	return fmt.Sprintf("cannot %s resource %q in API group %q", r.verb, r.resource, r.group)
}

// rightsOf returns what `agents NAME -o json` says that an agent needs.
func rightsOf(t *testing.T, agent string) []right {
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
	var rights []right
	for _, rule := range info.Access {
		for _, verb := range rule.Verbs {
			rights = append(rights, right{rule.Group, rule.Resource, verb})
		}
	}
	if len(rights) == 0 {
		t.Fatalf("agent %s needs no right: then this test shows nothing", agent)
	}
	return rights
}

// Every test here runs agents under exactly the rights that they ask for; this one takes each away.
func TestAnAgentThatLacksARightIsNotReadyAndSaysWhichIsMissing(t *testing.T) {
	// Where lists are streamed a watch shows all that a list does.
	c := cluster.ForTestWith(t, cluster.Options{ServerArgs: []string{"--feature-gates=WatchList=false"}})
	w := worldOf(t, c)
	w.nodes(kube.MakeNode("a"))
	for _, agent := range []string{"safe", "congestion"} {
		all := rightsOf(t, agent)
		for missing := range all {
			t.Run(fmt.Sprintf("%s without %s", agent, all[missing]), func(t *testing.T) {
				name := fmt.Sprintf("%s-without-%d", agent, missing)
				kubeconfig := w.kubeconfigWithout(name, all, all[missing])
				server := outrigger.Serve(t, name, w.Cluster.LogDir(), agent, "--kubeconfig", kubeconfig)
				checkTells(t, all[missing], func() string { return onItsPage(w, server) })
			})
		}
	}
}

// kubeconfigWithout returns the path of a kubeconfig of somebody new who has all rights but one.
func (w *world) kubeconfigWithout(name string, all []right, missing right) string {
	w.Helper()
	var granted []right
	var rules []rbacv1.PolicyRule
	for _, right := range all {
		if right != missing {
			granted = append(granted, right)
			rules = append(rules, rbacv1.PolicyRule{APIGroups: []string{right.group},
				Resources: []string{right.resource}, Verbs: []string{right.verb}})
		}
	}
	config, err := w.Cluster.ConfigWithRules(w.Ctx, name, rules...)
	w.Must(err)
	w.untilGranted(config, granted[0])
	kubeconfig, err := w.Cluster.WriteKubeconfig(name, config)
	w.Must(err)
	return kubeconfig
}

// untilGranted waits until the API server has heard of somebody's role: before that it refuses everything,
// also what is looked for.
func (w *world) untilGranted(config *rest.Config, granted right) {
	w.Helper()
	client, err := kube.NewClient(config)
	w.Must(err)
	review := &authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{
		ResourceAttributes: &authorizationv1.ResourceAttributes{
			Group: granted.group, Resource: granted.resource, Verb: granted.verb}}}
	w.Must(kube.Eventually(w.Ctx, patience, func(ctx context.Context) error {
		answer, err := client.AuthorizationV1().SelfSubjectAccessReviews().Create(ctx, review, metav1.CreateOptions{})
		if err == nil && !answer.Status.Allowed {
			err = fmt.Errorf("still may not %s", granted)
		}
		return err
	}))
}

// onItsPage is why the agent is not ready; while it is, nothing.
func onItsPage(_ *world, agent *outrigger.Server) string {
	status, page := agent.Ask("/readyz?verbose")
	if status == http.StatusOK {
		return ""
	}
	return page
}

// checkTells waits until a text has what the API server answers where the right is missing.
func checkTells(t *testing.T, missing right, told func() string) {
	t.Helper()
	deadline := time.Now().Add(patience)
	for {
		text := told()
		if strings.Contains(text, "403") && strings.Contains(text, missing.refusal()) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("does not say that it %s:\n%s", missing.refusal(), text)
		}
		time.Sleep(20 * time.Millisecond)
	}
}
