package pki

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"net"
	"testing"
	"time"
)

func issue(t *testing.T, spec Spec) (*Authority, Pair, *x509.Certificate) {
	t.Helper()
	authority, err := NewAuthority("authority")
	if err != nil {
		t.Fatal(err)
	}
	pair, err := authority.Issue(spec)
	if err != nil {
		t.Fatal(err)
	}
	both, err := tls.X509KeyPair(pair.Certificate, pair.Key)
	if err != nil {
		t.Fatalf("the key is not the certificate's: %v", err)
	}
	return authority, pair, both.Leaf
}

func TestACertificateHoldsForItsNamesUntilItExpires(t *testing.T) {
	authority, pair, leaf := issue(t, Spec{
		Name: "agent", DNS: []string{"agent.test"}, Addresses: []net.IP{net.IPv4(127, 0, 0, 1)}, Lifetime: time.Minute})
	for _, row := range []struct {
		name, host string
		at         time.Time
		good       bool
	}{
		{"Name", "agent.test", time.Now(), true},
		{"Address", "127.0.0.1", time.Now(), true},
		{"AnotherName", "other.test", time.Now(), false},
		{"Expired", "agent.test", pair.Expires.Add(time.Second), false},
	} {
		t.Run(row.name, func(t *testing.T) {
			_, err := leaf.Verify(x509.VerifyOptions{DNSName: row.host, Roots: authority.Pool(), CurrentTime: row.at})
			if (err == nil) != row.good {
				t.Errorf("Verify: %v", err)
			}
		})
	}
	other, _, _ := issue(t, Spec{Name: "other"})
	if _, err := leaf.Verify(x509.VerifyOptions{Roots: other.Pool()}); err == nil {
		t.Error("another authority vouches for it")
	}
}

func TestReplacedFilesKeepTheirPaths(t *testing.T) {
	authority, first, _ := issue(t, Spec{Name: "first"})
	second, err := authority.Issue(Spec{Name: "second"})
	if err != nil {
		t.Fatal(err)
	}
	mount, err := NewMount(t.TempDir(), first, authority)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []Pair{first, second} {
		if err := mount.Replace(want, authority); err != nil {
			t.Fatal(err)
		}
		both, err := tls.LoadX509KeyPair(mount.CertFile(), mount.KeyFile())
		if err != nil {
			t.Fatal(err)
		}
		wanted, err := tls.X509KeyPair(want.Certificate, want.Key)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(both.Certificate[0], wanted.Certificate[0]) {
			t.Error("the files hold another certificate")
		}
	}
}
