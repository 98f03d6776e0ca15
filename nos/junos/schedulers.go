package junos

import (
	"github.com/cellwarden/cellwarden/audit"
	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/internal/once"
	"github.com/cellwarden/cellwarden/internal/statements"
)

// dropProfiles reads the drop profiles: fill levels of a queue in percent, and the probability at each.
func (r *reader) dropProfiles() {
	for _, n := range named(r.cos.Find("drop-profiles")) {
		r.drops[n.Word(0)] = true
		object := "drop-profiles " + n.Word(0)
		of := n.Find("interpolate")
		levels := r.percents(of.Find("fill-level"), object, "fill-level")
		chances := r.percents(of.Find("drop-probability"), object, "drop-probability")
		if len(levels) != len(chances) && len(levels) > 0 && len(chances) > 0 {
			r.Find("number-format", of.Line, object, "%d fill levels and %d probabilities: want as many of "+
				"both", len(levels), len(chances))
		}
		for _, level := range named(n.Find("fill-level")) { // the form without interpolation, a step each
			levels = append(levels, r.Int(level.Word(0), level.Line, object, "fill-level", 0, 100))
			r.number(level, "drop-probability", object, "drop-probability", 0, 100)
		}
		r.ascending(levels, object, "fill-level")
		r.ascending(chances, object, "drop-probability")
	}
}

// percents reads a list of percentages.
func (r *reader) percents(s *statements.Statement, object, what string) (out []audit.Number) {
	for _, u := range named(s) {
		out = append(out, r.Int(u.Word(0), u.Line, object, what, 0, 100))
	}
	return out
}

// ascending finds a percentage that is below the one before it.
func (r *reader) ascending(of []audit.Number, object, what string) {
	for i := 1; i < len(of); i++ {
		if a, b := of[i-1], of[i]; a.Given && b.Given && b.Value < a.Value {
			r.Find("wred-min-over-max", b.At.Line, object, "%s %d comes after %d: want an ascending order", what,
				b.Value, a.Value)
			return
		}
	}
}

// scheduler is how a queue is served.
type scheduler struct {
	rate, size int64
	percent    audit.Number // transmit-rate
	strict     bool
	drops      bool
}

// amount matches a rate, a share or a time: 20m, 30, 1.5g.
var amount = once.Pattern(`^[0-9]+(\.[0-9]+)?[kmgKMG]?$`)

// value marks a statement whose words, in their order under each other, are amounts or some of a list.
func value(s *statements.Statement, words ...string) {
	if s == nil {
		return
	}
	s.Read()
	for _, u := range s.Active() {
		known := amount().MatchString(u.Word(0))
		for _, w := range words {
			known = known || w == u.Word(0)
		}
		if known {
			value(u, words...)
		}
	}
}

// schedulers checks the schedulers and their maps: names, and percentages.
func (r *reader) schedulers() {
	known := map[string]scheduler{}
	for _, n := range named(r.cos.Find("schedulers")) {
		known[n.Word(0)] = r.scheduler(n)
	}
	for _, n := range named(r.cos.Find("scheduler-maps")) {
		r.maps[n.Word(0)] = map[*class]scheduler{}
		object := "scheduler-maps " + n.Word(0)
		var sum scheduler
		for _, of := range named(n.Find("forwarding-class")) {
			c := r.class(of.Word(0), of.Line, object)
			name := only(of.Find("scheduler"))
			s, there := known[name]
			if !there {
				r.missing(of.Line, object, name, "scheduler", r.cos, "schedulers")
			}
			r.maps[n.Word(0)][c] = s
			sum.rate, sum.size = sum.rate+s.rate, sum.size+s.size
			if s.drops && c.noLoss {
				r.Find("pfc-class-drops", of.Line, object, "%s is without drops, and its scheduler %s has a drop profile "+
					"without explicit-congestion-notification", c.name, fielderr.Quote(name))
			}
		}
		r.AtMostAll(n.Line, object, "transmit-rate of all classes", sum.rate, " %")
		r.AtMostAll(n.Line, object, "buffer-size of all classes", sum.size, " %")
	}
}

// scheduler reads a scheduler.
func (r *reader) scheduler(n *statements.Statement) (s scheduler) {
	object := "schedulers " + n.Word(0)
	s.percent = r.number(n.Find("transmit-rate"), "percent", object, "transmit-rate percent", 0, 100)
	s.rate = s.percent.Value
	s.size = r.number(n.Find("buffer-size"), "percent", object, "buffer-size percent", 0, 100).Value
	r.number(n, "buffer-dynamic-threshold", object, "buffer-dynamic-threshold", 0, 10)
	value(n.Member("transmit-rate"), "percent", "exact", "remainder", "rate-limit", "overhead-accounting", "bytes")
	value(n.Member("buffer-size"), "percent", "exact", "remainder", "temporal", "shared", "buffer-partition", "multicast")
	value(n.Member("shaping-rate"), "percent", "burst-size", "no-limit")
	value(n.Member("excess-rate"), "percent", "proportion")
	value(n.Member("excess-priority"), "none", "low", "medium-low", "medium-high", "high")
	value(n.Member("priority"), "low", "medium-low", "medium", "medium-high", "high", "strict-high", "low-latency")
	s.strict = n.Member("priority").Member("strict-high") != nil
	marks := n.Find("explicit-congestion-notification") != nil
	for _, m := range []string{"drop-profile-map", "drop-profile"} {
		if at := n.Find(m); at != nil {
			s.drops = !marks
			r.dropProfile(at, m == "drop-profile", object)
		}
	}
	return s
}

// dropProfile reads drop-profile-map loss-priority any protocol any drop-profile NAME. Named says that the next word is
// the name.
func (r *reader) dropProfile(s *statements.Statement, isName bool, object string) {
	for _, u := range s.Active() {
		switch word := u.Word(0); {
		case isName:
			if u.Read(); !r.drops[word] {
				r.missing(u.Line, object, word, "drop profile", r.cos, "drop-profiles")
			}
		case word == "loss-priority", word == "protocol", word == "any", lossPriorities[word], word == "tcp",
			word == "non-tcp", word == "drop-profile":
			r.dropProfile(u.Read(), word == "drop-profile", object)
		}
	}
}
