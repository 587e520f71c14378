package follow

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"outrigger.dev/outrigger/tests/support/faults"
	"outrigger.dev/outrigger/tests/support/kube"
)

// while puts a rule to work, waits until a request has met it, and returns what ends it. What the follower
// says before that is about the connections that were cut.
func (s *scene) while(rule faults.Rule) (heal func()) {
	injection := s.proxy.Inject(rule)
	s.proxy.Cut()
	s.Must(kube.Eventually(s.Ctx, patience, func(context.Context) error {
		if injection.Hits() == 0 {
			return errors.New("the fault has met no request")
		}
		return nil
	}))
	return injection.Remove
}

func TestAFollowerThatCannotFollowSaysSo(t *testing.T) {
	w := newWorld(t)
	for _, row := range []struct {
		name string
		// begin starts the fault and returns what ends it.
		begin func(*scene) (heal func())
	}{
		{"connections refused", func(s *scene) func() {
			s.proxy.Refuse()
			return func() { s.Must(s.proxy.Accept()) }
		}},
		{"500 all the time", func(s *scene) func() { return s.while(faults.Rule{Answer: faults.Broken()}) }},
		{"429 all the time", func(s *scene) func() { return s.while(faults.Rule{Answer: faults.TooMany(1)}) }},
		{"403 all the time", func(s *scene) func() { return s.while(faults.Rule{Answer: faults.Forbidden()}) }},
		{"403 for pods", func(s *scene) func() {
			return s.while(faults.Rule{Match: faults.About("pods"), Answer: faults.Forbidden()})
		}},
		{"every answer cut at once", func(s *scene) func() { return s.while(faults.Rule{Tamper: faults.CutAfter(0)}) }},
		{"slow loris", func(s *scene) func() { return s.while(faults.Rule{Tamper: faults.Drip(100 * time.Millisecond)}) }},
		{"no answer to anything", func(s *scene) func() { return s.while(faults.Rule{Delay: time.Hour}) }},
		{"another authority", anotherAuthority},
		{"a token that has expired", expiredToken},
	} {
		w.scene(row.name, func(s *scene) {
			s.settle()
			heal := row.begin(s)
			s.change()
			s.notReady()
			heal()
			s.change()
			s.recovered()
		})
	}
}

// anotherAuthority has the server show a certificate that the follower does not trust, until the file
// with the authority is replaced.
func anotherAuthority(s *scene) func() {
	s.Must(s.proxy.NewAuthority())
	s.proxy.Cut()
	return s.writeCA
}

// expiredToken has the server refuse the follower's token, until the file with it is replaced.
func expiredToken(s *scene) func() {
	config, err := s.Cluster.ServiceAccountConfig(s.Ctx, "default", account)
	s.Must(err)
	token, revoke, err := s.Cluster.RevocableToken(s.Ctx, "default", account)
	s.Must(err)
	config.BearerToken = token
	client, err := kube.NewClient(config)
	s.Must(err)
	_, err = client.CoreV1().Nodes().List(s.Ctx, metav1.ListOptions{Limit: 1})
	s.Must(err)
	s.Must(s.revoke())
	s.Must(revoke())
	s.untilRefused(client) // the server remembers for as long after a token's use: this one's is the last
	s.proxy.Cut()
	return s.writeToken
}

func (s *scene) untilRefused(client kubernetes.Interface) {
	s.Helper()
	s.Must(kube.Eventually(s.Ctx, patience, func(ctx context.Context) error {
		_, err := client.CoreV1().Nodes().List(ctx, metav1.ListOptions{Limit: 1})
		if !apierrors.IsUnauthorized(err) {
			return fmt.Errorf("a revoked token is not refused: %v", err)
		}
		return nil
	}))
}

// The connection stands, nothing comes any more: the follower must find out by itself.
func TestAWatchThatFallsSilentIsOpenedAgain(t *testing.T) {
	w := newWorld(t)
	for _, row := range []struct {
		name     string
		resource string
		after    int64
	}{
		{"nodes", "nodes", 0}, {"pods", "pods", 0}, {"in the middle of an event", "pods", 100},
		{"all", "", 0},
	} {
		w.scene(row.name, func(s *scene) {
			s.settle()
			times := 1
			if row.resource == "" {
				times = 2
			}
			rule := s.proxy.Inject(faults.Rule{Match: faults.Watch(row.resource), Tamper: faults.FallSilent(row.after), Times: times})
			s.change()
			s.recovered()
			s.met(rule)
		})
	}
}
