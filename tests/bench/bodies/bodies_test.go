package bodies

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	extenderv1 "k8s.io/kube-scheduler/extender/v1"
)

// within fails the test unless got is at most 2 % away from want.
func within(t *testing.T, what string, got, want int) {
	t.Helper()
	t.Logf("%s: %d bytes", what, got)
	if got < want*98/100 || got > want*102/100 {
		t.Errorf("%s is %d bytes, want %d within 2 %%", what, got, want)
	}
}

func TestSizesAreThoseOfARealCluster(t *testing.T) {
	c := New(1, 1000)
	pod, err := json.Marshal(c.Pod)
	if err != nil {
		t.Fatal(err)
	}
	full, err := c.Encode(FullNodes)
	if err != nil {
		t.Fatal(err)
	}
	within(t, "pod", len(pod), 3400)
	within(t, "node, mean of 1000", (len(full)-len(pod))/1000, 15600)
}

func TestBodyDecodesAndEncodesBackToTheSameBytes(t *testing.T) {
	for _, form := range []Form{FullNodes, NamesOnly} {
		body, err := New(7, 25).Encode(form)
		if err != nil {
			t.Fatal(err)
		}
		var args extenderv1.ExtenderArgs
		if err := json.Unmarshal(body, &args); err != nil {
			t.Fatalf("%s: %v", form, err)
		}
		again, err := json.Marshal(&args)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(body, again) {
			t.Errorf("%s: decoding and encoding changed the body", form)
		}
	}
}

func TestBodyHasNullsAndEscapesAsTheSchedulerSends(t *testing.T) {
	full, _ := New(1, 2).Encode(FullNodes)
	names, _ := New(1, 2).Encode(NamesOnly)
	for _, row := range []struct {
		what, want string
		body       []byte
	}{
		{"full nodes", `"NodeNames":null}`, full},
		{"full nodes", `"Nodes":{"metadata":{},"items":[{"metadata":{"name":"worker-0000`, full},
		{"names only", `"Nodes":null,"NodeNames":["worker-0000`, names},
		{"escaped <", `\u003c/dev/null`, names},
		{"escaped &", `2\u003e\u00261`, names},
	} {
		if !strings.Contains(string(row.body), row.want) {
			t.Errorf("%s: no %s in the body", row.what, row.want)
		}
	}
}

func TestSameSeedSameBytesWhateverTheSize(t *testing.T) {
	small, large := New(3, 10), New(3, 40)
	a, _ := json.Marshal(small.Nodes)
	b, _ := json.Marshal(large.Nodes[:10])
	if !bytes.Equal(a, b) {
		t.Error("node i depends on the number of nodes")
	}
	other, _ := json.Marshal(New(4, 10).Nodes)
	if bytes.Equal(a, other) {
		t.Error("the seed changes nothing")
	}
}

func TestAnnotationsCarryTheFacts(t *testing.T) {
	for i, node := range New(5, 60).Nodes {
		facts := FactsOf(5, i)
		if node.Name != facts.Name ||
			node.Annotations["congestion-factor"] != strconv.FormatInt(facts.CongestionFactor, 10) ||
			node.Annotations["mean-free-cpu"] != strconv.FormatInt(facts.MeanFreeCPU, 10) {
			t.Errorf("node %d does not carry %+v", i, facts)
		}
	}
}

func TestScore(t *testing.T) {
	for factor, want := range map[int64]int64{-3: 10, 0: 10, 5: 10, 6: 9, 15: 9, 50: 5, 95: 1, 96: 0, 100: 0, 120: 0} {
		if got := Score(factor); got != want {
			t.Errorf("Score(%d) = %d, want %d", factor, got, want)
		}
	}
}
