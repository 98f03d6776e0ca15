// Package native brings a plan to a switch in the switch's own words over gNMI:
// what a dialect renders, where OpenConfig has no words. SONiC takes CONFIG_DB,
// SR Linux its own model, EOS its augmentations of OpenConfig.
//
// # What a push does
//
// [Look] reads what the switch has at the paths that the language writes, and
// compares by meaning: 5 and "5" are the same, members of another's are nobody's
// business. [Push.Run] sends what differs, a Set for each phase of the rendering,
// in the order of the rendering; reads back; and compares again. After a
// difference or an error it restores what was there: what was changed gets its
// value back, what was not there is deleted, each only where the switch no longer
// has it. In the end the Report has a state that was read, never believed.
//
// What the switch does not take while it runs is never sent. It stands in the
// Report's Rendering as waiting.
//
// # What was interrupted
//
// A push whose process was killed is gone on with from what it wrote down: its
// [Journal] gets each [Change], whose Recorded form is all that [Interrupted]
// needs. It reads what the switch has by now, says of each path whether that is
// from before, as planned or something else, and makes a Push of what is left,
// forward or back.
//
// # What an answer is worth
//
// A Set whose answer is lost is followed by a read, and sent again only if
// nothing of it arrived and the connection was lost. After a deadline it is not:
// the switch may still be at work. sonic-gnmi answers every failure of its
// configuration updater with the code Unknown, and has been seen to answer an
// error after it had written (sonic-gnmi issue 238); so what it says is not
// believed either way.
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
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/dialect"
	"github.com/cellwarden/cellwarden/dialect/sonic"
)

// Language is how a plan is told to a kind of switch: SONiC or Fixed.
type Language interface {
	// introduce asks what the language has to know of the switch beside what it
	// holds.
	introduce(context.Context, *gnmi.Client)
	// reads are what is read. The first has to be there if required is.
	reads() []reading
	// render says the plan for a switch that holds this.
	render(held) (*dialect.Rendering, error)
	// overwrites tells whether an update of a path replaces what is there as a
	// whole. If not, what was there is restored by a replace.
	overwrites() bool
}

// reading is one Get.
type reading struct {
	origin   string
	path     []dialect.Elem
	kind     gpb.GetRequest_DataType
	required bool
}

// Change is a value of the switch that differs from the plan.
type Change struct {
	Path     string
	From, To string // JSON; empty: nothing is there
	Phase    int
	Reach    buffer.Disruption // what the change may stop: the switch's way of making it, and the worst among vendors for what is in it
	Carries  []buffer.Kind     // registers in it, of which a target's profile may know better
	Stops    buffer.Disruption // what the switch's way of making it stops

	update dialect.Update
	before any  // what was there; nil: nothing
	after  any  // what shall be there; nil: nothing
	whole  bool // what is there becomes exactly what shall be there: nothing else stays beside it
}

// Report is what a push did.
type Report struct {
	Device      string
	State       backend.State
	Rendering   *dialect.Rendering // for what the switch had when it was first read; nil: the push is resumed
	Found       []Found            // what the switch had of a push that is resumed
	Changes     []Change           // what was to be sent, in order
	Differences []Change           // From is what was read back, To what should be there
}

// Journal is told what is going to be sent, and what came of it. An error before
// it is sent stops it. A negative phase is undone.
type Journal interface {
	Send(phase int, changes []Change) error
	Sent(phase int, err error) error
}

// Push is a plan compared with a switch.
type Push struct {
	Report  *Report
	Journal Journal // nil: none
	// Longest is how long one Set may take. SONiC's updater makes a change in
	// steps, which takes it much longer than a read. 0: 2 minutes.
	Longest time.Duration

	client   *gnmi.Client
	language Language
	late     bool // a Set was not answered in time: the switch may be at work on it
}

const longestSet = 2 * time.Minute

// ErrNotSent says that cellwarden does not send what it renders.
var ErrNotSent = errors.New("it is not sent")

