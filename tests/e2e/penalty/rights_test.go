package penalty

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"outrigger.dev/outrigger/tests/e2e/scheduling"
	"outrigger.dev/outrigger/tests/support/cluster"
	"outrigger.dev/outrigger/tests/support/outrigger"
)

func printedRights(t *testing.T) []scheduling.Grant {
	t.Helper()
	return scheduling.GrantsOfAgent(t, "penalty")
}

// The manifests' roles have what the agent needs, and nothing else.
func TestTheRolesHaveTheRightsOfTheAgent(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(scheduling.Penalty.Path())
	if err != nil {
		t.Fatal(err)
	}
	grants := scheduling.GrantsOf(t, text, "outrigger-penalty-agents")
	scheduling.CheckGrants(t, grants, printedRights(t))
	text, err = os.ReadFile(mappedFile)
	if err != nil {
		t.Fatal(err)
	}
	scheduling.CheckGrants(t, append(grants, scheduling.GrantsOf(t, text, "outrigger-penalty-mapped")...),
		scheduling.GrantsOf(t, mappedRights(t), "outrigger-penalty"))
}

// The agent goes through its cycle with the rights of the manifest's account.
func TestTheRightsOfTheManifestAreEnough(t *testing.T) {
	scheduling.Long(t)
	t.Parallel()
	w := newWorld(t)
	_, err := w.Cluster.Kubectl(w.Ctx, "apply", "--server-side", "-f", scheduling.Penalty.Path())
	w.Must(err)
	w.rights = w.Account(scheduling.Penalty)
	// What is refused before the API server knows the roles would be in the log.
	w.UntilGranted(w.rights, rbacv1.PolicyRule{APIGroups: []string{"scheduling.k8s.io"}, Resources: []string{"priorityclasses"},
		Verbs: []string{"delete"}})
	w.UntilGranted(w.rights, rbacv1.PolicyRule{APIGroups: []string{"coordination.k8s.io"}, Resources: []string{"leases"},
		Verbs: []string{"get"}, ResourceNames: []string{lease}}, metav1.NamespaceSystem)
	gold := class("gold", 1000)
	w.create(gold)
	// Its own settings, but for what would take long and for the label.
	file := w.WriteSettings(scheduling.Penalty)
	w.agent = outrigger.Serve(w, "deployed", w.Cluster.LogDir(), "penalty", "--config", file, "--kubeconfig",
		w.kubeconfig("deployed", nil), "--penalty.class-selector="+selectorKey, "--penalty.start=flat 500",
		"--penalty.half-life=0.2", "--penalty.grace=100000", "--penalty.coalesce=0")
	w.agent.UntilReady(w)
	w.untilLeads(w.agent)
	w.untilLooked()
	w.run("gold", "job-1")
	w.untilSound(gold, 500)
	w.graceEnds(gold)
	w.untilSound(gold, 1000)
	w.UntilEventWith("PriorityClassPenalised", "gold")
	log, err := os.ReadFile(w.agent.LogPath())
	w.Must(err)
	for line := range strings.Lines(string(log)) {
		if strings.Contains(line, "cannot ") && strings.Contains(line, "resource") {
			t.Errorf("a right is missing: %s", line)
		}
	}
}

// untold are rights whose lack the agent does not tell, and why.
var untold = map[scheduling.Right]string{}

// What the agent may not do it says where people look: on its page or in its log.
func TestAnAgentThatLacksARightSaysWhichIsMissing(t *testing.T) {
	scheduling.Long(t)
	t.Parallel()
	// Where lists are streamed a watch shows all that a list does.
	base := scheduling.Of(t, cluster.ForTestWith(t, cluster.Options{ServerArgs: []string{"--feature-gates=WatchList=false"}}))
	w := worldOf(base)
	all := printedRights(t)
	missing := map[scheduling.Right]bool{}
	for _, each := range all {
		// Who may not follow what this API server does not have misses nothing.
		isThere := each.Resource != "podgroups" || each.Group == "scheduling.volcano.sh"
		if isThere && each.Resource != "queues" {
			missing[each.Right] = true
		}
	}
	for right, why := range untold {
		if !missing[right] {
			t.Errorf("the agent does not ask for %s %s, of which it is said: %s", right, right.Group, why)
		}
		delete(missing, right)
	}
	rights := slices.SortedFunc(maps.Keys(missing), func(a, b scheduling.Right) int {
		return strings.Compare(a.Group+a.Resource+a.Verb, b.Group+b.Resource+b.Verb)
	})
	for i, right := range rights {
		if !scheduling.IsSampled(i) {
			continue
		}
		t.Run(fmt.Sprintf("without %s %s", right, right.Group), func(t *testing.T) {
			name := fmt.Sprintf("without-%02d", i)
			w := w.in(t)
			w.clean(name)
			agent := outrigger.Serve(t, name, w.Cluster.LogDir(), "penalty", append([]string{
				"--kubeconfig", w.KubeconfigWithoutGrant(name, all, right)},
				flags(settings{"start": "flat 500", "half-life": "0.2", "grace": "0"})...)...)
			asked := 0
			scheduling.CheckTells(t, right, func() string {
				w.keepBusy(name, asked)
				asked++
				log, err := os.ReadFile(agent.LogPath())
				w.Must(err)
				return scheduling.OnItsPage(agent) + string(log)
			})
		})
	}
}

// keepBusy makes the agent use its rights: a start is a mark, another class and Events. What it says twice, which is
// why a class is left alone, is one Event that has become a series.
func (w *world) keepBusy(name string, asked int) {
	w.Helper()
	if asked%20 == 0 && asked < 400 {
		w.run(name, fmt.Sprintf("%s-%d", name, asked))
		malformed := "null"
		if asked%40 == 0 {
			malformed = `"soon"`
		}
		w.patch(name+"-toggled", `{"metadata":{"annotations":{"outrigger.dev/penalty-half-life":`+malformed+`}}}`)
	}
}

// clean leaves one class, and nothing of the agent before.
func (w *world) clean(name string) {
	w.Helper()
	w.removeLease()
	for _, object := range w.journal() {
		w.Must(w.Client.CoreV1().ConfigMaps(metav1.NamespaceSystem).Delete(w.Ctx, object, metav1.DeleteOptions{}))
	}
	owner := class(name+"-owner", 300)
	delete(owner.Labels, selectorKey)
	w.create(owner)
	one := class(name, 1000)
	one.OwnerReferences = []metav1.OwnerReference{{APIVersion: "scheduling.k8s.io/v1", Kind: "PriorityClass",
		Name: owner.Name, UID: w.class(owner.Name).UID}}
	w.create(one, class(name+"-toggled", 2000))
}
