// Command record-lab plays the requests of tests/golden/lab (*.http) against a real kube-apiserver
// and writes its answers beside them (*.answers), as tests of `outrigger lab apiserver` compare
// them: without what differs from run to run. -check writes nothing, and fails where the answers
// are not those that are committed.
//
//	OUTRIGGER_CONTROL_PLANE=$(scripts/control-plane | tail -n 1) \
//	  go -C tests run ./support/cmd/record-lab [-check]
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"outrigger.dev/outrigger/tests/support/cluster"
)

const limit = 2 * time.Minute

func main() {
	check := flag.Bool("check", false, "compare with the files, write nothing")
	only := flag.String("only", "", "play only the files whose name has this in it")
	dir := flag.String("dir", "golden/lab", "where the requests are")
	types := flag.String("types", "../src/apiserver/types/kubernetes.types", "the resources that discovery is asked for")
	flag.Parse()
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	if err := run(ctx, *dir, *types, *only, *check); err != nil {
		fmt.Fprintln(os.Stderr, "record-lab:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, dir, types, only string, check bool) (err error) {
	served, err := readServed(types)
	if err != nil {
		return err
	}
	paths, err := filepath.Glob(filepath.Join(dir, "*.http"))
	if err != nil || len(paths) == 0 {
		return fmt.Errorf("no requests in %s (%v)", dir, err)
	}
	temporary, err := os.MkdirTemp("", "outrigger-record-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(temporary)) }()
	c, err := cluster.Start(ctx, temporary, cluster.Options{})
	if err != nil {
		return err
	}
	defer c.Stop()
	player, err := newPlayer(c.Config, served)
	if err != nil {
		return err
	}
	count := 0
	for _, path := range paths {
		if !strings.Contains(filepath.Base(path), only) {
			continue
		}
		answers, recorded, err := record(ctx, player, path)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		count += recorded
		if err := keep(strings.TrimSuffix(path, ".http")+".answers", answers, check); err != nil {
			return err
		}
	}
	fmt.Printf("record-lab: %d requests\n", count)
	return nil
}

func record(ctx context.Context, player *player, path string) (answers []byte, count int, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, 0, err
	}
	sequences, err := parse(string(text))
	if err != nil {
		return nil, 0, err
	}
	var out bytes.Buffer
	subject := strings.TrimSuffix(filepath.Base(path), ".http")
	for _, sequence := range sequences {
		lines, err := player.play(ctx, subject, sequence)
		if err != nil {
			return nil, 0, fmt.Errorf("%s: %w", sequence.name, err)
		}
		for _, line := range lines {
			out.Write(line)
			count++
		}
	}
	return out.Bytes(), count, nil
}

func keep(path string, answers []byte, check bool) error {
	if !check {
		return os.WriteFile(path, answers, 0o644)
	}
	committed, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	want, got := strings.Split(string(committed), "\n"), strings.Split(string(answers), "\n")
	for i := range min(len(want), len(got)) {
		if want[i] != got[i] {
			return fmt.Errorf("%s:%d: committed\n%s\nrecorded\n%s", path, i+1, want[i], got[i])
		}
	}
	if len(want) != len(got) {
		return fmt.Errorf("%s: %d lines committed, %d recorded", path, len(want), len(got))
	}
	return nil
}
