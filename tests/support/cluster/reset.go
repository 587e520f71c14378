package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"outrigger.dev/outrigger/tests/support/kube"
	"outrigger.dev/outrigger/tests/support/process"
)

// own are keys in etcd that kube-apiserver may write by itself at any time.
var own = []string{
	"/registry/apiregistration.k8s.io/apiservices/", "/registry/masterleases/", "/registry/ranges/",
	"/registry/leases/kube-system/apiserver-", "/registry/services/", "/registry/endpointslices/default/kubernetes",
	"/registry/namespaces/default", "/registry/namespaces/kube-",
	"/registry/configmaps/kube-system/extension-apiserver-authentication",
	"/registry/configmaps/kube-system/kube-apiserver-legacy-service-account-token-tracking",
	"/registry/flowschemas/", "/registry/prioritylevelconfigurations/", "/registry/clusterroles/system:",
	"/registry/clusterrolebindings/system:",
	"/registry/roles/kube-public/", "/registry/roles/kube-system/system:",
	"/registry/roles/kube-system/extension-apiserver-authentication-reader",
	"/registry/rolebindings/kube-public/", "/registry/rolebindings/kube-system/system:",
	"/registry/priorityclasses/system-", "/registry/validatingadmissionpolic",
}

// start is what a cluster has before its first test.
type start struct {
	keys   []string // in etcd
	groups []string // that kube-apiserver serves
}

func (c *Cluster) state(ctx context.Context) (start, error) {
	etcd, err := c.etcdClient()
	if err != nil {
		return start{}, err
	}
	defer etcd.Close()
	keys, err := c.keys(ctx, etcd)
	if err != nil {
		return start{}, err
	}
	groups, err := c.groups()
	return start{keys, groups}, err
}

// reset removes what came since the cluster was in state first: objects, past kube-apiserver and without
// the finalizers' leave, and files. It waits until kube-apiserver serves the state again.
func (c *Cluster) reset(ctx context.Context, first start) error {
	if c.etcd == nil || c.server == nil {
		return errors.New("the test has stopped the control plane")
	}
	etcd, err := c.etcdClient()
	if err != nil {
		return err
	}
	defer etcd.Close()
	for {
		removed, err := c.remove(ctx, etcd, first)
		if err != nil {
			return err
		}
		if removed == 0 {
			break // until then a call of a program that the test has killed may still have been under way
		}
	}
	if err := c.removeFiles(); err != nil {
		return err
	}
	return kube.Eventually(ctx, process.Patience, func(ctx context.Context) error { return c.serves(ctx, first) })
}

// remove removes what is not in first, and returns how much that was.
func (c *Cluster) remove(ctx context.Context, etcd *clientv3.Client, first start) (removed int, err error) {
	keys, err := c.keys(ctx, etcd)
	if err != nil {
		return 0, err
	}
	for _, key := range first.keys {
		if _, found := slices.BinarySearch(keys, key); !found {
			return 0, fmt.Errorf("the test has removed %s", key)
		}
	}
	for _, key := range keys {
		if _, found := slices.BinarySearch(first.keys, key); found {
			continue
		}
		if strings.HasPrefix(key, "/registry/mutatingadmissionpolicies/") {
			// Up to 1.37 its informer of a policy's parameters ends with the last policy, and is not begun again.
			return 0, fmt.Errorf("kube-apiserver would not read parameters again after %s", key)
		}
		if _, err := etcd.Delete(ctx, key); err != nil {
			return 0, fmt.Errorf("remove %s: %w", key, err)
		}
		removed++
	}
	return removed, nil
}

