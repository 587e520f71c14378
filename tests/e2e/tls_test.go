package e2e

import (
	"crypto/tls"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"outrigger.dev/outrigger/tests/support/kube"
	"outrigger.dev/outrigger/tests/support/outrigger"
	"outrigger.dev/outrigger/tests/support/pki"
	"outrigger.dev/outrigger/tests/support/relay"
)

// The first certificates of both sides expire during the test. The connection that stands is not
// dropped for that; the next one is opened with the new certificates, by both sides, or fails.
func TestPodsGoOnBeingPlacedWhileBothSidesCertificatesAreReplaced(t *testing.T) {
	const lifetime = 30 * time.Second
	w := newWorld(t)
	agent := pki.Spec{Name: "agent", DNS: []string{"safe.agents"}, Lifetime: lifetime}
	scheduler := pki.Spec{Name: "scheduler", Lifetime: lifetime}
	m := w.useTLS(agent, scheduler, "--tls-server-name", "safe.agents")
	oldScheduler, err := tls.LoadX509KeyPair(m.scheduler.CertFile(), m.scheduler.KeyFile())
	w.must(err)
	first := oldScheduler.Leaf.NotAfter

	safe := w.serve("safe")
	between := relay.To(t, strings.TrimPrefix(safe.URL, "https://"))
	w.nodes(kube.MakeNode("a"), kube.MakeNode("b"))
	w.startScheduler(w.config(map[string]string{"safe": "https://" + between.Address()}))
	pods := 0
	place := func(count int) {
		w.Helper()
		for range count {
			w.pods(kube.MakePod(fmt.Sprintf("p%d", pods)))
			pods++
		}
		w.untilBound(pods)
	}
	place(5)

	agent.Lifetime, scheduler.Lifetime = time.Hour, time.Hour
	w.must(m.agent.Replace(w.issue(agent), m.authority))
	w.must(m.scheduler.Replace(w.issue(scheduler), m.authority))
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
	place(5)
	if now := between.Accepted(); now == connections {
		t.Error("no new connection was opened: nothing is proven")
	}
	w.checkBoundOnce(pods)
	for _, failure := range w.tracker.Failures() {
		t.Errorf("%s was refused on its way: %s: %s", failure.Name, failure.Reason, failure.Message)
	}

	newScheduler, err := tls.LoadX509KeyPair(m.scheduler.CertFile(), m.scheduler.KeyFile())
	w.must(err)
	if expires, err := shakeHands(w, safe, newScheduler); err != nil || !expires.After(first) {
		t.Errorf("the agent shows a certificate until %s, the first was until %s: %v", expires, first, err)
	}
	if _, err := shakeHands(w, safe, oldScheduler); err == nil {
		t.Error("the agent takes the expired certificate: nothing is proven")
	}
	log, err := os.ReadFile(filepath.Join(w.cluster.LogDir(), "safe.log"))
	w.must(err)
	if !strings.Contains(string(log), "TLS: the changed files are in use now") {
		t.Error("the agent does not log that it uses new files")
	}
}

// shakeHands opens a connection to an agent and returns until when its certificate is valid.
func shakeHands(w *world, server *outrigger.Server, mine tls.Certificate) (time.Time, error) {
	w.Helper()
	connection, err := tls.Dial("tcp", strings.TrimPrefix(server.URL, "https://"), &tls.Config{
		RootCAs: w.tls.authority.Pool(), ServerName: "safe.agents", Certificates: []tls.Certificate{mine},
	})
	if err != nil {
		return time.Time{}, err
	}
	defer connection.Close()
	w.must(connection.SetDeadline(time.Now().Add(10 * time.Second)))
	// With TLS 1.3 the client hears only after its own part whether it was let in.
	if _, err := fmt.Fprint(connection, "GET / HTTP/1.1\r\nHost: safe\r\n\r\n"); err != nil {
		return time.Time{}, err
	}
	if _, err := connection.Read(make([]byte, 1)); err != nil {
		return time.Time{}, err
	}
	return connection.ConnectionState().PeerCertificates[0].NotAfter, nil
}

// What people read in `kubectl describe pod` when the two sides do not trust each other.
func TestSchedulerThatIsNotTrustedOrDoesNotTrustHoldsItsPodsAndTheySayWhy(t *testing.T) {
	const podsPerRow = 5
	w := newWorld(t)
	m := w.useTLS(loopback, pki.Spec{Name: "scheduler"})
	others, err := pki.NewAuthority("others")
	w.must(err)
	pair, err := others.Issue(pki.Spec{Name: "scheduler"})
	w.must(err)
	other := w.mount("other", pair, others)
	safe := w.serve("safe")
	w.nodes(kube.MakeNode("a"), kube.MakeNode("b"))

	for _, row := range []struct {
		name string
		tls  map[string]any // in the place of tlsConfig's; nil removes
		says string
	}{
		{"no-certificate", map[string]any{"certFile": nil, "keyFile": nil},
			"remote error: tls: certificate required"},
		{"certificate-of-others", map[string]any{"certFile": other.CertFile(), "keyFile": other.KeyFile()},
			"remote error: tls: unknown certificate authority"},
		{"agent-not-trusted", map[string]any{"caFile": other.CAFile()},
			"x509: certificate signed by unknown authority"},
		{"agent-of-another-name", map[string]any{"serverName": "other.agents"},
			"x509: certificate is not valid for any names, but wanted to match other.agents"},
		{"trusted", map[string]any{"caFile": m.agent.CAFile()}, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			config := w.config(map[string]string{"safe": safe.URL}, "--scheduler-name", row.name)
			w.cluster.MustStartScheduler(t, row.name, edit(t, config, func(extenders []any) {
				settings := extenders[0].(map[string]any)["tlsConfig"].(map[string]any)
				for key, value := range row.tls {
					if value == nil {
						delete(settings, key)
					} else {
						settings[key] = value
					}
				}
			}))
			for p := range podsPerRow {
				w.pods(kube.MakePod(fmt.Sprintf("%s-%d", row.name, p)).Scheduler(row.name))
			}
			for p := range podsPerRow {
				name := fmt.Sprintf("%s-%d", row.name, p)
				if row.says == "" {
					w.until(name, "bound", isBound)
					continue
				}
				pod := w.untilSchedulerError(name)
				message := kube.Condition(pod, corev1.PodScheduled).Message
				if !strings.Contains(message, row.says) || pod.Spec.NodeName != "" {
					t.Errorf("pod %d on %q says %q, want %q", p, pod.Spec.NodeName, message, row.says)
				}
			}
		})
	}
	if bound := len(w.tracker.Bindings()); bound != podsPerRow {
		t.Errorf("%d pods are bound, want those of the scheduler that is trusted, %d", bound, podsPerRow)
	}
}
