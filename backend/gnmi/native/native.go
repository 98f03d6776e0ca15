// Package native brings a plan to a switch as native configuration over gNMI: what a
// dialect renders, for the parts of a plan that OpenConfig cannot express. SONiC takes
// CONFIG_DB, SR Linux its own model, EOS its augmentations of OpenConfig.
//
// # A push
//
// [Look] reads what the switch has at the paths that the dialect writes, and compares the values: 5 and "5" are equal,
// and members of an object that the plan does not name are left alone. [Push.Run] drives the engine of package backend:
// it sends a Set for each phase of the rendering, reads back, and compares again. After a difference or an error it
// restores the previous values. A value that was changed gets its former value, and a value that was not there is
// deleted, each only where the switch has another one now. The State of the Report is read from the switch, whatever
// the switch answered.
//
// With gnmi.Options.Rollback each Set is a commit that the switch undoes unless it is
// confirmed, except on switches whose profile rules it out. [Watch] waits for changes
// of the switch, and a [Comparison] compares it with a plan for package drift.
//
// A value that a switch does not accept while it runs is never sent. The Report's Rendering lists it as waiting.
//
// # What the switch changes afterwards
//
// SONiC's buffer manager acts on CONFIG_DB. The dialect renders what the manager of the switch leaves as it is, and the
// Report's Rendering lists under Undone the values that the manager would change or drop, or may.
//
// # A push that was interrupted
//
// An [Observer] writes a push to a journal. A [Resumption] reads the changes back from
// the journal, reads the switch, says of each path whether it has the former value, the
// planned one or another, and pushes what is left, to finish or to undo.
//
// # Lost answers
//
// A switch that does not answer a Set is read until it shows that it made the Set, or until the time that a Set may
// take is over: see gnmi.Client.Deliver. After that it may still be at work, so its state is unknown. sonic-gnmi
// answers every failure of its configuration updater with the code Unknown, and has been seen to answer an error after
// it had written (sonic-gnmi issue 238), so its answer alone decides nothing.
package native

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/grpc/codes"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/backend/gnmi"
	"github.com/cellwarden/cellwarden/backend/journal"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/jsontree"
	"github.com/cellwarden/cellwarden/nos"
	"github.com/cellwarden/cellwarden/nos/sonic"
)

// Language is the native configuration of a kind of switch: SONiC or Fixed.
type Language interface {
	content
	// probe asks the switch for what the rendering depends on, beside its configuration.
	probe(context.Context, *gnmi.Client)
	// Version is the version that the switch reported; empty: none.
	Version() string
	// Unread renders the plan for a switch that has not been read.
	Unread() *nos.Rendering
}

// content is what a switch is asked for and sent: of a plan in a language, or of a journal.
type content interface {
	// reads are what is read. The first has to be there if required is.
	reads() []reading
	// render renders the plan for a switch that has this configuration; nil: there is no plan.
	render(Trees) (*nos.Rendering, error)
	// overwrites tells whether an update of a path replaces the value there as a
	// whole. If not, a replace restores the previous value.
	overwrites() bool
}

// reading is one Get.
type reading struct {
	origin   string
	path     []nos.Elem
	kind     gpb.GetRequest_DataType
	required bool
}

// Change is a value of the switch that differs from the plan.
type Change struct {
	Path     string
	From, To string // JSON; empty: nothing is there
	Phase    int
	// Reach is what the change may stop: by the switch's way of making it, and by what is in it.
	Reach   buffer.Disruption
	Carries []buffer.Kind     // registers in it; a target's profile may know better
	Stops   buffer.Disruption // what the switch's way of making it stops

	update nos.Update
	before any  // the previous value; nil: none
	after  any  // the planned value; nil: none
	whole  bool // the value becomes exactly the planned one: no other member stays beside it
	number int  // of the phase, counted from 1
}

