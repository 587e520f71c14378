package main

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// Warnings pass, of any length; the line by which the scheduler says that it is ready does not.
func TestPassWarnings(t *testing.T) {
	var out bytes.Buffer // read when all is passed
	log, passed, err := passWarnings(&out)
	if err != nil {
		t.Fatal(err)
	}
	long := "2026-01-01T00:00:00.000Z warn " + strings.Repeat("x", 200_000) + "\n"
	fmt.Fprint(log, "2026-01-01T00:00:00.000Z info lab scheduler: connecting to nowhere\n", long)
	select {
	case <-passed.ready:
		t.Error("ready before it is")
	default:
	}
	fmt.Fprint(log, "2026-01-01T00:00:00.000Z info lab scheduler: step 7, scheduler name x, 0 nodes\n", "the last words")
	<-passed.ready
	log.Close()
	<-passed.all
	if want := long + "the last words"; out.String() != want {
		t.Errorf("%d bytes have passed, not %d", out.Len(), len(want))
	}
}
