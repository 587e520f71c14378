package main

import "outrigger.dev/outrigger/tests/bench/sheet"

// What ours may have resident, in MB (10^6 bytes).
const (
	fixedMB   = 30
	perPodMB  = 1.2e-3
	perNodeMB = 4e-3
)

// ratio is how many times larger a is than b; 0 when nothing was measured.
func ratio(a, b float64) float64 {
	if b <= 0 {
		return 0
	}
	return a / b
}

// targets are all targets there are.
func targets() []sheet.Target[*Report] {
	both := func(figure func(theirs, ours *Figures) float64) func(*Report) (float64, bool) {
		return func(r *Report) (float64, bool) {
			if r.Go == nil || r.Ours == nil {
				return 0, false
			}
			return figure(r.Go, r.Ours), true
		}
	}
	own := func(figure func(*Figures) float64) func(*Report) (float64, bool) {
		return func(r *Report) (float64, bool) {
			if r.Ours == nil {
				return 0, false
			}
			return figure(r.Ours), true
		}
	}
	calls := func(figure func(*Calls) float64) func(*Report) (float64, bool) {
		return func(r *Report) (float64, bool) {
			if r.Ours == nil || r.Ours.Calls == nil {
				return 0, false
			}
			return figure(r.Ours.Calls), true
		}
	}
	return []sheet.Target[*Report]{
		{What: "following a cluster: times smaller than client-go in memory", AtLeast: 4,
			Figure: both(func(theirs, ours *Figures) float64 { return ratio(theirs.ResidentMB, ours.ResidentMB) })},
		{What: "following a cluster: times cheaper than client-go in processor time, until ready and following", AtLeast: 3,
			Figure: both(func(theirs, ours *Figures) float64 {
				return ratio(theirs.ReadyCPUMS+theirs.FollowCPUMS, ours.ReadyCPUMS+ours.FollowCPUMS)
			})},
		{What: "following a cluster: time from start to ready by client-go's", AtMost: 1,
			Figure: both(func(theirs, ours *Figures) float64 { return ratio(ours.ReadyMS, theirs.ReadyMS) })},
		{What: "following a cluster: resident memory by 30 MB + 1.2 KB per pod + 4 KB per node", AtMost: 1,
			Figure: func(r *Report) (float64, bool) {
				if r.Ours == nil {
					return 0, false
				}
				return r.Ours.ResidentMB / (fixedMB + perPodMB*float64(r.Pods) + perNodeMB*float64(r.Nodes)), true
			}},
		{What: "following a quiet cluster, percent of a core", AtMost: 0.5,
			Figure: own(func(f *Figures) float64 { return f.QuietPercent })},
		{What: "following 1000 changes per second, percent of a core", AtMost: 30,
			Figure: own(func(f *Figures) float64 { return f.FollowPercent })},
		{What: "following 1000 changes per second: how many there were", AtLeast: 0.95 * changesPerSecond,
			Figure: own(func(f *Figures) float64 { return f.ChangesPerSecond })},
		{What: "following 1000 changes per second: lag, p99 ms", AtMost: 50,
			Figure: own(func(f *Figures) float64 { return f.Lags.P99MS })},
		{What: "filter, all names, following 1000 changes per second: median ms", AtMost: 1,
			Figure: calls(func(c *Calls) float64 { return c.Ours.MedianMS })},
		{What: "filter, all names, following 1000 changes per second: p99 ms", AtMost: 3,
			Figure: calls(func(c *Calls) float64 { return c.Ours.P99MS })},
	}
}
