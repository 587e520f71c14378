// Command kubeconfigs writes the table of kubeconfigs that unit tests read: what client-go's own loader makes of each.
//
// Run in tests/: `go run ./support/cmd/kubeconfigs` rewrites the table. With -check it changes nothing and exits with
// status 1 where the table differs.
package main

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"flag"
	"fmt"
	"math/big"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

func main() {
	path := flag.String("out", "golden/kubeconfigs.json", "the table")
	check := flag.Bool("check", false, "compare with the table that is there, and write nothing")
	flag.Parse()

	var answers []answer
	for _, r := range rows {
		got, err := ask(r)
		exitOn(err)
		answers = append(answers, got)
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", " ")
	exitOn(encoder.Encode(answers))
	if !*check {
		exitOn(os.WriteFile(*path, text.Bytes(), 0o644))
		return
	}
	there, err := os.ReadFile(*path)
	exitOn(err)
	if !bytes.Equal(there, text.Bytes()) {
		fmt.Fprintf(os.Stderr, "%s differs from what client-go makes of the rows: run kubeconfigs\n", *path)
		os.Exit(1)
	}
}

// answer is a row with what client-go made of it. Paths begin with $DIR, the folder of the files.
type answer struct {
	row
	Refused bool      `json:"refused"`
	Config  *accepted `json:"config,omitempty"`
}

type accepted struct {
	Server        string   `json:"server"`
	TLSServerName string   `json:"tlsServerName"`
	Insecure      bool     `json:"insecure"`
	ProxyURL      string   `json:"proxyURL"`
	CA            string   `json:"ca"`
	Cert          string   `json:"cert"`
	Key           string   `json:"key"`
	Token         string   `json:"token"`
	TokenFile     string   `json:"tokenFile"`
	As            string   `json:"as"`
	AsGroups      []string `json:"asGroups"`
	Namespace     string   `json:"namespace"`
	// PluginRan is whether a call that was really made ran the exec plugin.
	PluginRan bool `json:"pluginRan"`
}

// ask writes the files of r, has client-go load them, and makes a call with what came out.
func ask(r row) (answer, error) {
	dir, err := os.MkdirTemp("", "kubeconfigs")
	if err != nil {
		return answer{}, err
	}
	defer os.RemoveAll(dir)
	server := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer server.Close()
	certificate, key, err := pair()
	if err != nil {
		return answer{}, err
	}
	base64 := base64.StdEncoding.EncodeToString
	fill := strings.NewReplacer("$DIR", dir, "$SERVER", server.URL, "$CERT64", base64(certificate), "$KEY64", base64(key))
	blank := strings.NewReplacer(dir, "$DIR", server.URL, "$SERVER", string(certificate), "$CERT", string(key), "$KEY")

	plugin := "#!/bin/sh\n: > " + dir + "/ran\necho '" + pluginPrints + "'\n"
	former := strings.Replace(plugin, "io/v1", "io/v1beta1", 1)
	for name, content := range map[string]string{
		"plugin": plugin, "plugin-of-beta": former, "token": "of-file\n", "cert.pem": string(certificate), "key.pem": string(key),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o700); err != nil {
			return answer{}, err
		}
	}
	rules := &clientcmd.ClientConfigLoadingRules{}
	for i, text := range r.Files {
		path := filepath.Join(dir, fmt.Sprint(i))
		rules.Precedence = append(rules.Precedence, path)
		if err := os.WriteFile(path, []byte(fill.Replace(text)), 0o644); err != nil {
			return answer{}, err
		}
	}
	loader := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(
		rules, &clientcmd.ConfigOverrides{CurrentContext: r.Context})
	config, err := loader.ClientConfig()
	if err != nil {
		return answer{row: r, Refused: true}, nil
	}
	namespace, _, err := loader.Namespace()
	if err != nil {
		return answer{row: r, Refused: true}, nil
	}
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		return answer{row: r, Refused: true}, nil
	}
	// With a plugin, the server is the one above.
	if config.ExecProvider != nil {
		response, err := client.Get(config.Host)
		if err != nil {
			return answer{row: r, Refused: true}, nil
		}
		response.Body.Close()
	}
	_, ran := os.Stat(filepath.Join(dir, "ran"))
	pick := func(data []byte, file string) string {
		if len(data) > 0 {
			return blank.Replace(string(data))
		}
		return blank.Replace(file)
	}
	got := accepted{
		Server: blank.Replace(config.Host), TLSServerName: config.ServerName, Insecure: config.Insecure,
		CA:   pick(config.CAData, config.CAFile),
		Cert: pick(config.CertData, config.CertFile), Key: pick(config.KeyData, config.KeyFile),
		Token: config.BearerToken, TokenFile: blank.Replace(config.BearerTokenFile),
		As: config.Impersonate.UserName, AsGroups: config.Impersonate.Groups,
		Namespace: namespace, PluginRan: ran == nil,
	}
	if config.Proxy != nil {
		request, err := http.NewRequest(http.MethodGet, "https://10.0.0.1", nil)
		if err != nil {
			return answer{}, err
		}
		proxy, err := config.Proxy(request)
		if err != nil {
			return answer{}, err
		}
		got.ProxyURL = proxy.String()
	}
	return answer{row: r, Config: &got}, nil
}

// pair is a certificate and its key, in PEM.
func pair() (certificate, key []byte, err error) {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, err
	}
	template := x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, &template, &template, &private.PublicKey, private)
	if err != nil {
		return nil, nil, err
	}
	pkcs8, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		return nil, nil, err
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}),
		pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: pkcs8}), nil
}

func exitOn(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
