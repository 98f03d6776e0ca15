package native

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/nos"
	"github.com/cellwarden/cellwarden/nos/sonic"
)

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