// Report is what a push did.
type Report struct {
	Device      string
	State       backend.State
	Rendering   *nos.Rendering  // for what the switch had when it was first read; nil: the push is resumed
	Found       []foundChange   // what the switch had of a push that is resumed
	Changes     []Change        // what was to be sent, in order
	Has         backend.Content // what the switch had when it was read last
	Differences []Change        // From was read back, To is planned
	Others      []Change        // what others changed meanwhile: back to the values before the push
	// Checkpoint says that a checkpoint of the switch is not what it holds, and is what other clients read; empty: none.
	Checkpoint string
}

// Push is a plan compared with a switch.
type Push struct {
	Report   *Report
	Observer backend.Observer[Trees, Change] // nil: none
	// Longest is how long one Set may take. 0: as the client's Options.SetTimeout says.
	Longest time.Duration
	// Through is what the push drives in place of its device, for tests that break a rule of pushing; nil: the device.
	Through func(backend.Device[Trees, Change]) backend.Device[Trees, Change]

	device *device
	push   *backend.Push[Trees, Change]
}

// ErrNotSent says that cellwarden does not send a configuration that it renders.
var ErrNotSent = errors.New("it is not sent")

// Look reads a switch and compares it with the plan. It sends nothing.
func Look(ctx context.Context, client *gnmi.Client, language Language) (*Push, error) {
	d := &device{Client: client, language: language}
	p := &Push{device: d, Report: &Report{Device: client.Name(), State: backend.Unchanged, Has: backend.NotRead}}
	language.probe(ctx, client)
	now, err := d.Read(ctx)
	if err != nil {
		return p, fmt.Errorf("reading %s: %w", client.Name(), err)
	}
	r, err := language.render(now)
	if err != nil {
		return p, err
	}
	p.Report.Rendering = r
	if r.NotSent != "" {
		return p, fmt.Errorf("%w: %s", ErrNotSent, r.NotSent)
	}
	if p.Report.Checkpoint = d.checkpoint(ctx, now); p.Report.Checkpoint != "" {
		r.Notes = append(r.Notes, p.Report.Checkpoint)
	}
	changes := values(r.Updates, now.at)
	if as := client.Profile(); as != nil {
		judge(changes, as.Disruption)
	}
	p.plan(changes, now)
	return p, nil
}

// watch calls changed when the switch reports that something which the language reads has changed, and once when it
// has reported all. Look compares then. lost is called when the switch cannot be reached: see gnmi.Client.WatchOn. A
// SONiC switch may refuse to report tables that are empty: then those that have entries are watched.
func watch(ctx context.Context, client *gnmi.Client, language Language, changed func(context.Context) error,
	lost func(error)) error {
	prefix, paths := watched(client, language.reads(), nil)
	began := false
	err := client.WatchPaths(ctx, prefix, paths, func(ctx context.Context) error {
		began = true
		return changed(ctx)
	}, lost)
	refused := codeOf(err) == codes.InvalidArgument || codeOf(err) == codes.NotFound
	if began || !refused || language.reads()[0].origin != sonic.Origin {
		return err
	}
	now, failed := (&device{Client: client, language: language}).Read(ctx)
	if failed != nil {
		return err
	}
	prefix, paths = watched(client, language.reads(), now)
	return client.WatchPaths(ctx, prefix, paths, changed, lost)
}

// watched is what a switch is asked to report: what is read, or of it what has something now.
func watched(client *gnmi.Client, reads []reading, now Trees) (prefix *gpb.Path, paths []*gpb.Path) {
	for i, r := range reads {
		from, path := source(client, r)
		if prefix = from; now == nil || now[i].tree != nil {
			paths = append(paths, &gpb.Path{Elem: elems(path)})
		}
	}
	return prefix, paths
}

// plan sets the values of the plan for a switch that has been read, also those that the switch has already, because
// others may change them before the push has ended.
func (p *Push) plan(values []Change, now Trees) {
	p.device.plan = values
	p.push = backend.Compare(p.device, now)
	p.Report.Changes, p.Report.Has = p.push.Changes, p.push.Has
}

