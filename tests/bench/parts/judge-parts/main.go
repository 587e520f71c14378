// Command judge-parts holds the figures of outrigger_bench_parts against what is asked of the planner and
// of the agents.
//
// Exit status: 0 when every target is met, 1 when one is missed or was not measured, 2 for wrong usage.
package main

import (
	"encoding/json"
	"fmt"
	"os"

	"outrigger.dev/outrigger/tests/bench/sheet"
)

// parts are the times of Google Benchmark, in ms, by the benchmark's name.
type parts map[string]float64

var toMilliseconds = map[string]float64{"ns": 1e-6, "us": 1e-3, "ms": 1, "s": 1e3}

func read(data []byte) (parts, error) {
	var file struct {
		Benchmarks []struct {
			Name    string  `json:"name"`
			RunType string  `json:"run_type"`
			CPUTime float64 `json:"cpu_time"`
			Unit    string  `json:"time_unit"`
			Failed  bool    `json:"error_occurred"`
		} `json:"benchmarks"`
	}
	if err := json.Unmarshal(data, &file); err != nil {
		return nil, err
	}
	times := parts{}
	for _, b := range file.Benchmarks {
		factor, known := toMilliseconds[b.Unit]
		if b.Failed || b.RunType != "iteration" || !known {
			continue
		}
		times[b.Name] = b.CPUTime * factor
	}
	return times, nil
}

func atMost(what, benchmark string, milliseconds float64) sheet.Target[parts] {
	return sheet.Target[parts]{What: what + ", ms", AtMost: milliseconds, Figure: func(p parts) (float64, bool) {
		time, measured := p[benchmark]
		return time, measured
	}}
}

func ratio(what, of, by string, most float64) sheet.Target[parts] {
	return sheet.Target[parts]{What: what, AtMost: most, Figure: func(p parts) (float64, bool) {
		a, measured := p[of]
		b, also := p[by]
		return a / b, measured && also && b > 0
	}}
}

