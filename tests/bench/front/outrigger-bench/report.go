package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"outrigger.dev/outrigger/tests/bench/bodies"
	"outrigger.dev/outrigger/tests/bench/front/replay"
	"outrigger.dev/outrigger/tests/bench/sheet"
)

// Report is a whole run, as bench.json has it.
type Report struct {
	Machine Machine `json:"machine"`
	Partial bool    `json:"partial"` // a run whose figures decide nothing
	Rows    []Row   `json:"rows"`
	Held    *Held   `json:"held,omitempty"`
	// Rejected is safe's filter where it does not let every node pass.
	Rejected *Rejected `json:"rejected,omitempty"`
	Idle     *Idle     `json:"idle,omitempty"`
	Startup  *Startup  `json:"startup,omitempty"`
	// Sections are what other benchmarks have measured, beside this one.
	Sections []sheet.Section `json:"sections,omitempty"`
	Targets  []Verdict       `json:"targets"`
}

// Row is one case.
type Row struct {
	Nodes       int         `json:"nodes"`
	Form        bodies.Form `json:"form"`
	Verb        replay.Verb `json:"verb"`
	BodyBytes   int         `json:"bodyBytes"`
	AnswerBytes int         `json:"answerBytes"` // of ours, and of the floor
	// Server is the raw client's view: first byte sent to last byte received.
	Server ServerFigures `json:"server"`
	// Whole is the scheduler's view: its whole call, its own JSON work included.
	Whole WholeFigures `json:"whole"`
}

// ServerFigures hold the servers side by side.
type ServerFigures struct {
	Go    Figures `json:"go"`
	Ours  Figures `json:"ours"`
	Floor Figures `json:"floor"`
	// Medians of the floor's two parts: receiving and sending without a look at the bytes, and
	// walking bytes that are in memory already.
	ReceiveOnlyMS float64 `json:"receiveOnlyMs"`
	ParseOnlyMS   float64 `json:"parseOnlyMs"`

	GoByOurs       float64 `json:"goByOurs"`       // medians: above 1, ours is faster
	OursByFloor    float64 `json:"oursByFloor"`    // medians
	FloorBySum     float64 `json:"floorBySum"`     // the floor by the sum of its parts
	GoByOursCPU    float64 `json:"goByOursCpu"`    // processor time: steadier on a busy machine
	OursByFloorCPU float64 `json:"oursByFloorCpu"` // processor time
}

// compare fills in the ratios.
func (s *ServerFigures) compare() {
	s.GoByOurs = times(s.Go.MedianMS, s.Ours.MedianMS)
	s.OursByFloor = times(s.Ours.MedianMS, s.Floor.MedianMS)
	s.FloorBySum = times(s.Floor.MedianMS, s.ReceiveOnlyMS+s.ParseOnlyMS)
	s.GoByOursCPU = times(s.Go.CPUCallMS, s.Ours.CPUCallMS)
	s.OursByFloorCPU = times(s.Ours.CPUCallMS, s.Floor.CPUCallMS)
}

// WholeFigures hold two servers side by side.
type WholeFigures struct {
	Go       Figures `json:"go"`
	Ours     Figures `json:"ours"`
	GoByOurs float64 `json:"goByOurs"`
}

// Figures are what one server showed in one case.
type Figures struct {
	Calls     int     `json:"calls"`
	MedianMS  float64 `json:"medianMs"`
	P99MS     float64 `json:"p99Ms"` // the slowest where there are fewer than 100 calls
	MinMS     float64 `json:"minMs"`
	CPUCallMS float64 `json:"cpuPerCallMs"` // of the server process, user and system
	PeakMiB   float64 `json:"peakMiB"`      // resident (VmHWM), since the process began
}

// Held is names-only calls before and while binds wait and idle connections are open.
type Held struct {
	Nodes int         `json:"nodes"`
	Binds int         `json:"binds"`
	Idle  int         `json:"idleConnections"`
	Quiet HeldFigures `json:"quiet"`
	Busy  HeldFigures `json:"busy"`
}

// HeldFigures are those of both verbs.
type HeldFigures struct {
	Filter     Figures `json:"filter"`
	Prioritize Figures `json:"prioritize"`
}

// Rejected is names-only filter calls of which some nodes do not fit, each with its reason.
type Rejected struct {
	Nodes       int     `json:"nodes"`
	Rejected    int     `json:"rejected"` // of these
	AnswerBytes int     `json:"answerBytes"`
	Filter      Figures `json:"filter"`
}

// Idle is what a server costs that nobody calls.
type Idle struct {
	Connections int     `json:"connections"` // open ones
	Seconds     float64 `json:"seconds"`
	CPUMS       float64 `json:"cpuMs"`
	CPUPercent  float64 `json:"cpuPercent"` // of a core
}

// Startup is the time from the start of the process to a 200 of /readyz.
type Startup struct {
	Starts    int     `json:"starts"`
	MedianMS  float64 `json:"medianMs"`
	SlowestMS float64 `json:"slowestMs"`
}

// times is how many times larger a is than b; 0 when nothing was measured.
func times(a, b float64) float64 {
	if b <= 0 {
		return 0
	}
	return a / b
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// Write makes file, and the folders it lies in, as JSON.
func (r *Report) Write(file string) error {
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, append(text, '\n'), 0o644)
}

// addSection takes what another benchmark has measured from the file that it wrote.
func (r *Report) addSection(file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var other struct {
		Section sheet.Section `json:"section"`
	}
	if err := json.Unmarshal(text, &other); err != nil || other.Section.Heading == "" {
		return fmt.Errorf("%s has no section: %w", file, errors.Join(errors.New("want {\"section\": {\"heading\": ...}}"), err))
	}
	r.Sections = append(r.Sections, other.Section)
	return nil
}
