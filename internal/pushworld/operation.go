package pushworld

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/cellwarden/cellwarden/backend"

	"github.com/cellwarden/cellwarden/backend/gnmi"
	"github.com/cellwarden/cellwarden/backend/gnmi/native"
	"github.com/cellwarden/cellwarden/backend/gnmi/qos"
	"github.com/cellwarden/cellwarden/backend/journal"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/nos"
)

// verb is what an operation does: the verbs of the command line.
type verb int

const (
	apply verb = iota
	resume
	undo
	compare
)

func (v verb) String() string { return [...]string{"apply", "resume", "resume --undo", "drift"}[v] }

// operation is one process that works on a job.
type operation struct {
	*World
	computer *computer
	job      *job
	verb     verb
	name     string
	process  *process
	stop     context.CancelFunc

	rpc       *rpc                     // the last one
	served    time.Duration            // when the switch last answered a read of it; less than 0: never
	tables    map[string]time.Duration // of SONiC: when it last answered a read of a table
	seen      map[string]Content       // what such reads have shown, by register; the values
	first     Content                  // what a register had before the first Set of this operation that changed it
	sets      int                      // of it that have changed something
	answered  int                      // the last Set of which it has got the answer that it was made
	requests  int                      // Sets that it has sent
	resent    bool                     // a proxy has sent a Set of it twice
	refused   bool                     // a request of it was answered with FailedPrecondition
	messages  int                      // that it has sent or received
	killAt    int                      // the message at which it is killed; 0: none
	ofSets    int                      // of its messages, those of Sets
	killAtSet int                      // the message of a Set at which it is killed; 0: none
	rotten    bool                     // a digit of the journal that it has read was changed

	then    func(*operation) // what comes after it; nil: nothing
	full    error            // why a line of its journal could not be written; nil: it could
	shown   Content          // what the switch held when it last answered a read
	has     backend.Content  // what the push says that it holds; empty: it says nothing
	differs []string         // what drift has found: registers, or paths of native values
	named   map[string]bool  // registers, or paths, that the report names; nil: there is no report
	ended   bool
	began   time.Duration
	over    time.Duration // when it ended with exit 0
	looked  bool          // it has read the journals, and no Set of an earlier push is to be made
	listed  time.Duration // when it listed the journals
	open    []string      // those of them whose push had not ended
	// a Set of an earlier push may still replace what it has made, or has done so
	outlasted bool
	unsure    bool // it could not learn whether a commit waits, and says so
	code      int
	state     backend.State
	err       error
}

// do runs an operation to its end, as the command line does.
func (o *operation) do(p *process) {
	ctx, stop := context.WithCancel(context.Background())
	o.stop = stop
	defer stop()
	var err error
	switch held := o.verb != compare && !o.computer.lock(p); {
	case held:
		o.state, err = backend.Unchanged, &journal.HeldError{Target: address}
	case o.verb == apply:
		o.state, err = o.apply(ctx)
	case o.verb == compare:
		o.state, err = backend.Unchanged, o.drift(ctx)
	default:
		o.state, err = o.resume(ctx)
	}
	if o.broken == TwiceIsMade && err != nil && strings.Contains(err.Error(), "holds what it refused") {
		o.state = backend.Refused
	}
	if o.code, o.err = exitCode(o.state, err), err; err == nil && len(o.differs) > 0 {
		o.code = 5
	}
	p.wait(func() { o.World.ends(o); p.proceed() })
}

// client makes a client of the switch.
func (o *operation) client(as *nos.Profile, phased bool, rollback time.Duration) (*gnmi.Client, error) {
	return gnmi.New(connection{o}, gnmi.Options{Cell: cell, Address: address, Profile: as, Phased: phased,
		Rollback: rollback, SetTimeout: o.job.how.longest, Retry: gnmi.Retry{Wait: o.pause}})
}

// pause waits at least as long as it is told to. A client adds a part by chance, up to a fifth of its waits of 200 ms
// and twice as long each time: the next of 250 ms, 500 ms and so on is the same whatever that part is.
func (o *operation) pause(ctx context.Context, d time.Duration) error {
	longer := 125 * time.Millisecond
	for longer < d {
		longer *= 2
	}
	if deadline, ok := ctx.Deadline(); ok {
		longer = min(longer, time.Until(deadline))
	}
	o.process.pause(longer)
	return ctx.Err()
}

