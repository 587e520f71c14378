package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"outrigger.dev/outrigger/tests/bench/front/replay"
	"outrigger.dev/outrigger/tests/support/process"
)

// floor is the program of that name: it receives the calls that ours gets, walks them, and sends an
// answer that was prepared before. What it takes is what the machine takes, and not ours to answer for.
type floor struct {
	*checkedClient
	process *process.Process
}

// startFloor starts it with the answer that it shall give to body.
func startFloor(binary, dir string, body, answer []byte) (*floor, error) {
	answerFile, portFile := filepath.Join(dir, "floor-answer"), filepath.Join(dir, "floor-port")
	if err := os.WriteFile(answerFile, answer, 0o600); err != nil {
		return nil, err
	}
	started, err := process.Start(process.Spec{Name: "floor", Path: binary, LogDir: dir,
		Args: []string{"--answer", answerFile, "--port-file", portFile}})
	if err != nil {
		return nil, err
	}
	f := &floor{process: started}
	if f.checkedClient, err = dialFloor(portFile, body, len(answer)); err != nil {
		f.process.Kill()
		return nil, fmt.Errorf("floor: %w", err)
	}
	return f, nil
}

func dialFloor(portFile string, body []byte, length int) (*checkedClient, error) {
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		var listens struct{ Port int }
		text, err := os.ReadFile(portFile)
		if err == nil && json.Unmarshal(text, &listens) == nil {
			client, err := replay.Dial(fmt.Sprintf("127.0.0.1:%d", listens.Port), "/floor", body)
			return &checkedClient{client: client, length: length}, err
		}
		if time.Now().After(deadline) {
			return nil, fmt.Errorf("no port in %s", portFile)
		}
	}
}

func (f *floor) stop() {
	f.Close()
	f.process.Kill()
}
