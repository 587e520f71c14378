// Package prometheus runs the real Prometheus for tests, on the loopback address.
package prometheus

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"outrigger.dev/outrigger/tests/support/process"
)

// Options say what a server scrapes.
type Options struct {
	// Targets are "address:port", all in one job "node"; Prometheus makes the label instance of them.
	Targets []string
	// Interval is that of scraping; 0 is one second.
	Interval time.Duration
	// History is a folder of blocks that is taken as the data; the server writes there. Empty: no history.
	History string
	// Args are added to the program's arguments.
	Args []string
}

// Server is a running Prometheus.
type Server struct {
	// URL is where its API is.
	URL string

	spec    process.Spec
	process *process.Process
	killed  bool // on purpose
	port    int
	held    *process.HeldPort // its port, while it is killed
}

// Binary returns the path of prometheus or promtool, which `scripts/setup --prometheus` has unpacked.
func Binary(name string) (string, error) {
	cache := os.Getenv("OUTRIGGER_CACHE")
	if cache == "" {
		user, err := os.UserCacheDir()
		if err != nil {
			return "", err
		}
		cache = filepath.Join(user, "outrigger")
	}
	path := filepath.Join(cache, "prometheus", name)
	if _, err := os.Stat(path); err != nil {
		return "", fmt.Errorf("%s: run scripts/setup --prometheus: %w", name, err)
	}
	return path, nil
}

// ForTest starts a server that lives as long as the test, which fails if the server ended before. Its log
// is <logDir>/prometheus.log.
func ForTest(t testing.TB, logDir string, options Options) *Server {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), process.Patience)
	defer cancel()
	s, err := Start(ctx, t.TempDir(), logDir, options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.process.ExitError(); err != nil && !s.killed {
			t.Errorf("Prometheus did not live to the end of the test: %v", err)
		}
		s.Kill()
	})
	return s
}

// Start starts a server with its files in dir and waits until it is ready. The caller kills it. It scrapes
// for the first time five seconds later, which is how often Prometheus takes new targets.
func Start(ctx context.Context, dir, logDir string, options Options) (*Server, error) {
	binary, err := Binary("prometheus")
	if err != nil {
		return nil, err
	}
	config := filepath.Join(dir, "prometheus.yml")
	if err := os.WriteFile(config, configOf(options), 0o644); err != nil {
		return nil, err
	}
	data := options.History
	if data == "" {
		data = filepath.Join(dir, "data")
	}
	for range 3 { // a free port may be taken before it is used
		var s *Server
		if s, err = startOnce(ctx, binary, config, data, logDir, options.Args); err == nil {
			return s, nil
		}
		if ctx.Err() != nil {
			break
		}
	}
	return nil, err
}

// Kill ends the server as a crash would.
func (s *Server) Kill() {
	s.killed = true
	s.process.Kill()
	s.held.Release()
	s.held, _ = process.HoldPort(s.port) // as far as it can be held
}

// Restart starts the server again after Kill, where it was and with the data that it had.
func (s *Server) Restart(ctx context.Context) error {
	if err := s.run(ctx); err != nil {
		return err
	}
	s.killed = false
	return nil
}

// run starts the process and waits until it is ready.
func (s *Server) run(ctx context.Context) (err error) {
	s.held.Release()
	if s.process, err = process.Start(s.spec); err != nil {
		return err
	}
	if err := s.awaitReady(ctx); err != nil {
		s.process.Kill()
		return err
	}
	return nil
}

// Query returns the value of each series of an instant query, by its label instance.
func (s *Server) Query(ctx context.Context, query string) (map[string]string, error) {
	var answer struct {
		Status string `json:"status"`
		Error  string `json:"error"`
		Data   struct {
			Result []struct {
				Metric map[string]string `json:"metric"`
				Value  [2]any            `json:"value"`
			} `json:"result"`
		} `json:"data"`
	}
	text, err := get(ctx, s.URL+"/api/v1/query?query="+url.QueryEscape(query))
	if err != nil {
		return nil, fmt.Errorf("query %s: %w", query, err)
	}
	if err := json.Unmarshal(text, &answer); err != nil || answer.Status != "success" {
		return nil, fmt.Errorf("query %s: %s %v", query, text, err)
	}
	values := map[string]string{}
	for _, series := range answer.Data.Result {
		values[series.Metric["instance"]], _ = series.Value[1].(string)
	}
	return values, nil
}

func startOnce(ctx context.Context, binary, config, data, logDir string, args []string) (*Server, error) {
	port, err := process.FreePort()
	if err != nil {
		return nil, err
	}
	address := fmt.Sprintf("127.0.0.1:%d", port)
	s := &Server{URL: "http://" + address, port: port, spec: process.Spec{Name: "prometheus", Path: binary, LogDir: logDir,
		Args: append([]string{"--config.file=" + config, "--storage.tsdb.path=" + data,
			"--web.listen-address=" + address, "--storage.tsdb.retention.time=1000d", "--log.level=warn"}, args...)}}
	return s, s.run(ctx)
}

func (s *Server) awaitReady(ctx context.Context) error {
	for {
		_, err := get(ctx, s.URL+"/-/ready")
		if err == nil && s.process.Running() { // another one's port would answer, too
			return nil
		}
		if exit := s.process.ExitError(); exit != nil {
			return exit
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("Prometheus is not ready: %w; end of its log:\n%s", err, s.process.LogTail(20))
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func get(ctx context.Context, address string) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s", response.Status, body)
	}
	return body, err
}

func configOf(options Options) []byte {
	interval := options.Interval
	if interval == 0 {
		interval = time.Second
	}
	var text strings.Builder
	fmt.Fprintf(&text, "global: {scrape_interval: %[1]s, scrape_timeout: %[1]s}\n", milliseconds(interval))
	if len(options.Targets) > 0 {
		fmt.Fprintf(&text, "scrape_configs:\n- job_name: node\n  static_configs:\n  - targets: ['%s']\n",
			strings.Join(options.Targets, "', '"))
	}
	return []byte(text.String())
}

func milliseconds(d time.Duration) string { return fmt.Sprintf("%dms", d.Milliseconds()) }
