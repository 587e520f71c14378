package sheet

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// Table is figures with what they mean, for a terminal or a page.
type Table struct {
	Title  string     `json:"title"`
	Header []string   `json:"header"`
	Rows   [][]string `json:"rows"`
}

// Print writes the table for people at a terminal.
func (t Table) Print(out io.Writer) {
	fmt.Fprintf(out, "\n%s\n", t.Title)
	writer := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, cells := range append([][]string{t.Header}, t.Rows...) {
		fmt.Fprintln(writer, strings.Join(cells, "\t")+"\t")
	}
	_ = writer.Flush()
}

// Markdown writes the table for a page.
func (t Table) Markdown(page io.Writer) {
	fmt.Fprintf(page, "%s\n\n| %s |\n|%s\n", t.Title, strings.Join(t.Header, " | "), strings.Repeat("---|", len(t.Header)))
	for _, row := range t.Rows {
		fmt.Fprintf(page, "| %s |\n", strings.Join(row, " | "))
	}
	fmt.Fprintln(page)
}

// Section is what one benchmark adds to the page of another.
type Section struct {
	Heading string    `json:"heading"`
	Text    string    `json:"text"`
	Tables  []Table   `json:"tables"`
	Lines   []string  `json:"lines"` // what is no table, a line each
	Targets []Verdict `json:"targets"`
}

// Markdown writes the section, without its targets, for a page.
func (s Section) Markdown(page io.Writer) {
	fmt.Fprintf(page, "## %s\n\n%s\n\n", s.Heading, s.Text)
	for _, t := range s.Tables {
		t.Markdown(page)
	}
	fmt.Fprintln(page, strings.Join(s.Lines, "\n\n"))
}

// Shorts is Short for each.
func Shorts(values ...float64) (cells []string) {
	for _, v := range values {
		cells = append(cells, Short(v))
	}
	return cells
}

// Short has about three digits that mean something.
func Short(v float64) string {
	switch {
	case v >= 100:
		return fmt.Sprintf("%.0f", v)
	case v >= 10:
		return fmt.Sprintf("%.1f", v)
	case v >= 0.1 || v == 0:
		return fmt.Sprintf("%.2f", v)
	}
	return fmt.Sprintf("%.2g", v)
}
