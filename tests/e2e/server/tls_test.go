package server

import (
	"crypto/tls"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"outrigger.dev/outrigger/tests/e2e/scheduling"
	"outrigger.dev/outrigger/tests/support/kube"
	"outrigger.dev/outrigger/tests/support/outrigger"
	"outrigger.dev/outrigger/tests/support/pki"
	"outrigger.dev/outrigger/tests/support/relay"
)

// The first certificates of both sides expire during the test. The connection that stands is not
// dropped for that; the next one is opened with the new certificates, by both sides, or fails.
func TestPodsGoOnBeingPlacedWhileBothSidesCertificatesAreReplaced(t *testing.T) {
	scheduling.Long(t)
	t.Parallel()
	const lifetime = 30 * time.Second
	w := scheduling.New(t)
	agent := pki.Spec{Name: "agent", DNS: []string{"safe.agents"}, Lifetime: lifetime}
	scheduler := pki.Spec{Name: "scheduler", Lifetime: lifetime}
	m := w.UseTLS(agent, scheduler, "--tls-server-name", "safe.agents")
	oldScheduler, err := tls.LoadX509KeyPair(m.Scheduler.CertFile(), m.Scheduler.KeyFile())
	w.Must(err)
	first := oldScheduler.Leaf.NotAfter

	safe := w.Serve("safe")
	between := relay.To(t, strings.TrimPrefix(safe.URL, "https://"))
	w.Nodes(kube.MakeNode("a"), kube.MakeNode("b"))
	// A call that takes more than the second that it has otherwise would cost its connection, and refuse the pod.
	w.StartScheduler(w.Config(map[string]string{"safe": "https://" + between.Address()}, "--http-timeout", "30s"))
	pods := 0
	place := func(count int) {
		w.Helper()
		for range count {
			w.Pods(kube.MakePod(fmt.Sprintf("p%d", pods)))
			pods++
		}
		w.UntilBound(pods)
	}
	place(5)

	agent.Lifetime, scheduler.Lifetime = time.Hour, time.Hour
	w.Must(m.Agent.Replace(w.Issue(agent), m.Authority))
	w.Must(m.Scheduler.Replace(w.Issue(scheduler), m.Authority))
	connections := between.Accepted()
	place(5)
	if now := between.Accepted(); now != connections {
		t.Errorf("connections were dropped for new certificates: %d opened instead of %d", now, connections)
	}
	time.Sleep(time.Until(first.Add(time.Second)))
	place(5)
	if now := between.Accepted(); now != connections {
		t.Errorf("connections were dropped for their expiry: %d opened instead of %d", now, connections)
	}

	between.Cut()
	time.Sleep(500 * time.Millisecond) // a call on a connection of which the scheduler does not know yet that it is cut fails
	place(5)
	if now := between.Accepted(); now == connections {
		t.Error("no new connection was opened: nothing is proven")
	}
	w.CheckBoundOnce(pods)
	for _, failure := range w.Tracker.Failures() {
		t.Errorf("%s was refused on its way: %s: %s", failure.Name, failure.Reason, failure.Message)
	}

	newScheduler, err := tls.LoadX509KeyPair(m.Scheduler.CertFile(), m.Scheduler.KeyFile())
	w.Must(err)
	if expires, err := shakeHands(w, safe, newScheduler); err != nil || !expires.After(first) {
		t.Errorf("the agent shows a certificate until %s, the first was until %s: %v", expires, first, err)
	}
	if _, err := shakeHands(w, safe, oldScheduler); err == nil {
		t.Error("the agent takes the expired certificate: nothing is proven")
	}
	log, err := os.ReadFile(filepath.Join(w.Cluster.LogDir(), "safe.log"))
	w.Must(err)
	if !strings.Contains(string(log), "TLS: the changed files are in use now") {
		t.Error("the agent does not log that it uses new files")
	}
}

// shakeHands opens a connection to an agent and returns until when its certificate is valid.
func shakeHands(w *scheduling.World, server *outrigger.Server, mine tls.Certificate) (time.Time, error) {
	w.Helper()
	connection, err := tls.Dial("tcp", strings.TrimPrefix(server.URL, "https://"), &tls.Config{
		RootCAs: w.TLS.Authority.Pool(), ServerName: "safe.agents", Certificates: []tls.Certificate{mine},
	})
	if err != nil {
		return time.Time{}, err
	}
	defer connection.Close()
	w.Must(connection.SetDeadline(time.Now().Add(scheduling.Patience)))
	// With TLS 1.3 the client hears only after its own part whether it was let in.
	if _, err := fmt.Fprint(connection, "GET / HTTP/1.1\r\nHost: safe\r\n\r\n"); err != nil {
		return time.Time{}, err
	}
	if _, err := connection.Read(make([]byte, 1)); err != nil {
		return time.Time{}, err
	}
	return connection.ConnectionState().PeerCertificates[0].NotAfter, nil
}

