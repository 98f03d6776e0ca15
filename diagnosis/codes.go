package diagnosis

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/cellwarden/cellwarden/finding"
)

// The codes of findings.
const (
	storm     finding.Code = "storm"
	headroom  finding.Code = "headroom"
	overrun   finding.Code = "overrun"
	classMap  finding.Code = "class-map"
	footroom  finding.Code = "footroom"
	spreading finding.Code = "spreading"
	victim    finding.Code = "victim"
)

// codes says what the codes mean, the gravest first.
var codes = finding.NewRegistry("watch", []finding.Meaning{
	{Code: storm, Severity: finding.Error,
		Rule: "A port was paused for nearly all of the interval, or the switch's PFC watchdog has detected a storm.",
		Effect: "Nothing of the class leaves the port, and what waits for it fills the switch, which pauses its other " +
			"neighbours.",
		Repair: "look at what this port is connected to: a NIC that has stopped, or queues that wait for each other " +
			"in a cycle; a PFC watchdog on this port frees the switch"},
	{Code: headroom, Severity: finding.Error,
		Rule:   "A group has sent pauses, and frames were dropped at its ingress.",
		Effect: "Frames of a lossless class are lost: its headroom was too small for what was in flight.",
		Repair: "raise the headroom of this port and class: the cable, the MTU or the peer's response time is " +
			"more than it was sized for"},
	{Code: overrun, Severity: finding.Warning,
		Rule:   "A group, or the headroom pool, has held more headroom than the plan gives it.",
		Effect: "The switch has another headroom than the plan, and other groups may lack it.",
		Repair: "compare the switch with the plan (drift): a group has held more headroom than the plan gives it, so " +
			"that the switch has another headroom than the plan, and other groups may lack it"},
	{Code: classMap, Severity: finding.Error,
		Rule:   "Frames of a class that should be lossless were dropped, and no pause was sent.",
		Effect: "Frames of a lossless class are lost: PFC is off for it, or the ends read or map the class differently.",
		Repair: "compare both ends: PFC on for this class, the field that the class is read from (PCP or DSCP), " +
			"and its map to priority and group"},
	{Code: footroom, Severity: finding.Warning,
		Rule:   "A group has sent pauses, and neither its port nor any egress is busy.",
		Effect: "The sender resumes too late, and the queue runs empty: the link is slower than it could be.",
		Repair: "let the sender resume earlier: a smaller XON offset (a higher resume threshold) for this port " +
			"and class, so that the queue does not run empty before the next frames arrive"},
	{Code: spreading, Severity: finding.Warning,
		Rule:   "A port receives pauses, and the switch sends some on other ports.",
		Effect: "Congestion behind the port stops senders that have nothing to do with it.",
		Repair: "follow the port that receives pauses to the switch behind it: the congestion is there, and this " +
			"switch passes it on"},
	{Code: victim, Severity: finding.Note,
		Rule:   "A port receives pauses, and the switch sends none.",
		Effect: "The class is slower on this port.",
		Repair: "nothing is wrong here: look at the neighbour of this port, which is congested or passes congestion on"},
})

// Codes returns the registry of the codes, the gravest first.
func Codes() *finding.Registry { return codes }

// fault returns the finding of a port's class with its evidence. An empty port is the shared headroom pool.
func fault(code finding.Code, port string, class int, evidence ...finding.Number) finding.Finding {
	object := "the headroom pool"
	if port != "" {
		object = fmt.Sprintf("%s class %d", port, class)
	}
	f := codes.New(code, finding.Place{}, object, finding.Texts(evidence))
	f.Port, f.Class, f.Evidence = port, class, evidence
	return f
}

// counted is a number of the evidence for a finding.
func counted(name string, value int64, unit string) finding.Number {
	return finding.Number{Name: name, Value: value, Unit: unit}
}

// order lists the codes, the gravest first.
var order = []finding.Code{storm, headroom, overrun, classMap, footroom, spreading, victim}

// graver orders findings by their codes, the gravest first.
func graver(a, b finding.Finding) int {
	return cmp.Compare(slices.Index(order, a.Code), slices.Index(order, b.Code))
}
