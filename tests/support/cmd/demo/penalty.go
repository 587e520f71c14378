package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"outrigger.dev/outrigger/tests/support/penalty"
)

const (
	// hour is how long one of the demo's day takes.
	hour         = time.Second
	nightfall    = 24 // hours of a day
	penalisedKey = "outrigger.dev/penalise"
	// explainedEnv names a file to which the demo writes what `explain penalty -o json` says when the day is over.
	explainedEnv = "OUTRIGGER_DEMO_JSON"
)

var (
	startCosts      = penalty.Increment{Flat: 120}
	completionCosts = penalty.Increment{Flat: 30}
)

// penalised is a class of the demo, and how its value should move.
type penalised struct {
	name        string
	rules       penalty.Rules
	annotations map[string]string
}

// goldClass recovers as the agent is set up, silverClass in steps, by its own annotations.
var (
	goldClass = penalised{"gold", penalty.Rules{
		Base: 1000, Floor: penalty.DefaultFloor(1000, 500), Start: startCosts, Completion: completionCosts,
		Recovery: penalty.Recovery{HalfLife: 3 * hour / 2, Grace: 2 * hour},
	}, nil}
	silverClass = penalised{"silver", penalty.Rules{
		Base: 500, Floor: penalty.DefaultFloor(500, 1000), Start: startCosts, Completion: completionCosts,
		Recovery: penalty.Recovery{Step: 40, Interval: hour, Grace: 2 * hour},
	}, map[string]string{
		"outrigger.dev/penalty-recovery": "steps", "outrigger.dev/penalty-step": "40",
		"outrigger.dev/penalty-step-interval": fmt.Sprint(hour.Seconds()),
	}}
	penalisedClasses = []penalised{goldClass, silverClass}
)

func (c penalised) build() *schedulingv1.PriorityClass {
	return &schedulingv1.PriorityClass{
		ObjectMeta: metav1.ObjectMeta{Name: c.name, Labels: map[string]string{penalisedKey: "true"}, Annotations: c.annotations},
		Value:      int32(c.rules.Base),
	}
}

// penaltyFlags are the policy of goldClass.
func penaltyFlags() []string {
	recovery := goldClass.rules.Recovery
	return []string{
		"--penalty.class-selector", penalisedKey + "=true",
		"--penalty.start", fmt.Sprintf("flat %g", startCosts.Flat),
		"--penalty.completion", fmt.Sprintf("flat %g", completionCosts.Flat),
		"--penalty.half-life", fmt.Sprint(recovery.HalfLife.Seconds()),
		"--penalty.grace", fmt.Sprint(recovery.Grace.Seconds()),
		"--penalty.coalesce", "0",
	}
}

// deed is what happens at an hour of the day: a PodGroup of a class starts or completes, or a pod of it is created.
type deed struct {
	hour        float64
	class, name string
	kind        penalty.Kind // empty: a pod
}

// penaltyMorning is over before the first value recovers.
var penaltyMorning = []deed{
	{0.5, "gold", "report-1", ""},
	{1, "gold", "train-1", penalty.Start},
	{1.7, "gold", "train-2", penalty.Start},
	{2, "silver", "batch-1", penalty.Start},
	{2.5, "gold", "train-3", penalty.Start},
	{3.5, "gold", "train-1", penalty.Completion},
	{3.8, "silver", "batch-1", penalty.Completion},
	{4.2, "gold", "train-2", penalty.Completion},
	{4.9, "gold", "train-3", penalty.Completion},
	{6.2, "gold", "report-2", ""},
}

// penaltyPlay is one day of two classes, and the end of the agent.
type penaltyPlay struct {
	*scene
	groups *penalty.Groups
	ledger penaltyLedger
	began  time.Time
	pods   map[string]int32 // which number each has
}

func runPenalty(ctx context.Context, keep bool) (err error) {
	if keep {
		return errors.New("--keep is for the scenario without a name")
	}
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	p := &penaltyPlay{ledger: newPenaltyLedger(), pods: map[string]int32{}}
	if p.scene, err = openScene(limited, nil, p.set); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.stop()) }()
	p.introduce()
	for _, act := range []func(context.Context) error{p.day, p.night, p.explain, p.restore} {
		if err := act(limited); err != nil {
			return err
		}
	}
	return p.out.verdict(&p.report)
}