// What people read in `kubectl describe pod` when the two sides do not trust each other. Each row
// has a scheduler of its own, whose configuration somebody spoiled.
func TestSchedulerThatIsNotTrustedOrDoesNotTrustHoldsItsPodsAndTheySayWhy(t *testing.T) {
	scheduling.Long(t)
	t.Parallel()
	const podsPerRow = 5
	w := scheduling.New(t)
	w.UseTLS(scheduling.Loopback, pki.Spec{Name: "scheduler"})
	others, err := pki.NewAuthority("others")
	w.Must(err)
	pair, err := others.Issue(pki.Spec{Name: "scheduler"})
	w.Must(err)
	other := w.Mount("other", pair, others)
	expired := w.Mount("expired", w.Issue(pki.Spec{Name: "scheduler", Lifetime: -30 * time.Second}), w.TLS.Authority)
	safe := w.Serve("safe")
	w.Nodes(kube.MakeNode("a"), kube.MakeNode("b"))

	for _, row := range []struct {
		name  string
		spoil func(extender, tls map[string]any)
		says  string // empty: nothing is wrong, pods are bound
	}{
		{"no-certificate", func(_, tls map[string]any) {
			delete(tls, "certFile")
			delete(tls, "keyFile")
		}, "remote error: tls: certificate required"},
		{"certificate-of-others", func(_, tls map[string]any) {
			tls["certFile"], tls["keyFile"] = other.CertFile(), other.KeyFile()
		}, "remote error: tls: unknown certificate authority"},
		{"certificate-expired", func(_, tls map[string]any) {
			tls["certFile"], tls["keyFile"] = expired.CertFile(), expired.KeyFile()
		}, "remote error: tls: expired certificate"},
		{"agent-not-trusted", func(_, tls map[string]any) {
			tls["caFile"] = other.CAFile()
		}, "x509: certificate signed by unknown authority"},
		{"agent-of-another-name", func(_, tls map[string]any) {
			tls["serverName"] = "other.agents"
		}, "x509: certificate is not valid for any names, but wanted to match other.agents"},
		{"in-clear", func(extender, _ map[string]any) {
			extender["urlPrefix"] = strings.Replace(extender["urlPrefix"].(string), "https://", "http://", 1)
		}, "EOF"},
		{"nothing-wrong", func(_, _ map[string]any) {}, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			config := fmt.Appendf(w.Config(map[string]string{"safe": safe.URL}),
				"profiles:\n  - schedulerName: %s\n", row.name)
			w.Cluster.MustStartScheduler(t, row.name, scheduling.Edit(t, config, func(extenders []any) {
				extender := extenders[0].(map[string]any)
				row.spoil(extender, extender["tlsConfig"].(map[string]any))
			}))
			var names []string
			for p := range podsPerRow {
				names = append(names, fmt.Sprintf("%s-%d", row.name, p))
				w.Pods(kube.MakePod(names[p]).Scheduler(row.name))
			}
			for _, name := range names {
				if row.says == "" {
					w.Until(name, "bound", scheduling.IsBound)
				} else {
					checkHeldSaying(w, name, row.says)
				}
			}
		})
	}
	if bound := len(w.Tracker.Bindings()); bound != podsPerRow {
		t.Errorf("%d pods are bound, want those of the scheduler with nothing wrong, %d", bound, podsPerRow)
	}
}

func checkHeldSaying(w *scheduling.World, name, text string) {
	w.Helper()
	// On a slow machine the first call may have run out of its time.
	pod := w.Until(name, "held with the reason \""+text+"\"", func(pod *corev1.Pod) bool {
		condition := kube.Condition(pod, corev1.PodScheduled)
		return condition.Reason == corev1.PodReasonSchedulerError && strings.Contains(condition.Message, text)
	})
	if pod.Spec.NodeName != "" {
		w.Errorf("%s is on %q", name, pod.Spec.NodeName)
	}
}
