// Package pki makes certificates for tests: an authority, what it issues, and files that are
// replaced as a mounted secret is.
package pki

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"time"
)

// Authority signs certificates. Safe for concurrent use.
type Authority struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
	pem         []byte
}

// Spec says what a certificate is for. Each may be shown by servers and by clients.
type Spec struct {
	Name      string        // common name
	DNS       []string      // names of a server
	Addresses []net.IP      // addresses of a server
	Lifetime  time.Duration // from now; 0 is an hour
}

// Pair is a certificate and its key, both in PEM.
type Pair struct {
	Certificate, Key []byte
	Expires          time.Time
}

// NewAuthority makes an authority that signs itself.
func NewAuthority(name string) (*Authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("key of %s: %w", name, err)
	}
	template := template(Spec{Name: name})
	template.IsCA, template.BasicConstraintsValid = true, true
	template.KeyUsage = x509.KeyUsageCertSign
	template.ExtKeyUsage = nil
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, fmt.Errorf("certificate of %s: %w", name, err)
	}
	certificate, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, fmt.Errorf("certificate of %s: %w", name, err)
	}
	return &Authority{certificate, key, block("CERTIFICATE", der)}, nil
}

// PEM returns the authority's certificate.
func (a *Authority) PEM() []byte { return a.pem }

// Pool returns what trusts the authority alone.
func (a *Authority) Pool() *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(a.certificate)
	return pool
}

// Issue makes a key and signs a certificate for it.
func (a *Authority) Issue(spec Spec) (Pair, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return Pair{}, fmt.Errorf("key of %s: %w", spec.Name, err)
	}
	template := template(spec)
	der, err := x509.CreateCertificate(rand.Reader, template, a.certificate, key.Public(), a.key)
	if err != nil {
		return Pair{}, fmt.Errorf("certificate of %s: %w", spec.Name, err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return Pair{}, fmt.Errorf("key of %s: %w", spec.Name, err)
	}
	return Pair{block("CERTIFICATE", der), block("PRIVATE KEY", private), template.NotAfter}, nil
}

func template(spec Spec) *x509.Certificate {
	if spec.Lifetime == 0 {
		spec.Lifetime = time.Hour
	}
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		panic(err) // the system's source of randomness does not fail
	}
	// Certificates count whole seconds.
	return &x509.Certificate{
		SerialNumber: serial,
		Subject:      pkix.Name{CommonName: spec.Name},
		DNSNames:     spec.DNS,
		IPAddresses:  spec.Addresses,
		NotBefore:    time.Now().Add(-time.Minute),
		NotAfter:     time.Now().Add(spec.Lifetime).Truncate(time.Second),
		KeyUsage:     x509.KeyUsageDigitalSignature,
		ExtKeyUsage:  []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
}

func block(kind string, der []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
}