// Look reads a switch and compares it with the plan. It sends nothing.
func Look(ctx context.Context, client *gnmi.Client, language Language) (*Push, error) {
	p := &Push{client: client, language: language, Report: &Report{Device: client.Name(), State: backend.Unchanged}}
	language.introduce(ctx, client)
	now, err := p.read(ctx)
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
	p.Report.Changes = Changes(r.Updates, now.at)
	return p, nil
}

// Changes compares updates with what is there, which at returns as decoded JSON
// without the names of modules; nil: nothing. A nil function: nothing is known
// of it.
func Changes(updates []dialect.Update, at func([]dialect.Elem) any) []Change {
	var out []Change
	for _, u := range updates {
		c := Change{Path: dialect.Text(u.Path), To: string(u.JSON), Phase: u.Phase, Carries: u.Carries, Stops: u.Stops, Reach: u.Stops, update: u}
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
			if c.made(c.before) {
				continue
			}
		}
		out = append(out, c)
	}
	return out
}

// made tells whether what is there is what the change makes of it.
func (c *Change) made(now any) bool {
	if c.after == nil || c.whole {
		return jsonText(now) == jsonText(c.after)
	}
	return contains(now, c.after)
}

// untouched tells whether what is there is what was there before.
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

// Run sends what differs, reads back and compares. The Report's State tells how
// the switch was left; the error why it is not the plan.
func (p *Push) Run(ctx context.Context) error {
	if len(p.Report.Changes) == 0 {
		return nil
	}
	for i, phase := range p.phases() {
		if err := p.send(ctx, i+1, phase); err != nil {
			return p.recover(ctx, fmt.Errorf("sending to %s: %w", p.client.Name(), err))
		}
	}
	now, err := p.read(ctx)
	if err != nil {
		return p.recover(ctx, fmt.Errorf("reading back %s: %w", p.client.Name(), err))
	}
	for _, c := range p.Report.Changes {
		if v := now.at(c.update.Path); !c.made(v) {
			c.From = jsonText(v)
			p.Report.Differences = append(p.Report.Differences, c)
		}
	}
	if n := len(p.Report.Differences); n > 0 {
		return p.recover(ctx, fmt.Errorf("%w: %d of %d, first %s", backend.ErrMismatch, n, len(p.Report.Changes), p.Report.Differences[0].Path))
	}
	p.Report.State = backend.Applied
	return nil
}

// phases splits the changes.
func (p *Push) phases() [][]Change {
	var out [][]Change
	for i, c := range p.Report.Changes {
		if i == 0 || c.Phase != p.Report.Changes[i-1].Phase {
			out = append(out, nil)
		}
		out[len(out)-1] = append(out[len(out)-1], c)
	}
	return out
}

// send sends one Set. If its answer is lost it looks whether it arrived.
func (p *Push) send(ctx context.Context, phase int, changes []Change) (err error) {
	request := p.request(changes)
	if p.Journal != nil {
		if err := p.Journal.Send(phase, changes); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, p.Journal.Sent(phase, err)) }()
	}
	for failed, before := 1, p.late; ; failed++ {
		err := p.client.Set(ctx, request, p.longest())
		if err == nil {
			p.late = before
			return nil
		}
		lost := codeOf(err)
		p.late = before || slices.Contains(unanswered, lost)
		if lost != codes.Unavailable && lost != codes.DeadlineExceeded || ctx.Err() != nil {
			return err
		}
		now, look := p.read(ctx)
		switch {
		case look != nil:
			return err
		case all(changes, now, (*Change).made):
			p.late = before
			return nil
		case lost != codes.Unavailable || !all(changes, now, (*Change).untouched) || !p.client.WaitToRetry(ctx, failed):
			return err
		}
	}
}

// unanswered are the codes after which the switch may still be at work: gRPC
// gives them when an answer did not come.
var unanswered = []codes.Code{codes.DeadlineExceeded, codes.Canceled, codes.Unavailable}

