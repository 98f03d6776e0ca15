package rollout

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/cellwarden/cellwarden/diagnosis"
	"github.com/cellwarden/cellwarden/finding"
	"github.com/cellwarden/cellwarden/unit"
)

// Bounds are the most that a switch may count from before its wave to after it. What is more speaks against the change.
type Bounds struct {
	Drops    int64        // frames that a lossless group loses
	Storms   int64        // that the watchdog finds for a group
	Paused   unit.Percent // of the time, that a group is paused by its neighbour; more than 0
	Headroom unit.Percent // of a group's headroom, that its watermark says
	Flaps    int64        // changes of a port between up and down
	said     []string     // the names of those that were set: what a switch does not count of them stops the change
}

// Strictest are the bounds without others.
func Strictest() Bounds { return Bounds{Paused: 90 * unit.OnePercent, Headroom: unit.Whole} }

// String lists the bounds as Set reads them.
func (b Bounds) String() string {
	return fmt.Sprintf("drops=%d,storms=%d,paused=%v,headroom=%v,flaps=%d", b.Drops, b.Storms, b.Paused, b.Headroom, b.Flaps)
}

// Set changes bounds: drops=0,paused=50%.
func (b *Bounds) Set(text string) error {
	out := *b
	out.said = slices.Clone(b.said)
	for part := range strings.SplitSeq(text, ",") {
		name, value, _ := strings.Cut(part, "=")
		counts := map[string]*int64{"drops": &out.Drops, "storms": &out.Storms, "flaps": &out.Flaps}
		shares := map[string]*unit.Percent{"paused": &out.Paused, "headroom": &out.Headroom}
		n, badCount := strconv.ParseInt(value, 10, 64)
		share, badShare := unit.ParsePercent(value)
		switch {
		case counts[name] != nil && (badCount != nil || n < 0):
			return fmt.Errorf("%.40q: want %s and a number, such as %s=0", part, name, name)
		case counts[name] != nil:
			*counts[name] = n
		case shares[name] != nil && (badShare != nil || share < 0 || share > unit.Whole || name == "paused" && share == 0):
			return fmt.Errorf("%.40q: want %s and a part up to 100%%, such as %s=50%%", part, name, name)
		case shares[name] != nil:
			*shares[name] = share
		default:
			return fmt.Errorf("%.40q (want drops, storms, paused, headroom or flaps, such as drops=0)", part)
		}
		out.said = append(out.said, name)
	}
	*b = out
	return nil
}

// Type is the name of the type in the help of a flag.
func (*Bounds) Type() string { return "BOUNDS" }

// Counted is what a switch has counted at a time.
type Counted struct {
	Sample diagnosis.Sample `json:"sample"`
	// Flaps are changes between up and down, by port; a port that is not there: not known.
	Flaps map[string]int64 `json:"flaps,omitempty"`
}

// Judge says what two readings of a switch speak against a change, beginning with a code; what is not known of its
// lossless groups that must be, which is their drops and each bound that was set; and what else the switch does not
// count. Without a first reading (nil) there are no findings, and the rest is of the second.
func (b Bounds) Judge(grants []diagnosis.Grant, was *Counted, now Counted) (findings, unknown, uncounted []string) {
	var before *diagnosis.Sample
	if was != nil {
		before = &was.Sample
	}
	a, err := diagnosis.Limits{Paused: b.Paused}.Assess(grants, unit.Optional[unit.Bytes]{}, before, now.Sample)
	if err != nil {
		return nil, []string{strings.Join(strings.Fields(err.Error()), " ")}, nil
	}
	if was != nil {
		findings = b.findings(&a, was, &now)
	}
	for _, text := range missing(a.Uses, cmp.Or(was, &now).Flaps, now.Flaps) {
		if name, _, _ := strings.Cut(text, ":"); name == "drops" || slices.Contains(b.said, name) {
			unknown = append(unknown, text)
		} else {
			uncounted = append(uncounted, text)
		}
	}
	return findings, unknown, uncounted
}

// findings are what of two readings is over its bound, beginning with a code.
func (b Bounds) findings(a *diagnosis.Assessment, was, now *Counted) (findings []string) {
	found := func(is bool, format string, args ...any) {
		if is {
			findings = append(findings, fmt.Sprintf(format, args...))
		}
	}
	// What was lost, the watermark, and the storms that the switch has found are compared with the bounds.
	compared := []finding.Code{"headroom", "class-map", "overrun"}
	for i := range a.Findings {
		f := &a.Findings[i]
		paused := slices.ContainsFunc(f.Evidence, func(n finding.Number) bool { return n.Name == "paused" })
		found(!slices.Contains(compared, f.Code) && (f.Code != "storm" || paused), "%s: %s", f.Code, f.Message)
	}
	for _, u := range a.Uses {
		where := fmt.Sprintf("group %d of %s", u.Group, u.Port)
		lost, storms, share := u.Drops.Or(0), u.Storms.Or(0), u.Share.Or(0)
		found(lost > b.Drops, "drops: %s has lost %d frames (at most %d)", where, lost, b.Drops)
		found(storms > b.Storms, "storms: %s had %d (at most %d)", where, storms, b.Storms)
		found(share > b.Headroom, "headroom: %s has used %v of its headroom (at most %v)", where, share, b.Headroom)
	}
	for _, port := range slices.Sorted(maps.Keys(now.Flaps)) {
		before, known := was.Flaps[port]
		n := now.Flaps[port] - before
		found(known && n > b.Flaps, "flaps: %s went up or down %d times (at most %d)", port, n, b.Flaps)
	}
	return findings
}

// missing says what two readings do not have of what bounds are about, each beginning with the name of the bound. was
// and now are their flaps.
func missing(uses []diagnosis.Use, was, now map[string]int64) (out []string) {
	count, ports := map[string]int{}, map[string]bool{}
	note := func(name string, known bool) {
		if !known {
			count[name]++
		}
	}
	for i := range uses {
		u := &uses[i]
		note("drops", u.Drops.IsGiven())
		note("storms", u.Storms.IsGiven())
		note("paused", u.Paused.IsGiven())
		note("headroom", u.Share.IsGiven())
		if !ports[u.Port] {
			_, before := was[u.Port]
			_, after := now[u.Port]
			note("flaps", before && after)
		}
		ports[u.Port] = true
	}
	for _, name := range []string{"drops", "headroom", "paused", "storms", "flaps"} {
		of := fmt.Sprintf("%d lossless groups", len(uses))
		if name == "flaps" {
			of = fmt.Sprintf("%d ports", len(ports))
		}
		if n := count[name]; n > 0 {
			out = append(out, fmt.Sprintf("%s: not counted of %d of %s", name, n, of))
		}
	}
	return out
}