// apply pushes the plan of the job.
func (o *operation) apply(ctx context.Context) (backend.State, error) {
	client, err := o.client(o.job.how.profile, o.job.how.phased, o.job.how.rollback)
	if err != nil {
		return backend.Unchanged, err
	}
	met, err := client.Probe(ctx)
	if err != nil {
		return backend.Unchanged, err
	}
	if err := o.identify(ctx, client, met); err != nil {
		return backend.Unchanged, err
	}
	if o.native() {
		return o.applyNative(ctx, client)
	}
	compat, err := qos.CheckCompatibility(o.job.plan.layout, cell, met.Profile)
	if err != nil {
		return backend.Unchanged, err
	}
	o.job.intends(compat.Layout)
	unmade := o.unmade(ctx, client, "")
	found, err := backend.Look(ctx, client, compat.Layout, backend.Options{})
	if err != nil {
		return found.Report.State, err
	}
	_, apart := met.Profile.Quirk(nos.PhasesApart)
	w := o.writer(journal.About{Target: address, Profile: met.Profile.Name, Cell: cell, Want: compat.Layout,
		Apart: apart || o.job.how.phased, Within: o.job.how.rollback})
	device := &brokenDevice[buffer.Layout, buffer.Step]{Device: found.Device, op: o}
	switch o.broken {
	case "":
	case CurvesAreWhole:
		found.Device = halfCurves{found.Device}
	default:
		found.Device = device
	}
	begins := func(before buffer.Layout, steps []buffer.Step) Content {
		device.before, o.job.changed = before, nil
		for _, s := range steps {
			o.job.changed = append(o.job.changed, s.Register.String())
		}
		return contentOf(before)
	}
	found.Observer = &tap[buffer.Layout, buffer.Step]{inner: w.Registers(), op: o, content: begins}
	err = found.Run(ctx)
	o.unsure = client.Unsure()
	o.namesSteps(found.Report.Differences, found.Report.Others)
	o.says(found.Has)
	again := func(ctx context.Context) error {
		now, err := client.Observe(ctx)
		if err == nil && len(found.Push.Device.Diff(now)) > 0 {
			err = backend.ErrMismatch
		}
		return err
	}
	err = o.finishes(w, found.Report.State, err)
	if len(found.Report.Steps) > 0 {
		return o.lasts(ctx, client, unmade, found.Report.State, err, again)
	}
	h := holding{func(p *journal.Push) bool { return p.Plans(compat.Layout) }, again}
	return o.keeps(ctx, client, h, found.Report.State, err)
}

// identify compares the chip of the plan with what the switch says of itself. Only a simulated switch says it.
func (o *operation) identify(ctx context.Context, client *gnmi.Client, met *gnmi.ProbeResult) error {
	if o.kind != simulated || o.broken == ChipIsCompared {
		return nil
	}
	planned := cell
	if o.job.how.foreign {
		planned = foreignCell
	}
	_, err := client.Identify(ctx, met).Check(gnmi.Expected{Chip: chipName, Cell: planned})
	return err
}

// applyNative pushes native configuration.
func (o *operation) applyNative(ctx context.Context, client *gnmi.Client) (backend.State, error) {
	unmade := o.unmade(ctx, client, "")
	p, err := native.Look(ctx, client, o.job.plan.language)
	if err != nil {
		return backend.Unchanged, err
	}
	o.job.renders(p.Report.Rendering.Updates)
	w := o.writer(journal.About{Target: address, Profile: client.Profile().Name, Cell: cell})
	p.Longest = o.job.how.longest
	device := &brokenDevice[native.Trees, native.Change]{op: o}
	p.Observer = &tap[native.Trees, native.Change]{inner: native.Observer(w), op: o,
		content: func(before native.Trees, changes []native.Change) Content {
			device.before, o.job.had = before, o.shown
			return o.job.beginning(changes)
		}}
	if o.broken != "" {
		p.Through = func(d backend.Device[native.Trees, native.Change]) backend.Device[native.Trees,
			native.Change] {
			if o.broken == AllIsCompared {
				return partialPlan{d, p.Report.Changes}
			}
			device.Device = d
			return device
		}
	}
	err = p.Run(ctx)
	o.unsure = client.Unsure()
	o.namesChanges(p.Report.Differences, p.Report.Others)
	o.says(p.Report.Has)
	err = o.finishes(w, p.Report.State, err)
	if len(p.Report.Changes) > 0 {
		return o.lasts(ctx, client, unmade, p.Report.State, err, p.Compare)
	}
	plans := func(earlier *journal.Push) bool { return p.Plans(earlier.Values) }
	return o.keeps(ctx, client, holding{plans, p.Compare}, p.Report.State, err)
}

// namesSteps records the registers that a report names.
func (o *operation) namesSteps(lists ...[]buffer.Step) {
	o.named = map[string]bool{}
	for _, s := range slices.Concat(lists...) {
		o.named[s.Register.String()] = true
	}
}

// namesChanges records the native values that a report names.
func (o *operation) namesChanges(lists ...[]native.Change) {
	o.named = map[string]bool{}
	for _, c := range slices.Concat(lists...) {
		o.named[c.Path] = true
	}
}

