package bodies

import (
	"fmt"
	"math/rand/v2"
)

// CongestionMax is the congestion factor at which a node scores 0.
const CongestionMax = 100

const (
	cpuMillis   = 32000              // capacity of a node
	cpuReserved = 150                // kept from pods
	memoryBytes = 128 << 30          // capacity of a node
	memoryKept  = 1740 << 20         // kept from pods
	mebibyte    = int64(1024 * 1024) // bytes
)

// Facts is what a scheduler's extender reads of one node, without the weight of the Node object.
type Facts struct {
	Name             string
	CongestionFactor int64 // 0 .. 120; above CongestionMax counts as CongestionMax
	MeanFreeCPU      int64 // millicores, at least 8000
	StdFreeCPU       int64 // millicores
	ForecastFreeCPU  int64 // millicores
	MeanFreeMemory   int64 // bytes, at least 30 GiB
	StdFreeMemory    int64 // bytes
	ForecastMemory   int64 // bytes
}

// FactsOf are the facts of node i: the same figures that its annotations carry.
func FactsOf(seed uint64, i int) Facts {
	r := rand.New(rand.NewPCG(seed, uint64(i)))
	cpu := 8000 + r.Int64N(18000)
	memory := (30*1024 + r.Int64N(70*1024)) * mebibyte
	return Facts{
		Name:             fmt.Sprintf("worker-%04d.pool-%c.example.internal", i, 'a'+rune(i%4)),
		CongestionFactor: r.Int64N(121),
		MeanFreeCPU:      cpu,
		StdFreeCPU:       100 + r.Int64N(1400),
		ForecastFreeCPU:  cpu - 500 + r.Int64N(1000),
		MeanFreeMemory:   memory,
		StdFreeMemory:    (200 + r.Int64N(3000)) * mebibyte,
		ForecastMemory:   memory - 512*mebibyte + r.Int64N(1024)*mebibyte,
	}
}

// Score is the congestion score, 0 .. 10, of a node whose congestion factor is factor: high factors
// score low, negative ones count as 0.
func Score(factor int64) int64 {
	factor = min(max(factor, 0), CongestionMax)
	return int64(10*(1-float64(factor)/CongestionMax) + 0.5)
}
