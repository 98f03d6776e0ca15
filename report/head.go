package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/grouped"
	"github.com/cellwarden/cellwarden/unit"
)

// HeadLine is one line above a result: the name of what the line says, and the text. The verdict comes
// first, and has no name.
type HeadLine struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// PlanHead returns the verdict of a plan and the numbers that every result depends on: the chip, the sizing method, and
// the size of the packets that fill the headroom.
func PlanHead(p *buffer.Plan) []HeadLine {
	restsOn, note := p.RestsOn()
	out := []HeadLine{{"", verdictText(p) + note}}
	line := func(name, format string, args ...any) {
		out = append(out, HeadLine{name, fmt.Sprintf(format, args...)})
	}
	for _, note := range p.SizeNotes() {
		line("size", "%s", note)
	}
	for _, text := range restsOn {
		line("rests on", "%s", text)
	}
	line("chip", "%s: %s cells of %s in %s", p.Chip.Name, unit.Thousands(p.Chip.TotalCells),
		plural(int(p.Chip.Cell), "byte", "bytes"), plural(len(p.Slices), "slice", "slices"))
	credits := ""
	if p.ChannelCount > 0 {
		credits = fmt.Sprintf(", %s with credits (CBFC)", plural(p.ChannelCount, "virtual channel", "virtual channels"))
	}
	line("ports", "%s, %s%s", plural(p.PortCount, "port", "ports"),
		plural(p.LosslessGroups, "lossless group", "lossless groups"), credits)
	line("headroom", "method %s, %s", p.Sizing.Method, framesText(p))
	switch s := p.Shared; {
	case s != nil:
		line("shared", "headroom pool of %s cells for %s cells of all groups: oversubscribed %v; worst slice %v",
			unit.Thousands(s.PoolCells), unit.Thousands(s.GroupCells), s.Ratio, s.Worst)
	case p.Chip.PortOwnsHeadroom:
		line("shared", "no headroom pool: each port has the headroom of its groups together, which one group can use up")
	default:
		line("shared", "no headroom pool: every group's headroom is dedicated")
	}
	if p.Assumed() {
		line("pipes", "%s", placementText(p))
	}
	for _, r := range p.ShortEgress() {
		line("egress", "class %s can lose packets: egress pool %s takes %s cells of slice %d for a queue, and the ingress "+
			"can hold %s", r.Class, r.Pool, unit.Thousands(r.Egress), r.Slice, unit.Thousands(r.Ingress))
	}
	return out
}

// verdictText is the first line: what was checked, and no more.
func verdictText(p *buffer.Plan) string {
	switch PlanVerdict(p) {
	case FitsAsPlaced:
		worst := p.WorstPlacement()
		return fmt.Sprintf("FITS IF the ports take the pipes in turn, which is assumed: placed %s, %d of %d fit",
			worst.Name, worst.Fits, worst.Of) + sharedText("; headroom", p.Shared)
	case DoesNotFit:
		return fmt.Sprintf("DOES NOT FIT: %s, first %s", plural(len(p.Refusals), "port is refused", "ports are refused"),
			p.Refusals[0].Port) + fitsForFrames(p)
	}
	return "FITS" + sharedText(" with headroom", p.Shared)
}

// fitsForFrames says from which frames on a refused plan fits; empty if it does for no size, or the method does not
// reckon with frames.
func fitsForFrames(p *buffer.Plan) string {
	for _, m := range p.Refusals[0].Remedies {
		if from, more := strings.CutSuffix(m.To, "-and-more"); m.Change == "headroom.frame" && more {
			return fmt.Sprintf("; fits for frames of %s and more", from)
		}
	}
	return ""
}

// sharedText says after some words that groups share headroom that not all of them can have at once; else it is empty.
func sharedText(after string, r *buffer.SharedRatio) string {
	if ratio := headroomShared(r); ratio != "" {
		return after + " shared " + ratio
	}
	return ""
}

// headroomShared is how far the shared headroom pool of the worst slice is oversubscribed, "2.00:1"; empty if all
// groups can have their headroom at once. It stands beside the verdict, because such a plan is not lossless if all
// links pause at once.
func headroomShared(r *buffer.SharedRatio) string {
	if !r.Oversubscribed() {
		return ""
	}
	return r.Worst.String()
}

// placementText says of how many ports the pipe is assumed, and what fits in each placement that was tried.
func placementText(p *buffer.Plan) string {
	assumed := 0
	for _, x := range p.Ports {
		if !x.Given {
			assumed++
		}
	}
	text := fmt.Sprintf("assumed for %d of %d ports: in turn", assumed, len(p.Ports))
	best, worst := p.BestPlacement(), p.WorstPlacement()
	if best.Fits == worst.Fits {
		return fmt.Sprintf("%s; as many ports fit in each of %d placements tried", text, len(p.Placements))
	}
	tried := grouped.Each(p.Placements, func(t buffer.Placement) string { return fmt.Sprintf("%s %d", t.Name, t.Fits) })
	return fmt.Sprintf("%s; of %d ports fit: %s (best %s, worst %s)", text, best.Of, strings.Join(tried, ", "),
		best.Name, worst.Name)
}

// framesText says which frames are assumed to fill the headroom; of each class if they differ.
func framesText(p *buffer.Plan) string {
	if frames := p.Sizing.Mix.Words(); frames != "" {
		return "for " + frames
	}
	var out []string
	for i := range p.Sizing.Kinds {
		k := &p.Sizing.Kinds[i]
		text := fmt.Sprintf("%s (%s)", k.Mix.Words(), k.Class)
		if k.Mix.Words() != "" && !slices.Contains(out, text) {
			out = append(out, text)
		}
	}
	if len(out) == 0 {
		return "frame size not stated by the method"
	}
	return "for " + strings.Join(out, ", ")
}

// plural prints a number with the word for it.
func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return unit.Thousands(n) + " " + many
}
