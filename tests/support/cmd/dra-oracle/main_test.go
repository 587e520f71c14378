package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// answerAs makes this test binary a program that answers: it takes upstream's answers and spoils those
// of one case by the deed of this name.
const answerAs = "OUTRIGGER_DRA_ORACLE_TEST_DEED"

func TestMain(m *testing.M) {
	if deed := os.Getenv(answerAs); deed != "" {
		answer(deed)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// few are answered cases, among them spoiledCase.
var few = sync.OnceValue(func() []*testCase {
	u, cases := newUpstream(), shareCases()
	for _, each := range cases {
		must(u.answer(each))
	}
	return cases
})

// spoiledCase fits on n1 with a consumed capacity and a node selector, and does not fit on n2.
const spoiledCase = "share-held"

func answer(deed string) {
	for _, each := range few() {
		if each.ID == spoiledCase {
			deeds[deed](each.Expect)
		}
		text, err := line(each.Expect)
		must(err)
		if deed == "CapacityInOtherWords" {
			text = bytes.ReplaceAll(text, []byte(`"4Gi"`), []byte(`"4096Mi"`))
		}
		fmt.Printf("%s\n", text)
		if each.ID == spoiledCase && deed == "OneLineMore" {
			fmt.Println("{}")
		}
	}
}

var deeds = map[string]func(map[string]*outcome){
	"None":        func(map[string]*outcome) {},
	"OneLineMore": func(map[string]*outcome) {},
	"Unsure":      func(e map[string]*outcome) { e["n1"] = &outcome{Unsure: "not known"} },
	"Misfit":      func(e map[string]*outcome) { e["n1"] = e["n2"] },
	"Fit":         func(e map[string]*outcome) { e["n2"] = e["n1"] },
	"Error":       func(e map[string]*outcome) { e["n2"] = &outcome{Error: "because"} },
	"NodeMissing": func(e map[string]*outcome) { delete(e, "n2") },
	"NodeTooMany": func(e map[string]*outcome) { e["n3"] = e["n2"] },
	"Device":      func(e map[string]*outcome) { e["n1"].Allocations[0].Devices.Results[0].Device = "g7" },
	"Request":     func(e map[string]*outcome) { e["n1"].Allocations[0].Devices.Results[0].Request = "r/s" },
	"Share":       func(e map[string]*outcome) { e["n1"].Allocations[0].Devices.Results[0].ShareID = nil },
	"Admin":       func(e map[string]*outcome) { asAdminResult(e["n1"]) },
	"Capacity": func(e map[string]*outcome) {
		e["n1"].Allocations[0].Devices.Results[0].ConsumedCapacity["memory"] = resource.MustParse("5Gi")
	},
	"CapacityInOtherWords": func(map[string]*outcome) {}, // in the text: a quantity has one form
	"FitOfNothing": func(e map[string]*outcome) {
		yes := true
		e["n2"] = &outcome{Fits: &yes}
	},
	"Selector":    func(e map[string]*outcome) { e["n1"].Allocations[0].NodeSelector = nil },
	"Config":      func(e map[string]*outcome) { configured(e["n1"]) },
	"ClaimTwice":  func(e map[string]*outcome) { twice(e["n1"]) },
	"ResultTwice": func(e map[string]*outcome) { resultTwice(e["n1"]) },
}

func program(t *testing.T, deed string) string {
	t.Helper()
	t.Setenv(answerAs, deed)
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func TestAnswersOfUpstreamAgree(t *testing.T) {
	for _, deed := range []string{"None", "CapacityInOtherWords"} {
		file := filepath.Join(t.TempDir(), "differ")
		if !compare(few(), program(t, deed), file) {
			t.Errorf("%s: an answer differs", deed)
		}
		if _, err := os.Stat(file); err == nil {
			t.Errorf("%s: a file of different answers was written", deed)
		}
	}
}

func TestEveryWrongAnswerIsSeenAndItsCaseWritten(t *testing.T) {
	for deed := range deeds {
		switch deed {
		case "None", "Unsure", "OneLineMore", "CapacityInOtherWords":
			continue
		}
		t.Run(deed, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "differ")
			if compare(few(), program(t, deed), file) {
				t.Fatal("the answer passes")
			}
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var other struct {
				ID     string
				Differ []string
			}
			if err := json.Unmarshal(bytes.Split(text, []byte("\n"))[0], &other); err != nil || other.ID != spoiledCase ||
				len(other.Differ) != 1 || bytes.Count(text, []byte("\n")) != 1 {
				t.Errorf("%v: %s", err, text)
			}
		})
	}
}

func TestAnswerForEachCaseIsNeeded(t *testing.T) {
	if _, err := askProgram(few(), program(t, "OneLineMore")); err == nil ||
		!strings.Contains(err.Error(), "answered") {
		t.Errorf("%v", err)
	}
}

func TestUnsureNeverAgreesAndHasALimit(t *testing.T) {
	cases := few()
	answers, err := askProgram(cases, program(t, "Unsure"))
	if err != nil {
		t.Fatal(err)
	}
	counts, others, err := judge(cases, answers)
	if err != nil || counts.unsure != 1 || len(others) != 0 || !counts.good() {
		t.Errorf("%v, %v, %v", counts, others, err)
	}
	var one []*testCase
	var line [][]byte
	for i, each := range cases {
		if each.ID == spoiledCase {
			one, line = append(one, each), append(line, answers[i])
		}
	}
	if counts, _, err := judge(one, line); err != nil || counts.good() || counts.fits != 0 || counts.misfit != 1 {
		t.Errorf("%v, %v", counts, err)
	}
}

func TestSameSeedMakesSameCases(t *testing.T) {
	u := newUpstream()
	first, second := encode(u.random(3, 64)), encode(newUpstream().random(3, 64))
	if !bytes.Equal(first, second) {
		t.Error("two runs differ")
	}
	if bytes.Equal(first, encode(u.random(4, 64))) {
		t.Error("the seed does not count")
	}
}

func TestCasesMadeByHandHaveNamesOfTheirOwn(t *testing.T) {
	seen := map[string]bool{}
	for _, each := range handCases() {
		if seen[each.ID] || each.Why == "" {
			t.Errorf("%s: twice, or without a reason", each.ID)
		}
		seen[each.ID] = true
	}
}

func TestFeaturesAreThoseOfTheScheduler(t *testing.T) {
	// What the cases rely on; upstream may switch on more.
	f := newUpstream().features
	if !f.AdminAccess || !f.PrioritizedList || !f.PartitionableDevices || !f.DeviceTaints || !f.DeviceBindingAndStatus ||
		!f.ConsumableCapacity {
		t.Errorf("%+v", f)
	}
}

func TestUpstreamHasNoSingleAnswerIfTheOrderCounts(t *testing.T) {
	u := newUpstream()
	part := func(node string, number int64, has, needs string) []*resourceapi.ResourceSlice {
		return []*resourceapi.ResourceSlice{
			slice(on(node), named(node+"-counters"), generation(number), outOf(2), counters("card", "m", has)),
			slice(on(node), named(node+"-devices"), generation(number), outOf(2), device("g", uses("card", "m", needs)))}
	}
	old, recent := part("n1", 1, "1", "1"), part("n2", 2, "3", "3")
	for _, made := range []*testCase{
		handCase("slices", "the first slice says how many there are",
			pool("p", slice(on("n1"), named("b"), outOf(2), device("g0")), slice(on("n1"), named("a"), outOf(1), device("g1"))),
			claim("c", exactly("r", 1))),
		handCase("nodes", "an allocator keeps the counters of a pool, which n1 sees in an older generation",
			pool("p", slices.Concat(old, recent)...),
			claim("c", exactly("r", 1))),
	} {
		if err := u.answer(made); !errors.Is(err, errLeftOut) || made.Expect != nil {
			t.Errorf("%s: %v", made.ID, err)
		}
	}
}

func asAdminResult(o *outcome) {
	yes := true
	o.Allocations[0].Devices.Results[0].AdminAccess = &yes
}

func configured(o *outcome) {
	o.Allocations[0].Devices.Config = []resourceapi.DeviceAllocationConfiguration{{DeviceConfiguration: opaque(gpuDriver, "no")}}
}

func twice(o *outcome) { o.Allocations = append(o.Allocations, o.Allocations[0]) }

func resultTwice(o *outcome) {
	results := &o.Allocations[0].Devices.Results
	*results = append(*results, (*results)[0])
}
