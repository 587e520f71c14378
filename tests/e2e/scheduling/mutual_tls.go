package scheduling

import (
	"net"
	"path/filepath"
	"testing"

	"outrigger.dev/outrigger/tests/support/pki"
)

// MutualTLS is what the agents of a world and its scheduler show each other, and whom they trust.
type MutualTLS struct {
	Authority     *pki.Authority
	Agent         *pki.Mount
	Scheduler     *pki.Mount
	schedulerArgs []string // more of scheduler-config's arguments
}

// Loopback is a certificate for what is called by its address.
var Loopback = pki.Spec{Name: "agent", Addresses: []net.IP{net.IPv4(127, 0, 0, 1)}}

// UseTLS has agents served from now on over TLS with client certificates, and config say so.
func (w *World) UseTLS(agent, scheduler pki.Spec, schedulerArgs ...string) *MutualTLS {
	w.Helper()
	authority, err := pki.NewAuthority("authority")
	w.Must(err)
	w.TLS = &MutualTLS{Authority: authority, schedulerArgs: schedulerArgs}
	w.TLS.Agent = w.Mount("agent", w.Issue(agent), authority)
	w.TLS.Scheduler = w.Mount("scheduler", w.Issue(scheduler), authority)
	return w.TLS
}

// Issue makes a certificate of the agents' own authority.
func (w *World) Issue(spec pki.Spec) pki.Pair {
	w.Helper()
	pair, err := w.TLS.Authority.Issue(spec)
	w.Must(err)
	return pair
}

// Mount makes files of a pair, as a mounted Secret has them.
func (w *World) Mount(name string, pair pki.Pair, authority *pki.Authority) *pki.Mount {
	w.Helper()
	mount, err := pki.NewMount(filepath.Join(w.Cluster.Dir, "pki-"+name), pair, authority)
	w.Must(err)
	return mount
}

func (m *MutualTLS) ofServe() []string {
	if m == nil {
		return nil
	}
	return []string{"--tls-cert", m.Agent.CertFile(), "--tls-key", m.Agent.KeyFile(),
		"--client-ca", m.Agent.CAFile()}
}

// OfSchedulerConfig returns arguments of scheduler-config; none without TLS.
func (m *MutualTLS) OfSchedulerConfig() []string {
	if m == nil {
		return nil
	}
	return append([]string{"--tls-cert", m.Scheduler.CertFile(), "--tls-key", m.Scheduler.KeyFile(),
		"--tls-ca", m.Scheduler.CAFile()}, m.schedulerArgs...)
}

// Scheme is that of the agents' URLs.
func (m *MutualTLS) Scheme() string {
	if m == nil {
		return "http"
	}
	return "https"
}

// OverAll runs a test in worlds that differ in how the scheduler calls the agents: with names of
// nodes only, in clear and with certificates on both sides, and with whole nodes. They run at once.
func OverAll(t *testing.T, test func(w *World)) {
	for name, change := range map[string]func(*World){
		"Names":        func(*World) {},
		"NamesOverTLS": func(w *World) { w.UseTLS(Loopback, pki.Spec{Name: "scheduler"}) },
		"WholeNodes":   func(w *World) { w.WholeNodes = true },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := New(t)
			change(w)
			test(w)
		})
	}
}
