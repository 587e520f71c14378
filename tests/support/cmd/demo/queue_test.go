package main

import (
	"slices"
	"testing"
)

func TestInversionsCountsPairs(t *testing.T) {
	var right []string
	for _, pod := range queueOrder {
		right = append(right, pod.name)
	}
	reversed := slices.Clone(right)
	slices.Reverse(reversed)
	swapped := slices.Clone(right)
	swapped[0], swapped[2] = swapped[2], swapped[0]
	for _, row := range []struct {
		name  string
		order []string
		wrong int
	}{
		{"RightOrder", right, 0},
		{"Reversed", reversed, 28},
		{"TwoSwapped", swapped, 3},
		{"TheLastFirst", append([]string{right[7]}, right[:7]...), 7},
	} {
		t.Run(row.name, func(t *testing.T) {
			if wrong, pairs := inversions(row.order); wrong != row.wrong || pairs != 28 {
				t.Errorf("inversions() = %d of %d, want %d of 28", wrong, pairs, row.wrong)
			}
		})
	}
}
