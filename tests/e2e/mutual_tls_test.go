package e2e

import (
	"net"
	"path/filepath"
	"testing"

	"outrigger.dev/outrigger/tests/support/pki"
)

// mutualTLS is what the agents of a world and its scheduler show each other, and whom they trust.
type mutualTLS struct {
	authority     *pki.Authority
	agent         *pki.Mount
	scheduler     *pki.Mount
	schedulerArgs []string // more of scheduler-config's arguments
}

// loopback is a certificate for what is called by its address.
var loopback = pki.Spec{Name: "agent", Addresses: []net.IP{net.IPv4(127, 0, 0, 1)}}

// useTLS has agents served from now on over TLS with client certificates, and config say so.
func (w *world) useTLS(agent, scheduler pki.Spec, schedulerArgs ...string) *mutualTLS {
	w.Helper()
	authority, err := pki.NewAuthority("authority")
	w.Must(err)
	w.tls = &mutualTLS{authority: authority, schedulerArgs: schedulerArgs}
	w.tls.agent = w.mount("agent", w.issue(agent), authority)
	w.tls.scheduler = w.mount("scheduler", w.issue(scheduler), authority)
	return w.tls
}

func (w *world) issue(spec pki.Spec) pki.Pair {
	w.Helper()
	pair, err := w.tls.authority.Issue(spec)
	w.Must(err)
	return pair
}

func (w *world) mount(name string, pair pki.Pair, authority *pki.Authority) *pki.Mount {
	w.Helper()
	mount, err := pki.NewMount(filepath.Join(w.Cluster.Dir, "pki-"+name), pair, authority)
	w.Must(err)
	return mount
}

func (m *mutualTLS) ofServe() []string {
	if m == nil {
		return nil
	}
	return []string{"--tls-cert", m.agent.CertFile(), "--tls-key", m.agent.KeyFile(),
		"--client-ca", m.agent.CAFile()}
}

func (m *mutualTLS) ofSchedulerConfig() []string {
	if m == nil {
		return nil
	}
	return append([]string{"--tls-cert", m.scheduler.CertFile(), "--tls-key", m.scheduler.KeyFile(),
		"--tls-ca", m.scheduler.CAFile()}, m.schedulerArgs...)
}

func (m *mutualTLS) scheme() string {
	if m == nil {
		return "http"
	}
	return "https"
}

// overAll runs a test in worlds that differ in how the scheduler calls the agents: with names of
// nodes only, in clear and with certificates on both sides, and with whole nodes.
func overAll(t *testing.T, test func(w *world)) {
	t.Run("Names", func(t *testing.T) { test(newWorld(t)) })
	t.Run("NamesOverTLS", func(t *testing.T) {
		w := newWorld(t)
		w.useTLS(loopback, pki.Spec{Name: "scheduler"})
		test(w)
	})
	t.Run("WholeNodes", func(t *testing.T) {
		w := newWorld(t)
		w.wholeNodes = true
		test(w)
	})
}
