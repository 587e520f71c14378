package cluster

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	authenticationv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// ConfigOf returns a client configuration for one of the users that every cluster knows.
func (c *Cluster) ConfigOf(user string) *rest.Config {
	config := rest.CopyConfig(c.Config)
	config.BearerToken = token(user)
	return config
}

// ServiceAccountConfig returns a client configuration with a token of a service account that
// exists already.
func (c *Cluster) ServiceAccountConfig(ctx context.Context, namespace, name string) (*rest.Config, error) {
	if IsLab() {
		return rest.CopyConfig(c.Config), nil // it has no accounts
	}
	request, err := c.Client.CoreV1().ServiceAccounts(namespace).CreateToken(
		ctx, name, &authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	if err != nil {
		return nil, fmt.Errorf("token of service account %s/%s: %w", namespace, name, err)
	}
	config := rest.CopyConfig(c.Config)
	config.BearerToken = request.Status.Token
	return config, nil
}

// WriteKubeconfig writes a kubeconfig with the credentials of config into the cluster's folder and
// returns its path.
func (c *Cluster) WriteKubeconfig(name string, config *rest.Config) (string, error) {
	file := clientcmdapi.NewConfig()
	file.Clusters["test"] = &clientcmdapi.Cluster{Server: config.Host, CertificateAuthority: config.CAFile}
	file.AuthInfos["user"] = &clientcmdapi.AuthInfo{Token: config.BearerToken}
	file.Contexts["test"] = &clientcmdapi.Context{Cluster: "test", AuthInfo: "user"}
	file.CurrentContext = "test"
	path := filepath.Join(c.Dir, name+".kubeconfig")
	if err := clientcmd.WriteToFile(*file, path); err != nil {
		return "", fmt.Errorf("kubeconfig of %s: %w", name, err)
	}
	return path, nil
}

func (c *Cluster) certDir() string    { return filepath.Join(c.Dir, "certs") }
func (c *Cluster) caFile() string     { return filepath.Join(c.certDir(), "apiserver.crt") }
func (c *Cluster) tokenFile() string  { return filepath.Join(c.Dir, "tokens.csv") }
func (c *Cluster) signingKey() string { return filepath.Join(c.Dir, "service-account.key") }

// token returns the token of a known user: they guard nothing beyond a cluster on the loopback.
func token(user string) string { return "token-of-" + strings.ReplaceAll(user, ":", "-") }

// prepare writes what kube-apiserver reads at its start.
func (c *Cluster) prepare() error {
	for _, dir := range []string{c.LogDir(), c.certDir()} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
	}
	tokens := fmt.Sprintf("%s,%s,1,system:masters\n%s,%s,2\n%s,%s,3\n",
		token(Admin), Admin, token(SchedulerUser), SchedulerUser, token(Nobody), Nobody)
	if err := os.WriteFile(c.tokenFile(), []byte(tokens), 0o600); err != nil {
		return err
	}
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return err
	}
	block := &pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)}
	return os.WriteFile(c.signingKey(), pem.EncodeToMemory(block), 0o600)
}