// serves is an error while kube-apiserver's caches have objects of a test.
func (c *Cluster) serves(ctx context.Context, first start) error {
	groups, err := c.groups()
	if err != nil {
		return err
	}
	if !slices.Equal(groups, first.groups) {
		return fmt.Errorf("served are %v, not %v", groups, first.groups)
	}
	cached := metav1.ListOptions{ResourceVersion: "0"}
	pods, err := c.Client.CoreV1().Pods("").List(ctx, cached)
	if err != nil {
		return err
	}
	nodes, err := c.Client.CoreV1().Nodes().List(ctx, cached)
	if err != nil {
		return err
	}
	accounts, err := c.Client.CoreV1().ServiceAccounts("").List(ctx, cached)
	if err != nil {
		return err
	}
	classes, err := c.Client.SchedulingV1().PriorityClasses().List(ctx, cached)
	if err != nil {
		return err
	}
	left := len(pods.Items) + len(nodes.Items) + len(accounts.Items)
	for _, class := range classes.Items {
		if !strings.HasPrefix(class.Name, "system-") {
			left++
		}
	}
	if left > 0 {
		return fmt.Errorf("%d objects of the test before are there", left)
	}
	return nil
}

// passing are keys that come and go, or come late.
var passing = []string{"/registry/events/", "/registry/peerserverleases/", "/registry/ipaddresses/", "/registry/servicecidrs/"}

// Objects returns what etcd has of each object, by its key without "/registry/" ("pods/default/p"), but of Events, and of
// what kube-apiserver may write by itself at any time.
func (c *Cluster) Objects(ctx context.Context) (map[string]string, error) {
	etcd, err := c.etcdClient()
	if err != nil {
		return nil, err
	}
	defer etcd.Close()
	answer, err := etcd.Get(ctx, "/registry/", clientv3.WithPrefix())
	if err != nil {
		return nil, fmt.Errorf("objects of etcd: %w", err)
	}
	objects := map[string]string{}
	for _, pair := range answer.Kvs {
		key, text := string(pair.Key), string(pair.Value)
		switch {
		case strings.HasPrefix(key, "/registry/flowschemas/"), strings.HasPrefix(key, "/registry/apiextensions.k8s.io/"):
			text = "" // kube-apiserver updates these, too
		case isOwn(key) || slices.ContainsFunc(passing, func(prefix string) bool { return strings.HasPrefix(key, prefix) }):
			continue
		}
		objects[strings.TrimPrefix(key, "/registry/")] = text
	}
	return objects, nil
}

func isOwn(key string) bool {
	return slices.ContainsFunc(own, func(prefix string) bool { return strings.HasPrefix(key, prefix) })
}

func (c *Cluster) etcdClient() (*clientv3.Client, error) {
	return clientv3.New(clientv3.Config{Endpoints: []string{c.EtcdURL()}, DialTimeout: time.Minute, Logger: zap.NewNop()})
}

// keys returns the sorted keys of all objects but kube-apiserver's own.
func (c *Cluster) keys(ctx context.Context, etcd *clientv3.Client) ([]string, error) {
	answer, err := etcd.Get(ctx, "/registry/", clientv3.WithPrefix(), clientv3.WithKeysOnly())
	if err != nil {
		return nil, fmt.Errorf("keys of etcd: %w", err)
	}
	var keys []string
	for _, pair := range answer.Kvs {
		key := string(pair.Key)
		if !isOwn(key) {
			keys = append(keys, key)
		}
	}
	return keys, nil
}

// groups returns the names and versions of the API groups that are served, sorted.
func (c *Cluster) groups() ([]string, error) {
	list, err := c.Client.Discovery().ServerGroups()
	if err != nil {
		return nil, err
	}
	var names []string
	for _, group := range list.Groups {
		for _, version := range group.Versions {
			names = append(names, version.GroupVersion)
		}
	}
	slices.Sort(names)
	return names, nil
}

// removeFiles leaves what the cluster itself has in its folder.
func (c *Cluster) removeFiles() error {
	keep := []string{c.dataDir(), c.certDir(), c.tokenFile(), c.signingKey(), c.LogDir(),
		c.etcd.LogPath, c.server.LogPath}
	var failures []error
	for _, dir := range []string{c.Dir, c.LogDir()} {
		entries, err := os.ReadDir(dir)
		failures = append(failures, err)
		for _, entry := range entries {
			if path := filepath.Join(dir, entry.Name()); !slices.Contains(keep, path) {
				failures = append(failures, os.RemoveAll(path))
			}
		}
	}
	return errors.Join(failures...)
}
