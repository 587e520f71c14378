package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// authority signs certificates.
type authority struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
	pem         []byte
}

var serial = func() func() *big.Int {
	var mutex sync.Mutex
	last := int64(0)
	return func() *big.Int {
		mutex.Lock()
		defer mutex.Unlock()
		last++
		return big.NewInt(last)
	}
}()

func template(name string) *x509.Certificate {
	return &x509.Certificate{
		SerialNumber: serial(), Subject: pkix.Name{CommonName: name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		BasicConstraintsValid: true,
	}
}

func newAuthority() (*authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	t := template("soak authority")
	t.Subject.SerialNumber = t.SerialNumber.String() // no two authorities have one name
	t.IsCA, t.KeyUsage = true, x509.KeyUsageCertSign
	der, err := x509.CreateCertificate(rand.Reader, t, t, &key.PublicKey, key)
	if err != nil {
		return nil, err
	}
	certificate, err := x509.ParseCertificate(der)
	return &authority{certificate, key, encode("CERTIFICATE", der)}, err
}

func encode(kind string, der []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
}

// leaf is a certificate with its key, for a server on loopback and for clients.
type leaf struct {
	pair    tls.Certificate
	serial  *big.Int
	pem     []byte
	privPEM []byte
}

func (a *authority) leaf(name string) (*leaf, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	t := template(name)
	t.IPAddresses = []net.IP{net.IPv4(127, 0, 0, 1)}
	t.KeyUsage = x509.KeyUsageDigitalSignature
	t.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}
	der, err := x509.CreateCertificate(rand.Reader, t, a.certificate, &key.PublicKey, a.key)
	if err != nil {
		return nil, err
	}
	private, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return nil, err
	}
	l := &leaf{serial: t.SerialNumber, pem: encode("CERTIFICATE", der), privPEM: encode("EC PRIVATE KEY", private)}
	l.pair, err = tls.X509KeyPair(l.pem, l.privPEM)
	return l, err
}

// certificates are the files that a server reads and what its clients trust and show. Two
// authorities are valid at any time, the newest and the one before. Safe for concurrent use.
type certificates struct {
	dir     string
	frozen  bool // files never change: the run has to notice
	rewrite sync.Mutex

	mutex     sync.Mutex
	current   *authority
	previous  *authority
	server    *leaf
	client    *leaf // what clients show: signed by an authority that the server surely trusts
	retiring  *leaf // of an authority that the files do not name any more
	retired   *leaf // the same, once the server surely knows; nil at first
	rotations int
}

func newCertificates(dir string, frozen bool) (*certificates, error) {
	c := &certificates{dir: dir}
	if err := c.rotate(); err != nil {
		return nil, err
	}
	c.frozen = frozen
	c.adopt()
	return c, nil
}

func (c *certificates) file(name string) string { return filepath.Join(c.dir, name) }

// rotate makes a new server certificate, and every second time a new authority. Clients take part
// when adopt is called.
func (c *certificates) rotate() error {
	c.rewrite.Lock()
	defer c.rewrite.Unlock()
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.rotations%2 == 0 {
		next, err := newAuthority()
		if err != nil {
			return err
		}
		if c.previous != nil && c.previous != c.current {
			if c.retiring, err = c.previous.leaf("retired client"); err != nil {
				return err
			}
		}
		c.previous, c.current = c.current, next
		if c.previous == nil {
			c.previous = next
		}
	}
	var err error
	if c.server, err = c.current.leaf("outrigger"); err != nil {
		return err
	}
	c.rotations++
	if c.frozen {
		return nil
	}
	return c.write()
}

// write replaces the files one by one, each at once, as a careful administrator does.
func (c *certificates) write() error {
	for _, file := range []struct {
		name    string
		content []byte
	}{
		{"client-ca.pem", append(append([]byte{}, c.current.pem...), c.previous.pem...)},
		{"tls.key", c.server.privPEM},
		{"tls.crt", c.server.pem},
	} {
		fresh := c.file(file.name + ".new")
		if err := os.WriteFile(fresh, file.content, 0o600); err != nil {
			return err
		}
		if err := os.Rename(fresh, c.file(file.name)); err != nil {
			return err
		}
	}
	return nil
}

// adopt gives the clients a certificate of the newest authority, once the server surely knows it.
func (c *certificates) adopt() {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if next, err := c.current.leaf("client"); err == nil {
		c.client = next
	}
	c.retired = c.retiring
}

// config is what a client uses now.
func (c *certificates) config() *tls.Config {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	roots := x509.NewCertPool()
	roots.AddCert(c.current.certificate)
	roots.AddCert(c.previous.certificate)
	return &tls.Config{RootCAs: roots, ServerName: "127.0.0.1", Certificates: []tls.Certificate{c.client.pair}}
}

// retiredConfig is that of a client whose authority is not valid any more; nil if there is none.
func (c *certificates) retiredConfig() *tls.Config {
	config := c.config()
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.retired == nil {
		return nil
	}
	config.Certificates = []tls.Certificate{c.retired.pair}
	return config
}

func (c *certificates) serverSerial() *big.Int {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return c.server.serial
}

// servedSerial is that of the certificate that the server showed; 0 in clear.
func (c *conn) servedSerial() *big.Int {
	secured, ok := c.Conn.(*tls.Conn)
	if !ok {
		return new(big.Int)
	}
	return secured.ConnectionState().PeerCertificates[0].SerialNumber
}
