package sheet

import (
	"strings"
	"testing"
)

func TestVerdictsOfOneFigure(t *testing.T) {
	of := func(figure float64, measured bool) func(int) (float64, bool) {
		return func(int) (float64, bool) { return figure, measured }
	}
	for _, row := range []struct {
		name   string
		target Target[int]
		want   string
	}{
		{"at the upper limit", Target[int]{What: "x", AtMost: 2, Figure: of(2, true)}, "PASS  x: 2.00 (at most 2)"},
		{"above it", Target[int]{What: "x", AtMost: 2, Figure: of(2.1, true)}, "MISS  x: 2.10 (at most 2)"},
		{"at the lower limit", Target[int]{What: "x", AtLeast: 4, Figure: of(4, true)}, "PASS  x: 4.00 (at least 4)"},
		{"below it", Target[int]{What: "x", AtLeast: 4, Figure: of(3, true)}, "MISS  x: 3.00 (at least 4)"},
		{"not measured", Target[int]{What: "x", AtMost: 4, Figure: of(0, false)}, "----  x: not measured (at most 4)"},
	} {
		verdicts := Judge([]Target[int]{row.target}, 0)
		if verdicts[0].String() != row.want || Missed(verdicts) == strings.HasPrefix(row.want, "PASS") {
			t.Errorf("%s: %s, missed: %t", row.name, verdicts[0], Missed(verdicts))
		}
	}
}

func TestASectionHasItsTablesAndLines(t *testing.T) {
	var page strings.Builder
	Section{Heading: "H", Text: "T", Tables: []Table{{"title", []string{"a", "b"}, [][]string{{"1", "2"}}}},
		Lines: []string{"l"}}.Markdown(&page)
	if want := "## H\n\nT\n\ntitle\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\nl\n"; page.String() != want {
		t.Errorf("got\n%s\nwant\n%s", page.String(), want)
	}
}
