package main

import (
	"bufio"
	"fmt"
	"os"
	"regexp"
	"unicode"
	"unicode/utf8"
)

var logLine = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z (trace|debug|info |warn |error) `)

// checkLog looks for what clients must not be able to put into a log: control characters, lines of
// their own, bytes that are no UTF-8. It returns the number of lines.
func checkLog(path string) (lines int, err error) {
	file, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	scanner := bufio.NewScanner(file)
	scanner.Buffer(nil, 1<<20)
	for scanner.Scan() {
		lines++
		text := scanner.Text()
		level := logLine.FindStringSubmatch(text)
		switch {
		case level == nil:
			return lines, fmt.Errorf("line %d is not the server's own: %.200q", lines, text)
		case level[1] == "error":
			return lines, fmt.Errorf("line %d is an error: %.300q", lines, text)
		case !utf8.ValidString(text):
			return lines, fmt.Errorf("line %d is no UTF-8: %.200q", lines, text)
		}
		for _, r := range text {
			if unicode.IsControl(r) || r == 0x2028 || r == 0x2029 {
				return lines, fmt.Errorf("line %d has the raw character %U: %.200q", lines, r, text)
			}
		}
	}
	return lines, scanner.Err()
}
