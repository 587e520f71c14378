package main

import (
	"fmt"
	"strings"
)

// Deeds, as the rows have them.

func add(pod string) step                { return step{Do: "add", Pod: pod} }
func pop() step                          { return step{Do: "pop"} }
func fail(pod string, by ...string) step { return step{Do: "fail", Pod: pod, Plugins: by} }
func done(pod string) step               { return step{Do: "done", Pod: pod} }
func remove(pod string) step             { return step{Do: "delete", Pod: pod} }
func bound(pod string) step              { return step{Do: "bound", Pod: pod} }
func advance(ms int) step                { return step{Do: "advance", Ms: ms} }
func event(resource, action string) step {
	return step{Do: "event", Resource: resource, Action: action}
}
func update(pod string, changes ...string) step {
	return step{Do: "update", Pod: pod, Changes: changes}
}

var (
	nodeAdded = event("Node", "Add")
	rejectors = [][]string{nil, {"Number"}, {"Taints"}, {"Labels"}, {"Room"}, {"Silent"}, {"Labels", "Number"}}
	events    = []step{nodeAdded, event("Node", "Delete"), event("Node", "UpdateNodeTaint"),
		event("Node", "UpdateNodeLabel"), event("Node", "UpdateNodeAllocatable"), event("Node", "UpdateNodeAnnotation"),
		event("AssignedPod", "Add"), event("AssignedPod", "Delete")}
)

// failed is a pod in its first cycle, up to its end.
func failed(pod string, by ...string) []step { return []step{add(pod), pop(), fail(pod, by...)} }

func then(steps []step, more ...step) []step { return append(append([]step{}, steps...), more...) }

func titled(by []string) string {
	if len(by) == 0 {
		return "an error"
	}
	return strings.Join(by, " and ")
}

// crossedRows: every way to be rejected meets every event, while it waits and while it is in flight; every change.
func crossedRows() []row {
	var rows []row
	name := func(format string, args ...any) string { return fmt.Sprintf(format, args...) }
	for _, by := range rejectors {
		for _, e := range events {
			what := e.Resource + "/" + e.Action
			for _, ms := range []int{500, 1500} {
				rows = append(rows, row{name("%s, %s after %d ms", titled(by), what, ms),
					then(failed("a", by...), advance(ms), e, advance(2000))})
			}
			rows = append(rows, row{name("%s, %s in flight", titled(by), what),
				[]step{add("a"), pop(), e, fail("a", by...), advance(2000)}})
		}
		for _, changes := range [][]string{{"labels"}, {"tolerations"}, {"annotations"}} {
			for _, ms := range []int{500, 1500} {
				rows = append(rows, row{name("%s, new %s after %d ms", titled(by), changes[0], ms),
					then(failed("a", by...), advance(ms), update("a", changes...), advance(2000))})
			}
			rows = append(rows, row{name("%s, new %s in flight", titled(by), changes[0]),
				[]step{add("a"), pop(), update("a", changes...), fail("a", by...), advance(2000)}})
		}
	}
	return rows
}

// attempts is a pod that fails again and again, each time `by` the next one; after each failure it is seen shortly
// before and after the end of its backoff. An event ends its wait where plugins rejected it.
func attempts(seconds []int, by ...[]string) []step {
	steps := []step{add("a")}
	for i, plugins := range by {
		steps = append(steps, pop(), fail("a", plugins...), nodeAdded, advance(seconds[i]*1000-100), advance(200))
	}
	return steps
}

