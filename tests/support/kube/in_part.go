package kube

import (
	"slices"
	"strings"
	"time"
)

// LongestInPart is for how long the gang that took longest was bound in part, from the first binding of a
// member to the last. Members are "GANG-NUMBER"; bindings are in order of time.
func LongestInPart(bindings []Binding, gangs []string) (longest time.Duration) {
	first := map[string]time.Time{}
	for _, binding := range bindings {
		gang := binding.Name[:max(strings.LastIndexByte(binding.Name, '-'), 0)]
		if !slices.Contains(gangs, gang) {
			continue
		}
		if _, ok := first[gang]; !ok {
			first[gang] = binding.At
		}
		longest = max(longest, binding.At.Sub(first[gang]))
	}
	return longest
}