// targets say what a plan and an answer may cost. A plan may cost no more than
// in proportion to nodes and to distinct shapes; half more than that is noise.
var targets = []sheet.Target[parts]{
	atMost("devices, 8 on one numa of each of 5000 nodes, attributes known", "BM_DevicesWarm/serials:1/parts:0", 20),
	atMost("devices, the same with scores", "BM_DevicesWarm/serials:1/parts:1", 20),
	atMost("devices, the same with a reason for each of 5000 nodes", "BM_DevicesRejected", 40),
	atMost("devices, the same with 40000 sets of attributes to judge", "BM_DevicesCold", 150),
	atMost("devices, a change of one pool", "BM_DevicesChange", 1),
	atMost("devices, 25 of 24 equal ones", "BM_DevicesHopeless/25/24/1", 1),
	atMost("devices, 17 of 32 in two halves", "BM_DevicesHopeless/17/32/2", 1),
	atMost("planner, a gang of 1000 on 5000 nodes", "BM_PlanOneGangOf1000", 50),
	atMost("planner, 100 gangs of 50 on 5000 nodes", "BM_Plan100GangsOf50", 500),
	atMost("planner, the same, each gang of its own shape", "BM_Plan100GangsOf50EachOfItsShape", 500),
	atMost("planner, again after a change of one node", "BM_ReplanAfterOneNode", 5),
	atMost("planner, a change while 10000 units wait", "BM_Replan10000UnitsThatWait", 20),
	atMost("planner, a change while 10000 units of 200 shapes wait", "BM_Replan10000UnitsOf200ShapesThatWait", 20),
	atMost("planner, a change while 200 gangs of 50 that keep apart nearly fit", "BM_Replan200GangsOf50ApartThatNearlyFit", 20),
	atMost("agent, a node changes while 10000 pods wait in gangs of 50: units, plan and board", "BM_GangPlan10000PodsThatWaitInGangsOf/50", 20),
	atMost("agent, a node changes while 10000 pods wait, each a gang", "BM_GangPlan10000PodsThatWaitInGangsOf/1", 20),
	atMost("agent, one of 10000 pods that wait changes, in gangs of 50", "BM_GangPlan10000PodsOfWhichOneChangesInGangsOf/50", 20),
	atMost("agent, one of 10000 pods that wait changes, each a gang", "BM_GangPlan10000PodsOfWhichOneChangesInGangsOf/1", 20),
	atMost("agent, filter of a member that waits, 5000 nodes", "BM_GangFilter5000Nodes_AMemberThatWaits", 0.2),
	atMost("agent, filter of a pod in no group, 5000 nodes", "BM_GangFilter5000Nodes_APodInNoGroup", 0.2),
	atMost("queue, one of 20000 pods that wait changes: all that the desk does", "BM_QueuePlan20000PodsOfWhichOneChanges", 20),
	atMost("queue, a node changes while 20000 pods wait", "BM_QueuePlan20000PodsAfterANodeChanges", 20),
	atMost("queue, filter of a pod that is held, 5000 nodes", "BM_QueueFilter5000Nodes_APodThatIsHeld", 1),
	atMost("queue, filter of a pod with a place, 5000 nodes", "BM_QueueFilter5000Nodes_APodWithAPlace", 1),
	atMost("cel, a simple selector, one device", "BM_CelEvaluate/simple", 0.001),
	atMost("devices, filter of the agent, 5000 nodes", "BM_DevicesAgentFilter", 20),
	atMost("devices, prioritize of the agent, 5000 nodes", "BM_DevicesAgentPrioritize", 20),
	atMost("devices, filter of a pod without claims, 5000 nodes", "BM_DevicesAgentPodWithoutClaims", 0.2),
	atMost("devices, a pool changes, with its JSON", "BM_DevicesAgentPoolChanges", 1),
	atMost("penalty, one of 5000 PodGroups changes, 500 classes", "BM_PenaltyOneOf5000GroupsChanges", 5),
	atMost("penalty, a pod changes", "BM_PenaltyAPodChanges", 0.1),
	atMost("annotate usage, a pass of 5000 nodes but for the source's own time", "BM_UsagePassOf5000Nodes", 2000),
	atMost("annotate usage, 5000 nodes of metrics.k8s.io", "BM_UsageMetricsApiOf5000Nodes", 2000),
	atMost("safe, filter, 5000 nodes", "BM_SafeFilter5000Nodes_AllFit", 0.2),
	atMost("safe, filter, 5000 nodes of which a third is rejected", "BM_SafeFilter5000Nodes_AThirdRejected", 0.3),
	atMost("safe, score, 5000 nodes", "BM_SafeScore5000Nodes", 0.2),
	ratio("safe, filter and score with 500 young pods by those without pods", "BM_SafePod5000Nodes_500YoungPods",
		"BM_SafePod5000Nodes_NoPodsFollowed", 1.3),
	atMost("safe, filter and score where a pod was bound since the last, 5000 nodes", "BM_SafePod5000Nodes_OneBoundSinceTheLast", 0.5),
	atMost("annotate usage, values of 5000 nodes to patches", "BM_UsageRoundOf5000Nodes", 2000),
	atMost("annotate allocation, a pod is bound on one of 5000 nodes", "BM_AllocationChangeOf5000Nodes", 5),
	ratio("planner, 5000 nodes by 2500 (2 times)", "BM_PlanByNodes/5000", "BM_PlanByNodes/2500", 3),
	ratio("planner, 80 shapes by 20 (4 times)", "BM_PlanByShapes/80", "BM_PlanByShapes/20", 6),
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: judge-parts PARTS.JSON")
		os.Exit(2)
	}
	data, err := os.ReadFile(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, "judge-parts:", err)
		os.Exit(2)
	}
	times, err := read(data)
	if err != nil {
		fmt.Fprintf(os.Stderr, "judge-parts: %s: %v\n", os.Args[1], err)
		os.Exit(2)
	}
	verdicts := sheet.Judge(targets, times)
	for _, verdict := range verdicts {
		fmt.Println(verdict)
	}
	if sheet.Missed(verdicts) {
		os.Exit(1)
	}
}
