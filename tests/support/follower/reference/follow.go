// Package reference is a follower made for being right, not fast: it lists again after every
// disturbance. Tests of followers are tested with it.
package reference

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"outrigger.dev/outrigger/tests/support/follower"
)

// limits are how long a watch may be silent before it is opened again, and how long a resource may
// not be heard of before it is not to be trusted.
type limits struct{ silence, staleness time.Duration }

type reference struct {
	kubeconfig  string
	pause       time.Duration // after a failure
	contentType string        // of what is read
	nodes       *resource
	pods        *resource

	mutex                   sync.Mutex
	events, lists, watching int64
}

func newReference(kubeconfig string, limit limits) *reference {
	return &reference{kubeconfig: kubeconfig, contentType: runtime.ContentTypeProtobuf, nodes: nodes(limit), pods: pods(limit)}
}

// follow follows one resource until ctx ends.
func (f *reference) follow(ctx context.Context, r *resource) {
	for ctx.Err() == nil {
		err := f.once(ctx, r)
		f.mutex.Lock()
		r.failure = err
		f.mutex.Unlock()
		select {
		case <-ctx.Done():
		case <-time.After(f.pause):
		}
	}
}

// once lists and watches until something fails.
func (f *reference) once(ctx context.Context, r *resource) error {
	client, err := f.client()
	if err != nil {
		return err
	}
	if err := f.listOnce(ctx, client, r); err != nil {
		return err
	}
	for {
		if err := f.watchOnce(ctx, client, r); err != nil {
			return err
		}
	}
}

func (f *reference) listOnce(ctx context.Context, client kubernetes.Interface, r *resource) error {
	ctx, cancel := context.WithTimeout(ctx, r.limit.staleness)
	defer cancel()
	began := time.Now()
	list, err := r.list(ctx, client, metav1.ListOptions{})
	if err != nil {
		return err
	}
	f.mutex.Lock()
	defer f.mutex.Unlock()
	f.lists++
	r.fresh, r.failure = began, nil
	return r.replace(list)
}

// watchOnce watches until the watch falls silent, which is no error, or ends.
func (f *reference) watchOnce(ctx context.Context, client kubernetes.Interface, r *resource) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	opening := time.AfterFunc(r.limit.silence, cancel)
	watcher, err := r.watch(ctx, client, metav1.ListOptions{ResourceVersion: r.version, AllowWatchBookmarks: true})
	if !opening.Stop() {
		return errors.New("the watch is not answered")
	}
	if err != nil {
		return err
	}
	defer watcher.Stop()
	f.heard(r)
	silence := time.NewTimer(r.limit.silence)
	defer silence.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-silence.C:
			return nil
		case event, open := <-watcher.ResultChan():
			if !open {
				return errors.New("the watch has ended")
			}
			silence.Reset(r.limit.silence)
			f.mutex.Lock()
			f.events++
			r.fresh = time.Now()
			err := r.apply(event)
			f.mutex.Unlock()
			if err != nil {
				return err
			}
		}
	}
}

func (f *reference) heard(r *resource) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	f.watching++
	r.fresh = time.Now()
}

// client reads the kubeconfig and its files anew: they may have been replaced.
func (f *reference) client() (kubernetes.Interface, error) {
	config, err := clientcmd.BuildConfigFromFlags("", f.kubeconfig)
	if err != nil {
		return nil, err
	}
	if config.CAFile != "" {
		if config.CAData, err = os.ReadFile(config.CAFile); err != nil {
			return nil, fmt.Errorf("authority: %w", err)
		}
		config.CAFile = ""
	}
	config.ContentType, config.QPS = f.contentType, -1
	// HTTP/2 multiplexes: a watch that hangs would take the lists with it.
	config.TLSClientConfig.NextProtos = []string{"http/1.1"}
	config.WarningHandler = rest.NoWarnings{}
	return kubernetes.NewForConfig(config)
}

func (f *reference) dump() follower.Dump {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	nodes, pods := state(f.nodes, f.pods)
	return follower.DumpOf(&follower.State{Nodes: nodes, Pods: pods})
}

func (f *reference) ready() follower.Readiness {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	readiness := follower.Readiness{Reasons: []string{}}
	for _, r := range []*resource{f.nodes, f.pods} {
		if why := r.why(time.Now()); why != "" {
			readiness.Reasons = append(readiness.Reasons, why)
		}
	}
	readiness.Ready = len(readiness.Reasons) == 0
	return readiness
}
