package talk

import (
	"strings"
	"testing"
	"time"

	"outrigger.dev/outrigger/tests/support/process"
)

func start(t *testing.T, script string) *Child {
	t.Helper()
	child, err := Start(process.Spec{Name: "child", Path: "/bin/sh", Args: []string{"-c", script}, LogDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(child.Kill)
	return child
}

const obedient = `echo '{"said":"hello"}'; while read word; do
  [ "$word" = quit ] && exit 0
  echo "{\"said\":\"$word\"}"
done`

type answer struct{ Said string }

func TestEachLineIsAnswered(t *testing.T) {
	child := start(t, obedient)
	var got answer
	if err := child.Hear("hello", time.Minute, &got); err != nil || got.Said != "hello" {
		t.Fatalf("%+v, %v", got, err)
	}
	for _, word := range []string{"one", "two"} {
		if err := child.Ask(word, &got); err != nil || got.Said != word {
			t.Fatalf("%+v, %v", got, err)
		}
	}
	if err := child.Quit(); err != nil {
		t.Errorf("Quit() = %v", err)
	}
}

func TestWhyThereIsNoAnswerIsInTheError(t *testing.T) {
	for name, row := range map[string]struct {
		script string
		limit  time.Duration
		want   string
	}{
		"Ended":   {"echo because >&2; exit 3", time.Minute, "because"},
		"NoJSON":  {"echo nonsense; cat >/dev/null", time.Minute, "nonsense"},
		"Nothing": {"cat >/dev/null", time.Second, "no answer"},
	} {
		t.Run(name, func(t *testing.T) {
			var got answer
			err := start(t, row.script).Hear("hello", row.limit, &got)
			if err == nil || !strings.Contains(err.Error(), row.want) {
				t.Errorf("%v", err)
			}
		})
	}
}
