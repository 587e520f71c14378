package main

import (
	"bytes"
	"debug/buildinfo"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"

	"outrigger.dev/outrigger/tests/bench/sheet"
)

// Machine is what figures depend on besides the code.
type Machine struct {
	CPU       string `json:"cpu"`
	Cores     int    `json:"cores"`
	Kernel    string `json:"kernel"`
	Load      string `json:"load"`      // of the minute before the run: figures from a busy machine are noise
	LoadAfter string `json:"loadAfter"` // of the last minute of the run, which itself makes 1 to 2
	Go        string `json:"go"`        // that built the Go extender
	Outrigger string `json:"outrigger"` // the first line of its --version
}

// String is the machine as one line.
func (m Machine) String() string {
	return fmt.Sprintf("%s, %d cores, Linux %s, load %s before and %s after; Go extender: %s; ours: %s",
		m.CPU, m.Cores, m.Kernel, m.Load, m.LoadAfter, m.Go, m.Outrigger)
}

// machine describes this one. What cannot be found out is "unknown".
func machine(o options) Machine {
	m := Machine{CPU: "unknown", Cores: runtime.NumCPU(), Kernel: "unknown", Load: sheet.Load(),
		Go: "unknown", Outrigger: "unknown"}
	if text, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		for line := range strings.Lines(string(text)) {
			if key, value, found := strings.Cut(line, ":"); found && strings.TrimSpace(key) == "model name" {
				m.CPU = strings.TrimSpace(value)
				break
			}
		}
	}
	if text, err := os.ReadFile("/proc/sys/kernel/osrelease"); err == nil {
		m.Kernel = strings.TrimSpace(string(text))
	}
	if info, err := buildinfo.ReadFile(o.goExtender); err == nil {
		m.Go = info.GoVersion
		for _, module := range info.Deps {
			if module.Path == "k8s.io/kube-scheduler" {
				version := module.Version
				if module.Replace != nil {
					version = module.Replace.Version
				}
				m.Go += ", " + module.Path + " " + version
			}
		}
	}
	if o.againstSelf {
		m.Outrigger = "the Go extender again"
	} else if text, err := exec.Command(o.outrigger, "--version").Output(); err == nil {
		first, _, _ := bytes.Cut(text, []byte("\n"))
		m.Outrigger = strings.TrimSpace(string(first))
	}
	return m
}
