package main

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"time"

	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"outrigger.dev/outrigger/tests/support/kube"
	"outrigger.dev/outrigger/tests/support/penalty"
)

const (
	// settles is how long the API server may take until new pods get a class's new number: it reads a cache.
	settles = time.Second
	// journalPrefix is that of the agent's ConfigMaps.
	journalPrefix = "outrigger-penalty-"
	changeFormat  = "    %s  %-7s %4d -> %4d  %-28s %10s  %s"
	podFormat     = "    %s  pod %s of class %s is created with priority %d"
	barLength     = 20
)

// awaitPenalty waits until the agent leads and knows the classes: what happens from then on is counted.
func (s *stage) awaitPenalty(ctx context.Context) error {
	return kube.Eventually(ctx, patience, func(context.Context) error {
		rows, err := penalty.Classes(s.agents["penalty"])
		if err == nil && len(rows) != len(penalisedClasses) {
			err = fmt.Errorf("the agent knows %d classes, want %d", len(rows), len(penalisedClasses))
		}
		return err
	})
}

// follow prints each change of a value until a condition holds.
func (p *penaltyPlay) follow(ctx context.Context, what string, holds func() (bool, error)) error {
	ends := time.Now().Add(patience)
	progress("until " + what)
	for {
		page, err := penalty.Changes(p.agents["penalty"])
		if err != nil {
			return err
		}
		for _, change := range p.ledger.add(page) {
			p.showChange(change)
			progress("until " + what)
		}
		if done, err := holds(); done || err != nil {
			return err
		}
		if time.Now().After(ends) {
			return fmt.Errorf("not in %s: %s", patience, what)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// at waits for an hour of the day.
func (p *penaltyPlay) at(ctx context.Context, hours float64) error {
	return p.follow(ctx, "it is "+clock(hours), func() (bool, error) { return p.hours(time.Now()) >= hours, nil })
}

// do does a deed, and waits until it is counted.
func (p *penaltyPlay) do(ctx context.Context, d deed) error {
	if d.kind == "" {
		return p.createPod(ctx, d)
	}
	group := penalty.Group{Namespace: metav1.NamespaceDefault, Name: d.name, Class: d.class, Queue: "day"}
	act := func() error { return p.groups.Enter(ctx, group, penalty.Completed) }
	if d.kind == penalty.Start {
		act = func() error { return p.groups.Run(ctx, group, penalty.Pending, penalty.Inqueue, penalty.Running) }
	}
	want := p.ledger.counted(d.class, d.kind) + 1
	if err := act(); err != nil {
		return err
	}
	return p.follow(ctx, fmt.Sprintf("the %s of %s is written", d.kind, d.name), func() (bool, error) {
		row, err := p.row(d.class)
		count := row.Starts
		if d.kind == penalty.Completion {
			count = row.Completions
		}
		if err != nil || count != want || row.ChangedAt == nil {
			return false, err
		}
		if p.ledger.counted(d.class, d.kind) < want {
			p.ledger.edges[d.class] = append(p.ledger.edges[d.class], penalty.Edge{Kind: d.kind, At: *row.ChangedAt})
		}
		changes := p.ledger.changesOf(d.class)
		return len(changes) > 0 && !changes[len(changes)-1].At.Before(*row.ChangedAt), nil
	})
}

// createPod creates a pod, and shows the number that it has from its class.
func (p *penaltyPlay) createPod(ctx context.Context, d deed) error {
	pod := kube.MakePod(d.name).PriorityClass(d.class).Pod()
	from := time.Now().Add(-settles)
	made, err := p.cluster.Client.CoreV1().Pods(pod.Namespace).Create(ctx, pod, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	to := time.Now()
	if err := p.at(ctx, 0); err != nil { // for what has changed meanwhile
		return err
	}
	number := *made.Spec.Priority
	p.pods[d.name] = number
	p.out.line("%s", p.out.in(bold, fmt.Sprintf(podFormat, clock(p.hours(to)), d.name, d.class, number)))
	values := p.ledger.values(classOf(d.class), from, to)
	p.promise(slices.Contains(values, int64(number)), "pod %s has priority %d, its class had %v", d.name, number, values)
	return nil
}

func (p *penaltyPlay) showChange(change penalty.ChangeRow) {
	gap, colour := "-", green
	if change.GapMicroseconds != nil {
		gap = fmt.Sprintf("gap %.1f ms", float64(*change.GapMicroseconds)/1000)
	}
	if change.After < change.Before {
		colour = red
	}
	bar := strings.Repeat("#", int(change.After*barLength/classOf(change.Class).rules.Base))
	p.out.line(changeFormat, clock(p.hours(change.At)), change.Class, change.Before, change.After, change.Cause, gap,
		p.out.in(colour, bar))
}

// showText prints what a command has printed.
func (p *penaltyPlay) showText(text string) {
	for line := range strings.Lines(text) {
		p.out.line("%s", strings.TrimRight("    "+line, "\n "))
	}
}

// atBase tells whether each class has its base, and the agent says so.
func (p *penaltyPlay) atBase() (bool, error) {
	for _, class := range penalisedClasses {
		row, err := p.row(class.name)
		if err != nil || row.Value != class.rules.Base || row.State != "at base" {
			return false, err
		}
	}
	return true, nil
}

// checkChanges compares each value with the one that the policy makes of what was counted.
func (p *penaltyPlay) checkChanges() {
	for _, class := range penalisedClasses {
		for _, change := range p.ledger.changesOf(class.name) {
			want := class.rules.Value(p.ledger.edges[class.name], change.At)
			p.promise(change.After == want, "class %s got %d at %s (%s), the policy says %d", class.name, change.After,
				clock(p.hours(change.At)), change.Cause, want)
		}
	}
}

// checkEarlier looks at all pods again: none has another number than that with which it was created.
func (p *penaltyPlay) checkEarlier(ctx context.Context) error {
	for name, number := range p.pods {
		pod, err := p.cluster.Client.CoreV1().Pods(metav1.NamespaceDefault).Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		p.promise(*pod.Spec.Priority == number, "pod %s has %d now, had %d", name, *pod.Spec.Priority, number)
	}
	return nil
}

// checkClasses fails the promises unless each class is there, at its base and as it was created.
func (p *penaltyPlay) checkClasses(ctx context.Context) error {
	for _, class := range penalisedClasses {
		is, err := p.class(ctx, class.name)
		if err != nil {
			return err
		}
		was := class.build()
		p.promise(is.Value == was.Value, "class %s ends at %d, want %d", is.Name, is.Value, was.Value)
		p.promise(fmt.Sprint(is.Labels, is.Annotations) == fmt.Sprint(was.Labels, was.Annotations),
			"class %s ends with %v, %v", is.Name, is.Labels, is.Annotations)
	}
	return nil
}

// checkJournal looks at what `penalty restore --all` should have removed.
func (p *penaltyPlay) checkJournal(ctx context.Context) error {
	maps, err := p.cluster.Client.CoreV1().ConfigMaps(metav1.NamespaceSystem).List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	for _, object := range maps.Items {
		p.promise(!strings.HasPrefix(object.Name, journalPrefix), "the journal still has %s", object.Name)
	}
	return nil
}

// class is one as the cluster has it.
func (p *penaltyPlay) class(ctx context.Context, name string) (*schedulingv1.PriorityClass, error) {
	return p.cluster.Client.SchedulingV1().PriorityClasses().Get(ctx, name, metav1.GetOptions{})
}

// row is what the agent's page says of a class.
func (p *penaltyPlay) row(class string) (penalty.ClassRow, error) {
	rows, err := penalty.Classes(p.agents["penalty"])
	if err != nil {
		return penalty.ClassRow{}, err
	}
	i := slices.IndexFunc(rows, func(row penalty.ClassRow) bool { return row.Class == class })
	if i < 0 {
		return penalty.ClassRow{}, errors.New("the page has no class " + class)
	}
	return rows[i], nil
}

// command runs outrigger, and returns what it prints.
func (p *penaltyPlay) command(ctx context.Context, args ...string) (string, error) {
	text, err := exec.CommandContext(ctx, p.binary, args...).Output()
	if err != nil {
		return "", fmt.Errorf("outrigger %s: %w", strings.Join(args, " "), describe(err))
	}
	return string(text), nil
}

func (p *penaltyPlay) hours(at time.Time) float64 { return float64(at.Sub(p.began)) / float64(hour) }

// clock is the time of the demo's day: "07:30".
func clock(hours float64) string {
	minutes := int(hours * 60)
	return fmt.Sprintf("%02d:%02d", minutes/60, minutes%60)
}

// classOf is the class of a name, which must be one of the demo's.
func classOf(name string) penalised {
	return penalisedClasses[slices.IndexFunc(penalisedClasses, func(c penalised) bool { return c.name == name })]
}