// set makes PodGroups known, creates the classes, and starts the agent; it has looked at all when set returns.
func (p *penaltyPlay) set(ctx context.Context, s *stage) (err error) {
	if p.groups, err = penalty.InstallGroups(ctx, s.cluster.Config); err != nil {
		return err
	}
	for _, class := range penalisedClasses {
		_, err := s.cluster.Client.SchedulingV1().PriorityClasses().Create(ctx, class.build(), metav1.CreateOptions{})
		if err != nil {
			return err
		}
	}
	if err := s.startAgent(ctx, "penalty", penaltyFlags()...); err != nil {
		return err
	}
	return s.awaitPenalty(ctx)
}

func (p *penaltyPlay) introduce() {
	p.out.line("%s, agent penalty, Kubernetes %s; etcd and kube-apiserver are real.", p.version, p.kubernetes)
	p.out.line("PodGroups are Volcano's. No scheduler runs. An hour of this day is %s.", hour)
	p.out.line("A start costs the PriorityClass of a PodGroup %g points, a completion %g. After %g quiet hours",
		startCosts.Flat, completionCosts.Flat, goldClass.rules.Recovery.Grace.Hours()*float64(time.Hour/hour))
	p.out.line("gold recovers by half each hour and a half, silver by 40 points an hour, as its annotations say.")
}

// day takes PodGroups through their phases.
func (p *penaltyPlay) day(ctx context.Context) error {
	p.title("PodGroups of gold and silver start and complete")
	p.began = time.Now()
	for _, deed := range penaltyMorning {
		if err := p.at(ctx, deed.hour); err != nil {
			return err
		}
		if err := p.do(ctx, deed); err != nil {
			return err
		}
	}
	gold := p.ledger.changesOf("gold")
	first := fmt.Sprint(gold[0].Before, " -> ", gold[0].After)
	p.promise(first == "1000 -> 880", "the first start took gold %s, want 1000 -> 880", first)
	p.promise(p.pods["report-1"] == 1000, "the pod of before has %d, want 1000", p.pods["report-1"])
	p.promise(p.pods["report-2"] < 1000, "the pod of after has %d, as that of before", p.pods["report-2"])
	return nil
}

// night is quiet: all values go back to their bases.
func (p *penaltyPlay) night(ctx context.Context) error {
	p.title("Nothing starts any more: the values recover")
	err := p.follow(ctx, "all classes are at their bases", func() (bool, error) { return p.atBase() })
	if err != nil {
		return err
	}
	if err := p.at(ctx, max(nightfall, p.hours(time.Now())+1)); err != nil {
		return err
	}
	if err := p.do(ctx, deed{class: "gold", name: "report-3"}); err != nil {
		return err
	}
	p.promise(p.pods["report-3"] == 1000, "the pod of the evening has %d, want 1000", p.pods["report-3"])
	if err := p.checkEarlier(ctx); err != nil {
		return err
	}
	p.checkChanges()
	return p.checkClasses(ctx)
}

// explain prints what the agent itself says of the day, but for the changes, which were shown.
func (p *penaltyPlay) explain(ctx context.Context) error {
	agent := p.agents["penalty"].AdminURL
	p.title("outrigger explain penalty --agent " + agent + ", without changes and some columns")
	text, err := p.command(ctx, "explain", "penalty", "--agent", agent)
	if err != nil {
		return err
	}
	p.showText(shortTables(text))
	path := os.Getenv(explainedEnv)
	if path == "" {
		return nil
	}
	if text, err = p.command(ctx, "explain", "penalty", "-o", "json", "--agent", agent); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(text), 0o644)
}

// restore shows how the agent is removed while classes are penalised.
func (p *penaltyPlay) restore(ctx context.Context) error {
	p.title("The next day begins, and the agent is stopped")
	for _, start := range []deed{{class: "gold", name: "train-4"}, {class: "silver", name: "batch-2"}} {
		start.kind = penalty.Start
		if err := p.do(ctx, start); err != nil {
			return err
		}
	}
	agent := p.agents["penalty"]
	delete(p.agents, "penalty")
	if err := agent.Stop(10 * time.Second); err != nil {
		return fmt.Errorf("agent penalty, at its end: %w", err)
	}
	for _, class := range penalisedClasses {
		is, err := p.class(ctx, class.name)
		if err != nil {
			return err
		}
		p.promise(int64(is.Value) < class.rules.Base, "class %s has %d, its base, with a new penalty", class.name, is.Value)
	}
	p.title("outrigger penalty restore --all")
	kubeconfig, err := p.cluster.WriteKubeconfig("restore", p.cluster.Config)
	if err != nil {
		return err
	}
	text, err := p.command(ctx, "penalty", "restore", "--all", "--kubeconfig", kubeconfig)
	if err != nil {
		return err
	}
	p.showText(text)
	if err := p.checkClasses(ctx); err != nil {
		return err
	}
	return p.checkJournal(ctx)
}
