package native

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/backend/gnmi"
	"github.com/cellwarden/cellwarden/backend/journal"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/grouped"
	"github.com/cellwarden/cellwarden/nos"
	"github.com/cellwarden/cellwarden/nos/sonic"
)

// Observer writes a push of native values to a journal, or nil.
func Observer(w *journal.Writer) backend.Observer[Trees, Change] {
	return journal.Values[Trees](w, func(changes []Change) []journal.Value {
		return grouped.Each(changes, func(c Change) journal.Value {
			r := c.Recorded()
			return r.journaled()
		})
	})
}

// journaled is the change as a journal has it.
func (r *recordedChange) journaled() journal.Value {
	v := journal.Value{Path: nos.Text(r.Path), Origin: r.Origin, From: json.RawMessage(r.Before),
		To: json.RawMessage(r.Planned), Phase: r.Phase, MayStop: r.Reach.String()}
	for _, e := range r.Path {
		at := []string{e.Name}
		if e.Key != "" {
			at = append(at, e.Key, e.Value)
		}
		v.At = append(v.At, at)
	}
	return v
}

// parseValues reads the changes of a journal. It refuses what no push has written.
func parseValues(all []journal.Value) ([]recordedChange, error) {
	var out []recordedChange
	for i, v := range all {
		r := recordedChange{Origin: v.Origin, Before: string(v.From), Planned: string(v.To), Phase: v.Phase,
			Reach: buffer.Disruption(slices.Index(disruptions(), v.MayStop))}
		if r.Reach < 0 {
			return nil, fmt.Errorf("change %d: may_stop: %q: want %v", i+1, v.MayStop, disruptions())
		}
		for _, at := range v.At {
			switch len(at) {
			case 1:
				r.Path = append(r.Path, nos.Elem{Name: at[0]})
			case 3:
				r.Path = append(r.Path, nos.Elem{Name: at[0], Key: at[1], Value: at[2]})
			default:
				return nil, fmt.Errorf("change %d: at: %q: want a name, or a name, a key and its value", i+1, at)
			}
		}
		out = append(out, r)
	}
	return out, validate(out)
}

// CheckValues refuses changes of a journal that no push has written: see journal.Reader.
func CheckValues(all []journal.Value) error {
	_, err := parseValues(all)
	return err
}

// disruptions are the names of how far a change reaches.
func disruptions() []string {
	var out []string
	for d := buffer.DisruptsNothing; d <= buffer.DisruptsReboot; d++ {
		out = append(out, d.String())
	}
	return out
}

// Resumption is a switch whose push of native values is resumed: what a journal.Push needs.
type Resumption struct {
	Client *gnmi.Client // not embedded: a resumption has not its other methods
	// Longest is how long one Set may take. If the push was interrupted while a Set was not answered, the switch is given
	// that long to show that it was at work on it. 0: as the client's Options.SetTimeout says.
	Longest time.Duration
	// Pause waits between two readings of a switch that may be at work; nil: it sleeps.
	Pause func(context.Context, time.Duration) error
	// Push is what is left; nil before Look.
	Push *Push
}

var _ journal.Target = (*Resumption)(nil)

// Look reads the switch and finds what is left. A dry run does not wait for a switch that may be at work.
func (r *Resumption) Look(ctx context.Context, p *journal.Push, opt journal.Options) error {
	i := &interrupted{Undo: opt.Undo, Overwrite: opt.Overwrite, Pause: r.Pause}
	var err error
	if i.Changes, err = parseValues(p.Values); err != nil {
		return err
	}
	if !opt.DryRun && len(p.Pending) > 0 {
		if i.Unanswered, err = parseValues(p.Pending); err != nil {
			return err
		}
		all := p.Unanswered()
		i.Restores = all[len(all)-1].Restores // a device makes one after the other
		i.Within = p.AtWork(time.Now(), r.longest())
	}
	push, err := i.Look(ctx, r.Client)
	if err != nil {
		return err
	}
	r.Push, push.Longest = push, r.longest()
	return nil
}