func pickedRows() []row {
	number, broke := []string{"Number"}, []string(nil)
	three := []step{add("a"), advance(1), add("b"), advance(1), add("c")}
	// The first look at leftovers that finds a pod which failed at 0 s older than 300 s is that at 330 s.
	return []row{
		{"a pod that comes is active", []step{add("a")}},
		{"a pod that is placed is in no part", []step{add("a"), pop(), done("a")}},
		{"first come, first served", then(three, pop(), pop(), pop())},
		{"a pod that failed comes after those that waited", then(three, pop(), advance(1), fail("a", "Number"),
			advance(1001), nodeAdded, pop(), pop(), pop())},
		{"two wait, one wakes", then(three, pop(), pop(), fail("a", "Number"), fail("b", "Labels"), advance(1500),
			nodeAdded)},
		{"the backoff doubles", attempts([]int{1, 2, 4, 8, 10, 10}, number, number, number, number, number, number)},
		{"the backoff of errors doubles", attempts([]int{1, 2, 4, 8, 10, 10}, broke, broke, broke, broke, broke, broke)},
		{"errors are counted apart", attempts([]int{1, 2, 1, 2, 4, 1}, number, number, broke, broke, number, broke)},
		{"a backoff that is over counts no more", then(failed("a", "Number"), advance(1500), nodeAdded, pop(),
			fail("a", "Number"), advance(1500), nodeAdded, advance(400), advance(200))},
		{"a backoff begins with the failure, not with the event", then(failed("a", "Number"), advance(900), nodeAdded,
			advance(50), advance(100))},
		{"an event does not cut a backoff short", then(failed("a"), nodeAdded, advance(900), nodeAdded, advance(200))},

		{"leftovers are not flushed too early", then(failed("a", "Silent"), advance(299000), advance(1000))},
		{"leftovers are flushed at the next look", then(failed("a", "Silent"), advance(329999), advance(1))},
		{"a leftover that came between two looks", then([]step{advance(10000)},
			then(failed("a", "Silent"), advance(290000), advance(10000), advance(20000))...)},
		{"a leftover that fails again waits as long again", then(failed("a", "Silent"), advance(330000), pop(),
			fail("a", "Silent"), advance(300000), advance(30000))},
		{"only old ones are flushed", then(failed("a", "Silent"), then([]step{advance(100000)},
			then(failed("b", "Silent"), advance(230000), advance(90000), advance(30000))...)...)},
		{"a flush is remembered for a pod in flight", then(failed("a", "Silent"), add("b"), pop(), advance(330000),
			fail("b", "Silent"), advance(2000))},
		{"a look that flushes none is not", []step{add("b"), pop(), advance(330000), fail("b", "Silent"), advance(2000)}},

		{"an event before the cycle does not count", []step{add("a"), nodeAdded, pop(), fail("a", "Number"), advance(2000)}},
		{"of several events in flight one helps", []step{add("a"), pop(), event("Node", "UpdateNodeLabel"), nodeAdded,
			event("Node", "Delete"), fail("a", "Number"), advance(2000)}},
		{"of several events in flight none helps", []step{add("a"), pop(), event("Node", "UpdateNodeLabel"),
			event("AssignedPod", "Delete"), fail("a", "Number"), advance(2000)}},
		{"an event between two take-offs helps the first", then(three, pop(), nodeAdded, pop(), fail("b", "Number"),
			fail("a", "Number"), advance(2000))},
		{"an event is kept for the one that is left", then(three, pop(), pop(), nodeAdded, fail("a", "Number"),
			fail("b", "Number"), advance(2000))},
		{"an event is not kept for the next flight", []step{add("a"), pop(), nodeAdded, fail("a", "Number"),
			advance(1500), pop(), fail("a", "Number"), advance(3000)}},
		{"another pod's change helps none", then(three, pop(), pop(), update("a", "labels"), fail("b", "Labels"),
			fail("a", "Labels"), advance(2000))},
		{"another pod's change wakes none", then(three, pop(), fail("a", "Labels"), update("b", "labels"), advance(2000))},

		{"deleted while active", []step{add("a"), remove("a")}},
		{"deleted in its backoff", then(failed("a"), remove("a"), advance(2000))},
		{"deleted while unschedulable", then(failed("a", "Number"), remove("a"), nodeAdded, advance(2000))},
		{"deleted in flight, then rejected", []step{add("a"), pop(), remove("a"), fail("a", "Number"), nodeAdded}},
		{"deleted in flight, then an error", []step{add("a"), pop(), remove("a"), fail("a"), advance(2000)}},
		{"deleted in flight, then placed", []step{add("a"), pop(), remove("a"), done("a")}},
		{"deleted in flight after an event", []step{add("a"), pop(), nodeAdded, remove("a"), fail("a", "Number"),
			advance(2000)}},
		{"bound by others while active", []step{add("a"), bound("a")}},
		{"bound by others while unschedulable", then(failed("a", "Number"), bound("a"), nodeAdded, advance(2000))},
		{"bound by others in flight", []step{add("a"), pop(), bound("a"), fail("a"), advance(2000)}},
		{"another pod of its name comes in flight", []step{add("a"), pop(), remove("a"), add("a2"),
			fail("a", "Number"), pop(), fail("a2", "Number"), nodeAdded, advance(2000)}},
		{"both pods of a name are in flight", []step{add("a"), pop(), remove("a"), add("a2"), pop(), nodeAdded,
			fail("a", "Number"), fail("a2", "Number"), advance(2000)}},

		{"changed while active", []step{add("a"), update("a", "labels"), pop()}},
		{"changed in its backoff", then(failed("a"), update("a", "labels", "tolerations"), advance(900), advance(200))},
		{"two changes, one helps", then(failed("a", "Taints"), advance(500), update("a", "labels", "tolerations"),
			advance(600))},
		{"two changes, one helps when the backoff is over", then(failed("a", "Labels"), advance(1500),
			update("a", "labels", "tolerations"))},
		{"a change in flight and one before", []step{add("a"), update("a", "labels"), pop(), update("a", "tolerations"),
			fail("a", "Labels"), advance(2000)}},
	}
}
