package follow

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"outrigger.dev/outrigger/tests/support/faults"
	"outrigger.dev/outrigger/tests/support/follower"
	"outrigger.dev/outrigger/tests/support/process"
)

// scene is a follower behind a proxy of its own, watched by a witness.
type scene struct {
	*world
	dir      string
	proxy    *faults.Proxy
	revoke   func() error // of the token in use
	follower *follower.Follower
	witness  *witness
	json     bool // the follower does without protobuf
}

// scene runs play as a subtest. The follower does not run yet.
func (w *world) scene(name string, play func(*scene)) {
	w.scenes++
	number := w.scenes
	w.Run(name, func(t *testing.T) {
		inner := *w
		inner.T, inner.Ctx = t, t.Context()
		defer func() { w.made = inner.made }()
		s := &scene{world: &inner, dir: inner.folder(fmt.Sprintf("scene-%d", number))}
		s.prepare()
		play(s)
	})
}

func (s *scene) prepare() {
	s.Helper()
	ca, err := os.ReadFile(s.Cluster.Config.CAFile)
	s.Must(err)
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(ca)
	s.proxy, err = faults.Start(s.Cluster.Config.Host, &tls.Config{RootCAs: pool})
	s.Must(err)
	s.Cleanup(s.proxy.Close)
	s.writeCA()
	s.writeToken()
	file := clientcmdapi.NewConfig()
	file.Clusters["c"] = &clientcmdapi.Cluster{Server: s.proxy.URL(), CertificateAuthority: filepath.Join(s.dir, "ca.crt")}
	file.AuthInfos["u"] = &clientcmdapi.AuthInfo{TokenFile: filepath.Join(s.dir, "token")}
	file.Contexts["x"] = &clientcmdapi.Context{Cluster: "c", AuthInfo: "u"}
	file.CurrentContext = "x"
	s.Must(clientcmd.WriteToFile(*file, filepath.Join(s.dir, "kubeconfig")))
}

// writeCA gives the follower the authority that the proxy has now.
func (s *scene) writeCA() {
	s.Helper()
	s.writeFile(filepath.Join(s.dir, "ca.crt"), s.proxy.CA())
}

// writeToken gives the follower a token of its own.
func (s *scene) writeToken() {
	s.Helper()
	token, revoke, err := s.Cluster.RevocableToken(s.Ctx, "default", account)
	s.Must(err)
	s.revoke = revoke
	s.writeFile(filepath.Join(s.dir, "token"), []byte(token))
}

// start starts the follower, without waiting for anything.
func (s *scene) start() {
	s.Helper()
	args := []string{"--silence-ms", fmt.Sprint(silence.Milliseconds()), "--max-staleness-ms", fmt.Sprint(staleness.Milliseconds())}
	if s.json {
		args = append(args, "--json")
	}
	s.follower = follower.Start(s, process.Spec{Path: s.binary, LogDir: s.dir}, filepath.Join(s.dir, "kubeconfig"), args...)
}

// settle starts the follower and a witness, and waits until it has the server's state.
func (s *scene) settle() {
	s.Helper()
	s.start()
	s.untilEqual()
	s.witness = newWitness(s)
	s.recovered()
}

// untilEqual waits until the follower knows what the server has.
func (s *scene) untilEqual() {
	s.Helper()
	s.Must(s.follower.UntilEqual(s.Ctx, s.Client, patience))
}

// recovered waits until the follower is ready and knows what the server has, and fails if what it
// said of its readiness since the last time was not true.
func (s *scene) recovered() {
	s.Helper()
	_, err := s.follower.UntilReady(s.Ctx, true, patience)
	s.Must(err)
	s.witness.pause(func() { s.untilEqual() })
	s.witness.check(s)
}

// notReady waits until the follower says that it cannot be trusted, which it must say soon after its
// staleness, and why, naming what it does not follow.
func (s *scene) notReady() {
	s.Helper()
	readiness, err := s.follower.UntilReady(s.Ctx, false, staleness+10*time.Second)
	s.Must(err)
	reasons := strings.Join(readiness.Reasons, "; ")
	if !strings.Contains(reasons, "nodes") && !strings.Contains(reasons, "pods") {
		s.Errorf("not ready, but the reasons name no resource: %s", reasons)
	}
	s.Logf("not ready: %.300s", reasons)
}

// met fails the test if a rule has met no request: then nothing was tested.
func (s *scene) met(rule *faults.Injection) {
	s.Helper()
	if rule.Hits() == 0 {
		s.Error("the fault met no request")
	}
}