// Remains reads the switch and tells whether a Set that was not answered, one of Unanswered of its push, would still
// change it or take away what others have written beside its values.
func (r *Resumption) Remains(ctx context.Context, one *journal.Push) (bool, error) {
	all, err := parseValues(one.Values)
	if err != nil {
		return true, err
	}
	now, err := (&device{Client: r.Client, language: written(all)}).Read(ctx)
	return err != nil || remains(now, all, one.Restores), err
}

func (r *Resumption) longest() time.Duration {
	if r.Longest > 0 {
		return r.Longest
	}
	return r.Client.LongestSet()
}

// Made tells whether the switch has a planned value of the push.
func (r *Resumption) Made() bool {
	return slices.ContainsFunc(r.Push.Report.Found, func(f foundChange) bool { return f.Holds == holdsPlanned })
}

// CommitWaits tells whether the switch says that a commit waits to be confirmed.
func (r *Resumption) CommitWaits(ctx context.Context) error { return r.Client.CommitWaits(ctx) }

// Unmade reports a state in which none of the changes that are left is made: they are the differences.
func (r *Resumption) Unmade(s backend.State) {
	r.Push.Report.State, r.Push.Report.Differences = s, r.Push.Report.Changes
}

// Run sends what is left.
func (r *Resumption) Run(ctx context.Context, w *journal.Writer) error {
	r.Push.Observer = Observer(w)
	return r.Push.Run(ctx)
}

// State tells how the switch was left.
func (r *Resumption) State() backend.State {
	if r.Push == nil {
		return backend.Unchanged
	}
	return r.Push.Report.State
}

// CancelCommit has the switch undo a commit of the push.
func (r *Resumption) CancelCommit(ctx context.Context, id string) (bool, error) {
	return r.Client.CancelCommit(ctx, id)
}

// MayHaveCancelled is the client's.
func (r *Resumption) MayHaveCancelled() bool { return r.Client.MayHaveCancelled() }

// recordedChange is a change as it is written down before it is made: all that is
// needed to make it later, or to undo it.
type recordedChange struct {
	Origin  string
	Path    []nos.Elem
	Before  string // JSON, without the names of modules; empty: nothing was there
	Planned string // JSON; empty: it goes
	Phase   int
	Reach   buffer.Disruption
}

// Recorded is the change to be written down.
func (c *Change) Recorded() recordedChange {
	return recordedChange{Origin: c.update.Origin, Path: c.update.Path, Before: c.From, Planned: c.To, Phase: c.Phase,
		Reach: c.Reach}
}

// validate refuses changes that no push has written down: of two origins, of none that is written, one within another,
// or with values that are no JSON. It says all at once.
func validate(all []recordedChange) error {
	if len(all) == 0 {
		return errors.New("no changes: want 1 or more")
	}
	var bad []error
	count := map[string]int{}
	for _, r := range all {
		count[fmt.Sprintf("%q", r.Path)]++
	}
	for i, r := range all {
		err := r.validate()
		within := -1 // itself
		for n := range r.Path {
			within += count[fmt.Sprintf("%q", r.Path[:n+1])]
		}
		switch {
		case err != nil:
		case r.Origin != all[0].Origin:
			err = fmt.Errorf("origin %q: want that of the first, %q", r.Origin, all[0].Origin)
		case within > 0:
			err = errors.New("want each path once, and none within another")
		}
		if err != nil {
			bad = append(bad, fmt.Errorf("change %d, %s: %w", i+1, nos.Text(r.Path), err))
		}
	}
	return errors.Join(bad...)
}

func (r *recordedChange) validate() error {
	for _, text := range []string{r.Before, r.Planned} {
		v, err := r.value(text, true)
		if text != "" && (err != nil || v == nil) {
			return fmt.Errorf("%q: want a value of JSON", text)
		}
		if r.Origin == sonic.Origin && text != "" && !fits(v, len(r.Path)) {
			return fmt.Errorf("%s: want a table's entries, an entry's fields, or a field's text, by the length of the path",
				text)
		}
	}
	switch {
	case r.Before == r.Planned:
		return errors.New("before and planned are the same: want a change")
	case r.Phase < 0:
		return fmt.Errorf("phase %d: want 0 or more", r.Phase)
	case r.Origin == sonic.Origin:
		return r.validateTable()
	case len(r.Path) < 2 || r.Path[0] != root[0]:
		return errors.New("want a path beneath /qos, or of origin " + sonic.Origin)
	}
	return nil
}