// Run sends what differs, reads back and compares. The Report's State tells how
// the switch was left; the error why it is not the plan.
func (p *Push) Run(ctx context.Context) error {
	p.device.longest, p.push.Observer = p.Longest, p.Observer
	if p.Through != nil {
		p.push.Device = p.Through(p.push.Device)
	}
	err := p.push.Run(ctx)
	p.Report.State, p.Report.Has = p.push.State, p.push.Has
	p.Report.Differences, p.Report.Others = p.push.Differences, p.push.Others
	return err
}

// Plans tells whether an earlier push has changed nothing but values of this plan, to what the plan has.
func (p *Push) Plans(earlier []journal.Value) bool {
	planned := map[string]string{}
	for _, c := range p.device.plan {
		planned[c.update.Origin+" "+c.Path] = jsonText(c.after)
	}
	for _, v := range earlier {
		to, known := planned[v.Origin+" "+v.Path]
		if !known || (len(v.To) == 0) != (to == "") {
			return false
		}
		if to == "" {
			continue
		}
		after, err := parse(v.To, v.Origin == sonic.Origin)
		if err != nil || jsonText(after) != to {
			return false
		}
	}
	return len(earlier) > 0
}

// Compare reads the switch once more and compares it with the plan: [backend.ErrMismatch] if they differ.
func (p *Push) Compare(ctx context.Context) error {
	now, err := p.device.Read(ctx)
	if err != nil {
		return err
	}
	if left := p.device.Diff(now); len(left) > 0 {
		return fmt.Errorf("%w: %s", backend.ErrMismatch, p.device.Mismatch(left))
	}
	return nil
}

// Changes compares updates with a configuration. at returns the value of the configuration at a path, as decoded JSON
// without the names of modules, or nil. A nil function: the configuration is not known, and every update
// counts as a change. disruption is the traffic that a change of a kind of register may stop.
func Changes(updates []nos.Update, at func([]nos.Elem) any, disruption func(buffer.Kind) buffer.Disruption) []Change {
	out := slices.DeleteFunc(values(updates, at), func(c Change) bool { return at != nil && c.made(c.before) })
	judge(out, disruption)
	return out
}

// values are all updates as changes of the present values, also those that are made.
func values(updates []nos.Update, at func([]nos.Elem) any) []Change {
	var out []Change
	for _, u := range updates {
		c := Change{Path: nos.Text(u.Path), To: string(u.JSON), Phase: u.Phase, Carries: u.Carries, Stops: u.Stops,
			Reach: u.Stops, update: u}
		for _, k := range u.Carries {
			c.Reach = max(c.Reach, buffer.Step{Register: buffer.Register{Kind: k}, To: 1}.Disruption())
		}
		if u.JSON != nil {
			var err error
			if c.after, err = parse(u.JSON, u.Origin == sonic.Origin); err != nil {
				panic("native: " + err.Error()) // dialects write JSON
			}
		}
		if at != nil {
			c.before = at(u.Path)
			c.From = jsonText(c.before)
		}
		out = append(out, c)
	}
	return out
}

// String is the path.
func (c Change) String() string { return c.Path }

// judge sets the traffic that changes may stop, on a kind of switch whose disruption by each kind of register is known.
func judge(changes []Change, disruption func(buffer.Kind) buffer.Disruption) {
	for i := range changes {
		c := &changes[i]
		c.Reach = c.Stops
		for _, k := range c.Carries {
			c.Reach = max(c.Reach, disruption(k))
		}
	}
}

// made tells whether the present value is the one that the change makes.
func (c *Change) made(now any) bool {
	if c.after == nil || c.whole {
		return jsonText(now) == jsonText(c.after)
	}
	return jsontree.Contains(now, c.after)
}

// untouched tells whether the present value is the previous one.
func (c *Change) untouched(now any) bool { return jsonText(now) == jsonText(c.before) }

func jsonText(v any) string {
	if v == nil {
		return ""
	}
	out, err := json.Marshal(v)
	if err != nil {
		panic("native: " + err.Error()) // it was JSON
	}
	return string(out)
}