func (p *Push) longest() time.Duration {
	if p.Longest > 0 {
		return p.Longest
	}
	return longestSet
}

func codeOf(err error) codes.Code {
	if e, ok := errors.AsType[*gnmi.RPCError](err); ok {
		return e.Code
	}
	return codes.Unknown
}

// all tells whether something holds of each change, of what is at its path.
func all(changes []Change, now held, holds func(*Change, any) bool) bool {
	for i := range changes {
		if !holds(&changes[i], now.at(changes[i].update.Path)) {
			return false
		}
	}
	return true
}

// longestRecovery is how long a switch is tried to be led back, even if the
// caller no longer waits: to leave it half done is worse than to end late.
const longestRecovery = 5 * time.Minute

// recover looks at the switch after a failure, whatever the failure said, and
// restores what is not as it was, the last phase first.
func (p *Push) recover(ctx context.Context, cause error) error {
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), longestRecovery)
	defer stop()
	now, err := p.settled(ctx)
	if err != nil {
		p.Report.State = backend.Unknown
		return errors.Join(cause, fmt.Errorf("the state of %s is unknown, it cannot be read: %w", p.client.Name(), err))
	}
	if all(p.Report.Changes, now, (*Change).untouched) {
		if p.Report.State = backend.Refused; p.late {
			p.Report.State = backend.Unknown
			return errors.Join(cause, fmt.Errorf("%s holds what it held before, but may still be at work on what it did not answer", p.client.Name()))
		}
		return cause
	}
	failed := p.restore(ctx, now)
	now, err = p.read(ctx)
	if err != nil {
		p.Report.State = backend.Unknown
		return errors.Join(cause, failed, fmt.Errorf("the state of %s is unknown after restoring: %w", p.client.Name(), err))
	}
	p.Report.Differences = p.changed(now)
	switch n := len(p.Report.Differences); {
	case n > 0:
		p.Report.State = backend.Partial
		return errors.Join(cause, failed, fmt.Errorf("%s is left with %d values that are not what they were", p.client.Name(), n))
	case p.late:
		p.Report.State = backend.Unknown
		return errors.Join(cause, fmt.Errorf("%s holds what it held before, but may still be at work on what it did not answer", p.client.Name()))
	}
	p.Report.State = backend.RolledBack
	return cause
}

// settled reads a switch that failed. One that did not answer in time is given
// a little more to show that it was at work after all.
func (p *Push) settled(ctx context.Context) (held, error) {
	for failed := 1; ; failed++ {
		now, err := p.read(ctx)
		if err != nil || !p.late || !all(p.Report.Changes, now, (*Change).untouched) || !p.client.WaitToRetry(ctx, failed) {
			return now, err
		}
	}
}

// changed lists what is not as it was: From what is there, To what was.
func (p *Push) changed(now held) []Change {
	var out []Change
	for _, c := range p.Report.Changes {
		if v := now.at(c.update.Path); !c.untouched(v) {
			c.From, c.To = jsonText(v), jsonText(c.before)
			out = append(out, c)
		}
	}
	return out
}

// restore gives what is not as it was its value back.
func (p *Push) restore(ctx context.Context, now held) error {
	phases := p.phases()
	for i, phase := range slices.Backward(phases) {
		var inverse []Change
		for _, c := range slices.Backward(phase) {
			if c.untouched(now.at(c.update.Path)) {
				continue
			}
			c.update.JSON = nil
			if c.before != nil {
				c.update.JSON = []byte(jsonText(c.before))
			}
			c.before, c.after, c.whole = now.at(c.update.Path), c.before, true
			c.From, c.To = jsonText(c.before), string(c.update.JSON)
			inverse = append(inverse, c)
		}
		if len(inverse) == 0 {
			continue
		}
		if err := p.send(ctx, -(i + 1), inverse); err != nil {
			return fmt.Errorf("restoring %s: %w", p.client.Name(), err)
		}
	}
	return nil
}