// root is what is read of a switch that is not SONiC.
var root = []nos.Elem{{Name: "qos"}}

// The lengths of paths of CONFIG_DB.
const (
	tableLength = 3
	entryLength = 4
	fieldLength = 5
)

func (r *recordedChange) validateTable() error {
	n := len(r.Path)
	if n < tableLength || n > fieldLength || !slices.Contains(sonic.Tables(), r.Path[tableLength-1].Name) ||
		!slices.Equal(r.Path[:2], sonic.Path()) ||
		slices.ContainsFunc(r.Path, func(e nos.Elem) bool { return e.Key != "" || e.Name == "" }) {
		return errors.New("want a table of CONFIG_DB that a plan writes, an entry or a field of it")
	}
	return nil
}

// fits tells whether a value is what CONFIG_DB has at a path of this length.
func fits(v any, length int) bool {
	if length >= fieldLength {
		_, ok := v.(string)
		return ok
	}
	object, ok := v.(map[string]any)
	for _, inner := range object {
		ok = ok && fits(inner, length+1)
	}
	return ok
}

// value reads one of the two values; nil: nothing is there. Only what is planned may have names of modules.
func (r *recordedChange) value(text string, planned bool) (any, error) {
	if text == "" {
		return nil, nil
	}
	return parse([]byte(text), r.Origin == sonic.Origin || !planned)
}

// mustValue is value of a change that is valid.
func (r *recordedChange) mustValue(text string, planned bool) any {
	v, err := r.value(text, planned)
	if err != nil {
		panic("native: " + err.Error())
	}
	return v
}

// found compares the two values with the present one.
func (r *recordedChange) found(now Trees) foundChange {
	v := now.at(r.Path)
	c := Change{before: r.mustValue(r.Before, false), after: r.mustValue(r.Planned, true)}
	f := foundChange{recordedChange: *r, Now: jsonText(v), Holds: holdsOther}
	switch {
	case c.made(v):
		f.Holds = holdsPlanned
	case c.untouched(v):
		f.Holds = holdsBefore
	}
	return f
}

// change leads from the present value to the planned one.
func (r *recordedChange) change(now Trees) Change {
	c := Change{Path: nos.Text(r.Path), To: r.Planned, Phase: r.Phase, Reach: r.Reach, Stops: r.Reach,
		update: nos.Update{Origin: r.Origin, Path: r.Path, Phase: r.Phase, Stops: r.Reach}, before: now.at(r.Path),
		after: r.mustValue(r.Planned, true)}
	if c.From = jsonText(c.before); r.Planned != "" {
		c.update.JSON = []byte(r.Planned)
	}
	return c
}

// entries takes a change of a whole table apart: others may have entries in it by now.
func (r *recordedChange) entries() []recordedChange {
	if r.Origin != sonic.Origin || len(r.Path) != tableLength {
		return []recordedChange{*r}
	}
	before, _ := r.mustValue(r.Before, false).(map[string]any)
	planned, _ := r.mustValue(r.Planned, true).(map[string]any)
	keys := maps.Clone(before)
	if keys == nil {
		keys = map[string]any{}
	}
	maps.Copy(keys, planned)
	var out []recordedChange
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		one := *r
		one.Path = append(slices.Clone(r.Path), nos.Elem{Name: key})
		one.Before, one.Planned = jsonText(before[key]), jsonText(planned[key])
		out = append(out, one)
	}
	return out
}

// written reads what changes that were written down are about.
type written []recordedChange

// render is nil: changes of a journal are no plan.
func (w written) render(Trees) (*nos.Rendering, error) { return nil, nil }

func (w written) overwrites() bool { return w[0].Origin == sonic.Origin }

func (w written) reads() []reading {
	if w[0].Origin != sonic.Origin {
		return (&Fixed{Rendering: &nos.Rendering{Updates: []nos.Update{{Origin: w[0].Origin}}}}).reads()
	}
	return slices.DeleteFunc((&SONiC{}).reads(), func(r reading) bool {
		return !r.required && !slices.ContainsFunc(w,
			func(c recordedChange) bool { return slices.Equal(c.Path[:tableLength], r.path) })
	})
}
