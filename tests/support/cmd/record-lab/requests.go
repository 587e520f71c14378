package main

import (
	"fmt"
	"regexp"
	"strings"
)

// A sequence of requests that build on one another, in a namespace of their own.
type sequence struct {
	name     string
	requests []request
}

type request struct {
	name, method, path string
	headers            map[string]string // also Events, Until: golden/lab/README.md
	body               string
}

var headerLine = regexp.MustCompile(`^([A-Z][A-Za-z-]*): (.*)$`)

// parse reads a file of requests; golden/lab/README.md says how they are written.
func parse(text string) ([]sequence, error) {
	var sequences []sequence
	var current *request
	awaitsPath, inBody := false, false
	for i, line := range strings.Split(text, "\n") {
		switch {
		case strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, "== "):
			sequences = append(sequences, sequence{name: line[3:]})
			current = nil
		case strings.HasPrefix(line, "-- ") && len(sequences) > 0:
			requests := &sequences[len(sequences)-1].requests
			*requests = append(*requests, request{name: line[3:], headers: map[string]string{}})
			current = &(*requests)[len(*requests)-1]
			awaitsPath, inBody = true, false
		case line == "" && !inBody:
		case current == nil:
			return nil, fmt.Errorf("line %d is outside of requests: %s", i+1, line)
		case awaitsPath:
			var found bool
			if current.method, current.path, found = strings.Cut(line, " "); !found {
				return nil, fmt.Errorf("line %d is not METHOD PATH: %s", i+1, line)
			}
			awaitsPath = false
		case !inBody && headerLine.MatchString(line):
			match := headerLine.FindStringSubmatch(line)
			current.headers[match[1]] = match[2]
		default:
			inBody = true
			if line != "" {
				current.body += line + "\n"
			}
		}
	}
	return sequences, nil
}
