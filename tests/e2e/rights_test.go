package e2e

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	rbacv1 "k8s.io/api/rbac/v1"

	"outrigger.dev/outrigger/tests/support/cluster"
	"outrigger.dev/outrigger/tests/support/kube"
	"outrigger.dev/outrigger/tests/support/outrigger"
)

// right is one verb on one resource.
type right struct{ group, resource, verb string }

func (r right) String() string { return r.verb + " " + r.resource }

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
				var rules []rbacv1.PolicyRule
				for i, granted := range all {
					if i != missing {
						rules = append(rules, rbacv1.PolicyRule{APIGroups: []string{granted.group},
							Resources: []string{granted.resource}, Verbs: []string{granted.verb}})
					}
				}
				name := fmt.Sprintf("%s-without-%d", agent, missing)
				config, err := w.cluster.ConfigWithRules(w.ctx, name, rules...)
				w.must(err)
				kubeconfig, err := w.cluster.WriteKubeconfig(name, config)
				w.must(err)
				server := outrigger.Serve(t, name, w.cluster.LogDir(), agent, "--kubeconfig", kubeconfig)
				checkLacks(t, server, all[missing])
			})
		}
	}
}

func checkLacks(t *testing.T, server *outrigger.Server, missing right) {
	t.Helper()
	deadline := time.Now().Add(patience)
	for {
		_, page := server.Ask("/readyz?verbose")
		if strings.Contains(page, "403") && strings.Contains(page, "cannot "+missing.verb) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("is ready, or does not say that it may not %s:\n%s", missing, page)
		}
		time.Sleep(20 * time.Millisecond)
	}
}
