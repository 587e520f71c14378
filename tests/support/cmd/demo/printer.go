package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"outrigger.dev/outrigger/tests/support/kube"
	"outrigger.dev/outrigger/tests/support/terminal"
)

const (
	bold  = "1"
	red   = "31"
	green = "1;32"
	faint = "2"
)

// printer writes the report, in 100 columns, and in colour on a terminal.
type printer struct {
	to     io.Writer
	colour bool
}

func newPrinter(file *os.File) *printer {
	return &printer{file, terminal.Is(file) && os.Getenv("NO_COLOR") == ""}
}

func (p *printer) line(format string, values ...any) {
	progress("")
	fmt.Fprintf(p.to, format+"\n", values...)
}

// in returns a text in a colour; pad it before.
func (p *printer) in(colour, text string) string {
	if !p.colour || colour == "" {
		return text
	}
	return "\x1b[" + colour + "m" + text + "\x1b[0m"
}

const nodeFormat = "%-12s%5s%8s   %-20s%-20s%s"

func (p *printer) header(s *stage) {
	p.line("%s, agents %s, a process each; stock kube-scheduler %s.",
		s.version, strings.Join(agentNames, " and "), s.kubernetes)
	p.line("etcd, kube-apiserver and kube-scheduler are real; nodes have no kubelet, and these loads:")
	p.line("")
	p.line("%s", p.in(bold, fmt.Sprintf(nodeFormat, "NODE", "CPUS", "MEMORY", "FREE CPU, MEASURED", "FREE MEMORY", "CONGESTION")))
	for _, n := range nodeSpecs {
		cpu, memory := "-", "-"
		if n.load != nil {
			cpu = fmt.Sprintf("%dm +- %dm", n.load.freeCPU, n.load.cpuDeviation)
			memory = fmt.Sprintf("%gGi +- %gGi", n.load.freeMemory, n.load.memoryDeviation)
		}
		more := fmt.Sprint(n.congestion)
		if n.unreachable {
			more += "   (tainted)"
		}
		p.line(nodeFormat, n.name, fmt.Sprint(n.cpus), fmt.Sprintf("%dGi", n.memoryGi), cpu, memory, more)
	}
	p.line("")
	p.line("Below is what the agents answered to kube-scheduler's own calls, recorded by a proxy in between.")
	p.line("Scores are 0 to 10, with weight %d in the scheduler's own sum. Not offered: kube-scheduler ruled", weight)
	p.line("the node out before it asked. No score: the node was rejected, or is the only one left.")
	p.line("")
	p.line("%s", p.in(bold, fmt.Sprintf(rowFormat, "POD", "NODE", "SAFE: VERDICT", "SAFE", "CONGESTION", "SUM", "")))
}

const rowFormat = "%-16s%-12s%-28s%6s%12s%6s%s"

// pod prints a row for every node, and why the pod is pending if it is.
func (p *printer) pod(spec podSpec, said attempt, pod *corev1.Pod) {
	left := []string{spec.name, "  cpu " + spec.cpu, "  memory " + spec.memory}
	for i, node := range nodeSpecs {
		first := ""
		if i < len(left) {
			first = left[i]
		}
		w := said[node.name]
		verdict, colour := "fits", ""
		switch {
		case !w.offered:
			verdict, colour = "not offered", faint
		case w.reason != "":
			verdict, colour = short(w.reason), red
		}
		mark := ""
		if pod.Spec.NodeName == node.name {
			mark = p.in(green, "  <- placed")
		}
		p.line(rowFormat, first, node.name, p.in(colour, fmt.Sprintf("%-28s", verdict)),
			score(w, "safe"), score(w, "congestion"), sum(w), mark)
	}
	if condition := kube.Condition(pod, corev1.PodScheduled); pod.Spec.NodeName == "" {
		p.line("%s; its condition PodScheduled is %s:", p.in(bold, spec.name+" is pending"), condition.Reason)
		for _, line := range wrap(condition.Message, 96) {
			p.line("    %s", line)
		}
	}
	p.line("")
}

func (p *printer) cure() {
	p.line("%s", p.in(bold, fmt.Sprintf("kubectl annotate node %s %s=%d --overwrite", cureNode, cureKey, cureValue)))
	p.line("")
}

func score(w words, agent string) string {
	if value, ok := w.scores[agent]; ok {
		return fmt.Sprint(value)
	}
	return "-"
}

func sum(w words) string {
	if len(w.scores) == 0 {
		return "-"
	}
	total := int64(0)
	for _, value := range w.scores {
		total += value
	}
	return fmt.Sprint(total)
}

// short is a reason without the agent's name and cut behind its figures, for a column of a table.
func short(reason string) string {
	_, reason, _ = strings.Cut(reason, ": ")
	reason, _, _ = strings.Cut(reason, " of ")
	return reason
}

func wrap(text string, width int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && len(line)+1+len(word) > width {
			lines = append(lines, line)
			line = ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	return append(lines, line)
}
