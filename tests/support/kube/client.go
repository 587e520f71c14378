// Package kube holds small helpers around client-go for tests: clients, builders that are valid by
// default, waits with deadlines, and a record of every binding.
package kube

import (
	"fmt"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// NewClient returns a client that is not slowed down by client-go's own rate limit.
func NewClient(config *rest.Config) (kubernetes.Interface, error) {
	config = rest.CopyConfig(config)
	config.QPS, config.Burst = 10_000, 10_000
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("kube client for %s: %w", config.Host, err)
	}
	return client, nil
}
