package containers

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// probe asks once, as a kubelet does: from the node, at the pod's address.
func (p *Pod) probe(ctx context.Context, container corev1.Container, probe *corev1.Probe) error {
	ctx, cancel := context.WithTimeout(ctx, time.Duration(max(probe.TimeoutSeconds, 1))*time.Second)
	defer cancel()
	get := probe.HTTPGet
	if get == nil {
		return fmt.Errorf("probe of %s: only httpGet is imitated", container.Name)
	}
	port, err := portOf(container, get.Port)
	if err != nil {
		return err
	}
	scheme := "http"
	if get.Scheme == corev1.URISchemeHTTPS {
		scheme = "https"
	}
	url := scheme + "://" + net.JoinHostPort(or(get.Host, p.network.ip), strconv.Itoa(port)) + get.Path
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	response, err := prober.Do(request)
	if err != nil {
		return err
	}
	response.Body.Close()
	if response.StatusCode < 200 || response.StatusCode >= 400 {
		return fmt.Errorf("HTTP probe failed with statuscode: %d", response.StatusCode)
	}
	return nil
}

var prober = http.Client{Transport: &http.Transport{
	DisableKeepAlives: true, TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}

func portOf(container corev1.Container, wanted intstr.IntOrString) (int, error) {
	if wanted.Type == intstr.Int {
		return int(wanted.IntVal), nil
	}
	for _, port := range container.Ports {
		if port.Name == wanted.StrVal {
			return int(port.ContainerPort), nil
		}
	}
	return 0, fmt.Errorf("container %s has no port named %s", container.Name, wanted.StrVal)
}

// untilPasses asks until the answer is good, as often as the probe allows. Ours comes sooner than a kubelet's, which
// would make each test wait for a period.
func (p *Pod) untilPasses(ctx context.Context, container corev1.Container, probe *corev1.Probe) error {
	limit := time.Duration(probe.InitialDelaySeconds+probe.PeriodSeconds*probe.FailureThreshold) * time.Second
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	var last error
	for {
		err := p.probe(ctx, container, probe)
		if err == nil {
			return nil
		}
		if ctx.Err() == nil || last == nil {
			last = err
		}
		select {
		case <-tick.C:
		case <-p.ended(container.Name):
			return p.exitError(container.Name)
		case <-ctx.Done():
			return fmt.Errorf("container %s failed its probe: %w", container.Name, last)
		}
	}
}