// drift compares the switch with the plan of the job.
func (o *operation) drift(ctx context.Context) error {
	client, err := o.client(o.job.how.profile, false, 0)
	if err != nil {
		return err
	}
	met, err := client.Probe(ctx)
	if err != nil {
		return err
	}
	var compared backend.Watchable = &native.Comparison{Client: client, Language: o.job.plan.language}
	if o.kind == nativeLeaves {
		o.job.renders(o.job.plan.language.Unread().Updates)
	}
	if !o.native() {
		compat, err := qos.CheckCompatibility(o.job.plan.layout, cell, met.Profile)
		if err != nil {
			return err
		}
		o.job.intends(compat.Layout)
		compared = &backend.RegisterDrift{Backend: client, Want: compat.Layout}
	}
	found, err := compared.Compare(ctx)
	if err != nil {
		return err
	}
	for _, d := range found.Differences {
		o.differs = append(o.differs, cmp.Or(d.Register, d.Path))
	}
	return nil
}

// finishes ends the journal.
func (o *operation) finishes(w *journal.Writer, s backend.State, err error) error {
	err = w.End(s, err)
	if o.broken == EndIsNoPush && o.full != nil {
		return errors.Join(err, o.full)
	}
	return err
}

// says records what the push says that the switch holds.
func (o *operation) says(has backend.Content) {
	if o.broken == TextsCompare && has == backend.HasPlan {
		has = backend.HasNeither
	}
	o.has = has
}

// writer makes the writer of the journal, or nil.
func (o *operation) writer(about journal.About) *journal.Writer {
	if !o.job.how.journal {
		return nil
	}
	w := journal.New(about, func() (journal.File, error) { return o.computer.create(o) })
	w.Created = func(name string) { o.job.file, o.job.on = name, o.computer }
	return w
}

// reader reads journals.
var reader = journal.Reader{Values: native.CheckValues}

// resume finishes or undoes the job, from its journal.
func (o *operation) resume(ctx context.Context) (backend.State, error) {
	file, err := o.computer.open(o, o.job.file)
	if err != nil {
		return backend.Unchanged, &journal.ContinueError{Err: err}
	}
	o.rotten = file.rotten
	if o.broken == LinesAreChecked {
		file.data = unsealed(file.data)
	}
	push, err := reader.Read(file.data)
	if err != nil {
		return backend.Unchanged, &journal.ContinueError{Err: err}
	}
	push.File = o.job.file
	client, err := o.client(profiles()[push.Start.Profile], push.Start.Apart, max(push.Within, 0))
	if err != nil {
		return backend.Unchanged, err
	}
	if _, err := client.Probe(ctx); err != nil {
		return backend.Unchanged, err
	}
	push.Longest = client.LongestSet()
	var device journal.Target = &journal.Registers{Backend: client, Longest: client.LongestSet(), Pause: o.pause}
	if push.Values != nil {
		device = &native.Resumption{Client: client, Longest: o.job.how.longest, Pause: o.pause}
	}
	unmade := o.unmade(ctx, client, push.File)
	open := func(name string) (continuation, error) { return o.computer.open(o, name) }
	err = push.Resume(ctx, device, journal.Options{Undo: o.verb == undo, Overwrite: o.job.overwrites, Open: open,
		Later: func(p *journal.Push) string { return o.computer.later(p, true) }})
	o.unsure = client.Unsure()
	switch device := device.(type) {
	case *journal.Registers:
		if device.Report != nil {
			o.namesSteps(device.Report.Differences, device.Report.Others)
		}
	case *native.Resumption:
		if device.Push != nil {
			o.namesChanges(device.Push.Report.Differences, device.Push.Report.Others)
		}
	}
	if o.broken == AccountIsTrue && err == nil {
		push.State = backend.Unchanged
	}
	return o.lasts(ctx, client, unmade, push.State, err, func(ctx context.Context) error {
		left, err := o.left(ctx, client, push, journal.Options{Undo: o.verb == undo, Overwrite: o.job.overwrites})
		if err == nil && left > 0 {
			err = backend.ErrMismatch
		}
		return err
	})
}

// chipName is the chip of every switch that says what it has; the chip of a foreign plan has larger cells.
const (
	chipName    = "small"
	foreignCell = cells.Size(254)
)

// exitCode is the exit code of the command line for a push: see exitcode.go of cmd/cellwarden.
func exitCode(s backend.State, err error) int {
	var uncreated *journal.CreateError
	var notContinued *journal.ContinueError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &uncreated), errors.As(err, &notContinued):
		return 2
	case errors.Is(err, backend.ErrGaps), errors.Is(err, qos.ErrInexpressible):
		return 8
	case s == backend.RolledBack:
		return 6
	case s == backend.Partial, s == backend.Unknown:
		return 7
	case errors.Is(err, buffer.ErrNoFit):
		return 3
	default:
		return 1
	}
}
