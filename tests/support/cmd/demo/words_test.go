package main

import (
	"slices"
	"testing"
)

var (
	filterCall = call{agent: "safe", verb: "filter", pod: "p", offered: []string{"a", "b", "c"},
		rejected: map[string]string{"c": "too full"}}
	safeScores = call{agent: "safe", verb: "prioritize", pod: "p", offered: []string{"a", "b"},
		scores: map[string]int64{"a": 9, "b": 4}}
	congestionScores = call{agent: "congestion", verb: "prioritize", pod: "p", offered: []string{"a", "b"},
		scores: map[string]int64{"a": 1, "b": 10}}
	otherPod = call{agent: "safe", verb: "filter", pod: "q", offered: []string{"a"}}
)

func TestBestNodeHasTheHighestSumOfThoseThatFit(t *testing.T) {
	for _, row := range []struct {
		name  string
		calls []call
		want  []string
	}{
		{"SumOfAgents", []call{filterCall, safeScores, congestionScores}, []string{"b"}},
		{"OneAgentOnly", []call{filterCall, safeScores}, []string{"a"}},
		{"NoScoresAsked", []call{filterCall}, []string{"a", "b"}},
		{"OtherPodsDoNotCount", []call{otherPod, filterCall, safeScores}, []string{"a"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			attempts := attemptsOf("p", row.calls)
			if len(attempts) != 1 || !slices.Equal(attempts[0].best(), row.want) {
				t.Errorf("attempts %v, best of the first %v, want %v", attempts, attempts[0].best(), row.want)
			}
		})
	}
}

func TestEveryFilterCallBeginsAnAttempt(t *testing.T) {
	attempts := attemptsOf("p", []call{filterCall, filterCall, safeScores})
	if len(attempts) != 2 || attempts[0]["a"].scores != nil || attempts[1]["a"].scores["safe"] != 9 {
		t.Errorf("attempts: %v", attempts)
	}
}

func TestCallsAreReadByTheProtocolsTypes(t *testing.T) {
	body := []byte(`{"Pod":{"metadata":{"name":"p"}},"NodeNames":["a","b"]}`)
	for _, row := range []struct {
		name, verb, answer string
		ok                 bool
	}{
		{"Filter", "filter", `{"FailedNodes":{"a":"full"},"FailedAndUnresolvableNodes":{"b":"label"}}`, true},
		{"FilterWithError", "filter", `{"Error":"no"}`, false},
		{"Prioritize", "prioritize", `[{"Host":"a","Score":3}]`, true},
		{"PrioritizeThatIsNoList", "prioritize", `{}`, false},
		{"UnknownVerb", "bind", `{}`, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			c, err := understand(row.verb, body, []byte(row.answer))
			if (err == nil) != row.ok {
				t.Fatalf("understand() = %+v, %v", c, err)
			}
			if row.ok && (c.pod != "p" || !slices.Equal(c.offered, []string{"a", "b"})) {
				t.Errorf("call: %+v", c)
			}
			if row.name == "Filter" && (c.rejected["a"] != "full" || c.rejected["b"] != "label") {
				t.Errorf("rejected: %v", c.rejected)
			}
			if row.name == "Prioritize" && c.scores["a"] != 3 {
				t.Errorf("scores: %v", c.scores)
			}
		})
	}
}

func TestReasonsAreCutToTheirFigures(t *testing.T) {
	long := "safe: cpu: risk 0.98 > 0.30 of exceeding 90 percent utilization; a smaller request would help"
	if got := short(long); got != "cpu: risk 0.98 > 0.30" {
		t.Errorf("short() = %q", got)
	}
}
