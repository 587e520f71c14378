package main

import "math"

// What agent safe answers is computed here a second time, from the formulas in its README and
// without its code: with its default settings, and for nodes that lie on no edge of rounding.
const (
	utilization = 0.9
	maxRisk     = 0.3
)

// risk is the probability that a beta distribution with this mean and deviation is above
// utilization. sure is false where the last digits of the computation would decide the answer.
func risk(mean, deviation float64) (r float64, sure bool) {
	variance := deviation * deviation
	switch {
	case mean <= 0:
		return 0, true
	case deviation <= 0:
		if mean <= utilization {
			return 0, true
		}
		return 1, true
	case variance >= mean*(1-mean):
		return 1, true
	}
	distance := utilization - mean
	if exponent := 2 * mean * (1 - mean) * distance * distance / variance; exponent > 38 {
		if distance > 0 {
			return 0, exponent > 38.1
		}
		return 1, exponent > 38.1
	}
	sum := mean*(1-mean)/variance - 1
	r = 1 - regularizedBeta(mean*sum, (1-mean)*sum, utilization)
	share := (1 - math.Sqrt(math.Min(r/maxRisk, 1))) * 10
	sure = r > 1e-9 && math.Abs(r-maxRisk) > 0.01 && (r > maxRisk || offInteger(share)) && offInteger(r*100+0.5)
	return r, sure
}

// offInteger tells whether no rounding error can move x over an integer.
func offInteger(x float64) bool { return math.Abs(x-math.Round(x)) > 1e-6 }

// regularizedBeta is the incomplete beta function I_x(a, b), by Lentz's continued fraction.
func regularizedBeta(a, b, x float64) float64 {
	if x > (a+1)/(a+b+2) {
		return 1 - regularizedBeta(b, a, 1-x)
	}
	logGamma := func(v float64) float64 { l, _ := math.Lgamma(v); return l }
	front := math.Exp(logGamma(a+b) - logGamma(a) - logGamma(b) + a*math.Log(x) + b*math.Log(1-x))
	const tiny = 1e-300
	c, d := 1.0, 1/(1-(a+b)*x/(a+1))
	h := d
	step := func(numerator float64) float64 {
		d = 1 / nonZero(1+numerator*d, tiny)
		c = nonZero(1+numerator/c, tiny)
		h *= d * c
		return d * c
	}
	for m := 1.0; m < 10000; m++ {
		step(m * (b - m) * x / ((a + 2*m - 1) * (a + 2*m)))
		if math.Abs(step(-(a+m)*(a+b+m)*x/((a+2*m)*(a+2*m+1)))-1) < 1e-15 {
			break
		}
	}
	return front * h / a
}

func nonZero(x, tiny float64) float64 {
	if math.Abs(x) < tiny {
		return tiny
	}
	return x
}
