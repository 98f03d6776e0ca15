package push

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/backend/gnmi/native"
	"github.com/cellwarden/cellwarden/backend/journal"
	"github.com/cellwarden/cellwarden/internal/grouped"
	"github.com/cellwarden/cellwarden/internal/unnamed"
	"github.com/cellwarden/cellwarden/nos"
	"github.com/cellwarden/cellwarden/nos/sonic"
	"github.com/cellwarden/cellwarden/unit"
)

// values are changes of values of native configuration. A resumed push has no rendering of a plan.
type values struct {
	report  *native.Report
	version string       // of the system, that the switch reported; empty: none
	found   *native.Push // nil: no switch was contacted
	resumed bool
}

// describeValues computes the values for a kind of switch that is not asked.
func describeValues(to *nos.Profile, plan nos.Plan, opt *Options) (subject, error) {
	language, err := opt.language(to, plan)
	if err != nil {
		return nil, err
	}
	if s, ok := language.(*native.SONiC); ok && opt.SONiC.Current != nil {
		if err := s.Ports(opt.SONiC.Current); err != nil {
			return nil, err
		}
	}
	r := language.Unread()
	v := &values{report: &native.Report{State: backend.Unchanged, Has: backend.NotRead, Rendering: r,
		Changes: native.Changes(r.Updates, valueAt(opt.SONiC.Current), to.Disruption)}}
	return v, v.enough(opt)
}

// valueAt returns the function that finds a value of a configuration by its path; nil if the configuration is not
// known.
func valueAt(db sonic.Database) func([]nos.Elem) any {
	if db == nil {
		return nil
	}
	var tree any
	data, err := json.Marshal(db)
	if err == nil {
		err = json.Unmarshal(data, &tree)
	}
	if err != nil {
		panic("push: " + err.Error()) // it is made of maps and texts
	}
	return func(path []nos.Elem) any {
		at := tree
		for _, e := range path[len(sonic.Path()):] {
			object, _ := at.(map[string]any)
			at = object[e.Name]
		}
		return at
	}
}

// compareValues compares the plan with the native configuration of the switch.
func compareValues(ctx context.Context, s *session, plan nos.Plan, opt *Options) (subject, error) {
	language, err := opt.language(s.result.Profile, plan)
	if err != nil {
		return nil, err
	}
	found, err := native.Look(ctx, s.Client, language)
	if err != nil {
		return nil, notDone("nothing was sent", err)
	}
	v := &values{report: found.Report, version: language.Version(), found: found}
	return v, v.enough(opt)
}

// enough refuses, with Strict, a push after which the switch is not lossless, and one whose shares of the bandwidth are
// not those of the plan.
func (v *values) enough(opt *Options) error {
	if err := CheckShares(v.report.Rendering.Shares, opt.Strict, opt.ShareTolerance); err != nil {
		return fmt.Errorf("nothing was sent: %w", err)
	}
	if opt.Strict && !v.lossless() {
		return &gapsError{valuesVerdict(v.report.Rendering)}
	}
	return nil
}

func (v *values) lossless() bool {
	r := v.report.Rendering
	return !v.resumed && r.Lossless() && !r.NeedsReload()
}

func (v *values) run(ctx context.Context, w *journal.Writer) error {
	v.found.Observer = native.Observer(w)
	return v.found.Run(ctx)
}

func (v *values) plans(p *journal.Push) bool { return v.found != nil && v.found.Plans(p.Values) }

func (v *values) again(ctx context.Context, _ *session) error { return v.found.Compare(ctx) }

// about adds nothing: the journal contains the changes themselves.
func (v *values) about(*journal.About) {}

func (v *values) fill(out *Result) {
	r := v.report
	change := func(c native.Change) Change { return Change{Path: c.Path, From: c.From, To: c.To, Reach: c.Reach} }
	out.State, out.Has, out.Rendering, out.Version = r.State, r.Has, r.Rendering, v.version
	out.Changes, out.Differences = grouped.Each(r.Changes, change), grouped.Each(r.Differences, change)
	out.Others = grouped.Each(r.Others, change)
	out.Shares, out.Lossless = r.Rendering.Shares, v.lossless()
	out.Found = nil
	for _, f := range r.Found {
		x := unnamed.Add(&out.Found)
		x.Path, x.Holds = nos.Text(f.Path), string(f.Holds)
	}
	if !v.resumed {
		out.Verdict = valuesVerdict(r.Rendering)
	}
}

// valuesVerdict says whether a push of native values makes the switch lossless, and if not, what is missing.
func valuesVerdict(r *nos.Rendering) string {
	if r.NeedsReload() {
		n := 0
		for _, w := range r.Waiting {
			if w.Critical {
				n++
			}
		}
		if n == 1 {
			return "NOT LOSSLESS BEFORE A RELOAD: 1 value that the lossless groups need is not sent"
		}
		return fmt.Sprintf("NOT LOSSLESS BEFORE A RELOAD: %s values that the lossless groups need are not sent",
			unit.Thousands(n))
	}
	var needed []string
	for _, o := range r.Omitted {
		if o.Critical {
			needed = append(needed, o.ShortName())
		}
	}
	if len(needed) > 0 {
		return "NOT LOSSLESS BY THIS PUSH ALONE: missing: " + joined(needed)
	}
	if len(r.Undone) > 0 {
		return r.NotKept()
	}
	return "everything that the lossless groups need is on the switch or is sent"
}

func joined(list []string) string { return strings.Join(list, ", ") }
