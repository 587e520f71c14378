package actor

import (
	"context"
	"os"
	"sync"
	"syscall"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

// Terms are the times of an election.
type Terms struct{ LeaseDuration, RenewDeadline, RetryPeriod time.Duration }

// Reference is a candidate of client-go, which holds the stage as an actor does while it leads. Its
// methods are safe for concurrent use.
type Reference struct {
	stage *os.File
	end   context.CancelFunc
	done  chan struct{}

	mutex    sync.Mutex // guards what follows
	elector  *leaderelection.LeaderElector
	term     context.Context // of who is on the stage; nil: not there
	overlaps int
}

// StartReference starts a candidate that stands, again and again, until it resigns or ctx is done.
func StartReference(ctx context.Context, client kubernetes.Interface, namespace, name, identity, stage string, terms Terms) (*Reference, error) {
	file, err := os.OpenFile(stage, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	r := &Reference{stage: file, end: cancel, done: make(chan struct{})}
	r.elector, err = leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
		Lock: &resourcelock.LeaseLock{LeaseMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
			Client: client.CoordinationV1(), LockConfig: resourcelock.ResourceLockConfig{Identity: identity}},
		LeaseDuration: terms.LeaseDuration, RenewDeadline: terms.RenewDeadline, RetryPeriod: terms.RetryPeriod,
		ReleaseOnCancel: true,
		Callbacks:       leaderelection.LeaderCallbacks{OnStartedLeading: r.enter, OnStoppedLeading: r.leave},
	})
	if err != nil {
		cancel()
		return nil, err
	}
	go func() {
		defer close(r.done)
		defer file.Close()
		for ctx.Err() == nil {
			r.elector.Run(ctx)
		}
	}()
	return r, nil
}

// Leading tells whether it is on the stage.
func (r *Reference) Leading() bool {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	return r.term != nil
}

// Leader is who leads, as last seen.
func (r *Reference) Leader() string { return r.elector.GetLeader() }

// Overlaps are the terms that began while another candidate was on the stage.
func (r *Reference) Overlaps() int {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	return r.overlaps
}

// Resign gives the lease back and ends the candidate. The stage goes first, as client-go asks for.
func (r *Reference) Resign() {
	r.leave()
	r.end()
	<-r.done
}

func (r *Reference) enter(term context.Context) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if term.Err() != nil { // over before it began
		return
	}
	if err := syscall.Flock(int(r.stage.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		r.overlaps++
	}
	r.term = term
}

func (r *Reference) leave() {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if r.term != nil {
		_ = syscall.Flock(int(r.stage.Fd()), syscall.LOCK_UN) // cannot fail on an open file
	}
	r.term = nil
}
