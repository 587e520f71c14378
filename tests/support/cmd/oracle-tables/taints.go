package main

import (
	"math/rand/v2"

	"github.com/go-logr/logr"
	v1 "k8s.io/api/core/v1"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"
)

// taintRows are [taints, tolerations, first]: taints [key, value, effect], tolerations [key,
// operator, value, effect], and the taint that keeps the pod away, or null.
func taintRows(r *rand.Rand) []any {
	effects := []string{"NoSchedule", "PreferNoSchedule", "NoExecute"}
	rows := []any{}
	for len(rows) < 500 {
		taints, tolerations := []v1.Taint{}, []v1.Toleration{}
		taintRow, tolerationRow := []any{}, []any{}
		for range r.IntN(4) {
			t := v1.Taint{Key: pick(r, "a", "b", "c"), Value: pick(r, "", "x", "y"),
				Effect: v1.TaintEffect(pick(r, effects...))}
			taints = append(taints, t)
			taintRow = append(taintRow, []any{t.Key, t.Value, t.Effect})
		}
		for range r.IntN(4) {
			t := v1.Toleration{Key: pick(r, "", "a", "a", "b", "b", "c"),
				Operator: v1.TolerationOperator(pick(r, "", "Equal", "Exists")),
				Value:    pick(r, "", "x", "y"), Effect: v1.TaintEffect(pick(r, append(effects, "")...))}
			tolerations = append(tolerations, t)
			tolerationRow = append(tolerationRow, []any{t.Key, t.Operator, t.Value, t.Effect})
		}
		taint, found := corev1helpers.FindMatchingUntoleratedTaint(logr.Discard(), taints, tolerations,
			func(t *v1.Taint) bool { return t.Effect != v1.TaintEffectPreferNoSchedule }, false)
		var first any
		if found {
			first = []any{taint.Key, taint.Value, taint.Effect}
		}
		rows = append(rows, []any{taintRow, tolerationRow, first})
	}
	return rows
}
