package risk

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/grouped"
	"github.com/cellwarden/cellwarden/internal/unnamed"
	"github.com/cellwarden/cellwarden/report"
	"github.com/cellwarden/cellwarden/unit"
)

// Question asks how likely the shared headroom pools of a switch overflow. It states one behaviour, or none: by Paused;
// by Pauses and PauseTime; by Congested and FanIn; or by Watermarks. Values are texts as a person writes them, so that
// the answer can repeat them.
type Question struct {
	Paused     unit.Optional[string]  // part of the time for which each group is paused: 0.1%, 0.001
	Pauses     unit.Optional[float64] // pauses of a group in a second
	PauseTime  unit.Optional[string]  // length of a pause: 20us
	Congested  unit.Optional[string]  // part of the time for which each egress port is congested
	FanIn      unit.Optional[int]     // senders of a congested egress port
	Watermarks unit.Optional[[]byte]  // CSV with the columns port, group and cells
	File       string                 // name of Watermarks in sentences
	Target     float64                // accepted risk, above 0 and below 1
	Trials     int                    // of a sample that checks Paused, or Pauses; 0: none
	Seed       uint64                 // of the sample
	// Most bounds the work of one sum: groups times cells, and groups times trials. 0: no bound.
	Most int64
	// Named returns the name of an option in messages, for "pause-time" and others; nil: as it is.
	Named func(option string) string
}

// stated is a question that was read.
type stated struct {
	*Question
	sentence string      // the behaviour; empty: none is stated
	part     float64     // of the time for which each group is paused
	marks    []watermark // of Watermarks
	on       func(in *buffer.Intent) (Behaviour, error)
}

// Check refuses a question with values out of range, or with several behaviours.
func (q *Question) Check() error {
	_, err := q.read()
	return err
}

// On returns the behaviour of a switch that the question states: of groups that never pause if it states none.
// Watermarks of ports that the intent does not have are refused.
func (q *Question) On(in *buffer.Intent) (Behaviour, error) {
	s, err := q.read()
	if err != nil {
		return nil, err
	}
	return s.on(in)
}

// Answer computes the risk of the switch and of each of its pools, and with a behaviour the ratio for the target. The
// intent need not fit: the risk belongs to the sizes that it asks for. It ends with the context's error soon after the
// context has ended.
func (q *Question) Answer(ctx context.Context, in buffer.Intent) (report.RiskDocument, error) {
	doc := report.RiskDocument{Schema: report.Schema("risk"), RestsOn: in.Chip.RestsOn(), Target: q.Target,
		Pools: []report.RiskPool{}, Verdict: "dedicated", MostPaused: 1}
	s, err := q.read()
	if err != nil {
		return doc, err
	}
	doc.Behaviour = s.sentence
	behaves, err := s.on(&in)
	if err != nil {
		return doc, err
	}
	a, err := buffer.NewAdmission(in)
	if err != nil {
		return doc, err
	}
	doc.Refused = len(a.Denied())
	pools, err := Pools(in)
	if err != nil || len(pools) == 0 {
		return doc, err
	}
	until(ctx, pools)
	if err := s.bounded(pools); err != nil {
		return doc, err
	}
	s.countMeasured(&doc, pools)
	for i := range pools {
		one, err := s.pool(&pools[i], behaves)
		if err != nil {
			return doc, err
		}
		doc.Pools = append(doc.Pools, one)
	}
	// The bound on the paused part needs no behaviour: it is the answer to a reader who has no numbers.
	if doc.MostPaused, err = MostPaused(pools, q.Target); err != nil {
		return doc, err
	}
	if err := s.verdict(&doc, pools, behaves); err != nil || doc.Overflow == nil {
		return doc, err
	}
	r, err := ratioFor(ctx, in, q.Target, behaves)
	if err != nil {
		return doc, err
	}
	to := unnamed.New(&doc.Ratio)
	to.Ratio, to.Risk, to.Beyond, to.Fits, to.Least = r.Ratio, r.Risk, r.Beyond, r.Fits, r.Least
	return doc, nil
}

// bounded refuses pools whose sums take more work than the question allows. With a ratio of 1 a pool has the cells of
// all groups, so these count. A watermark needs sums in single cells.
func (s *stated) bounded(pools []Pool) error {
	if s.Most == 0 {
		return nil
	}
	for i := range pools {
		p := &pools[i]
		all, groups := max(p.All(), p.Cells), int64(len(p.Groups))
		if len(s.marks) == 0 {
			all /= p.grain()
		}
		if most := s.Most / groups; int64(all) > most {
			return fmt.Errorf("slice %d: %d groups bring sums of %d steps (want at most %d)", p.Slice, groups, all, most)
		}
		if most := s.Most / groups; int64(s.Trials) > most {
			return fmt.Errorf("%s: %d of %d groups (want at most %d)", s.name("trials"), s.Trials, groups, most)
		}
	}
	return nil
}

// verdict says what is known of the switch: the probability that one of its pools overflows, a bound, or nothing.
func (s *stated) verdict(doc *report.RiskDocument, pools []Pool, behaves Behaviour) error {
	over, err := behaves(pools)
	switch {
	case err != nil:
		return err
	// A watermark can be more than the worst case that the plan assumes.
	case over.Probability == 0 && !slices.ContainsFunc(doc.Pools, func(p report.RiskPool) bool { return p.Smallest > 0 }):
		doc.Verdict = "never"
	case s.sentence == "":
		doc.Verdict = "no behaviour"
	case over.AtMost && over.Probability >= 1:
		doc.Verdict = "not known"
	case over.AtMost:
		doc.Verdict = "at most"
	default:
		doc.Verdict = "known"
	}
	if s.sentence != "" && doc.Verdict != "not known" {
		doc.Overflow = &over.Probability
	}
	return nil
}

// countMeasured counts the groups that were measured.
func (s *stated) countMeasured(doc *report.RiskDocument, pools []Pool) {
	if len(s.marks) == 0 {
		return
	}
	marked := map[string]bool{}
	for _, m := range s.marks {
		marked[m.Key()] = true
	}
	to := unnamed.New(&doc.Measured)
	for _, g := range groupsOf(pools) {
		if to.Groups++; marked[g.Key()] {
			to.Of++
		}
	}
	to.NotUsed = len(marked) - to.Of
}

// pool answers for the pool of one slice.
func (s *stated) pool(p *Pool, behaves Behaviour) (report.RiskPool, error) {
	set := p.Smallest()
	out := report.RiskPool{Slice: p.Slice, PoolCells: p.Cells, GroupCells: p.All(), Groups: len(p.Groups),
		AtOnce: p.AtOnce(), Smallest: len(set), Set: groupNames(set)}
	var err error
	if out.MostPaused, err = MostPaused([]Pool{*p}, s.Target); err != nil || s.sentence == "" {
		return out, err
	}
	over, err := behaves([]Pool{*p})
	if err != nil {
		return out, err
	}
	if !over.AtMost || over.Probability < 1 {
		out.Overflow = &over.Probability
	}
	// The sample is a check of the exact result by other means. It is importance sampling, because plain trials would
	// see no overflow at a risk of 1e-9.
	if s.Trials != 0 {
		e, err := p.Sample(s.part, s.Seed, s.Trials)
		if err != nil {
			return out, fmt.Errorf("%s: %w", s.name("trials"), err)
		}
		to := unnamed.New(&out.Sampled)
		to.Probability, to.Low, to.High, to.Trials, to.Seed = e.Probability, e.Low, e.High, e.Trials, s.Seed
	}
	return out, nil
}

// asMeasured is the behaviour of groups with watermarks. Ports that the intent does not have are refused: a name of
// another switch, or of another system, would leave its group unmeasured.
func (s *stated) asMeasured(in *buffer.Intent) (Behaviour, error) {
	names := grouped.Each(in.Ports, func(p buffer.Port) string { return p.Name })
	measured := map[string][]cells.Count{}
	for _, m := range s.marks {
		if !slices.Contains(names, m.Port) {
			return nil, fmt.Errorf("%s:%d: no port %.200q in the plan (want %s)", s.File, m.line, m.Port,
				buffer.FoldPorts(names))
		}
		key := m.Key()
		measured[key] = append(measured[key], m.Cells)
	}
	each := Apart(func(p *Pool) (float64, error) { return p.Measured(measured) })
	return func(pools []Pool) (Overflow, error) {
		x, err := each(pools)
		for _, g := range groupsOf(pools) {
			// A group without a watermark counts with its worst case.
			x.AtMost = x.AtMost || len(measured[g.Key()]) == 0
		}
		return x, err
	}, nil
}

// groupsOf returns the groups of pools, each once.
func groupsOf(pools []Pool) (out []Group) {
	seen := map[string]bool{}
	for i := range pools {
		for _, g := range pools[i].Groups {
			if key := g.Key(); !seen[key] {
				seen[key], out = true, append(out, g)
			}
		}
	}
	return out
}

// groupNames names groups: "group 3 of Ethernet1/1-4".
func groupNames(groups []Group) string {
	ports := map[int][]string{}
	for _, g := range groups {
		ports[g.Group] = append(ports[g.Group], g.Port)
	}
	var out []string
	// Groups of one number fold into ranges of ports; a set of groups usually has one number or two.
	for g := range 8 {
		if len(ports[g]) > 0 {
			out = append(out, fmt.Sprintf("group %d of %s", g, buffer.FoldPorts(ports[g])))
		}
	}
	return strings.Join(out, ", ")
}

// errOne says that a question has several behaviours.
func (q *Question) errOne() error {
	return errors.New(q.name("paused") + ", " + q.name("pauses") + ", " + q.name("congested") + " and " +
		q.name("watermarks") + " (want one behaviour)")
}

// name is the name of an option in messages.
func (q *Question) name(option string) string {
	if q.Named == nil {
		return option
	}
	return q.Named(option)
}
