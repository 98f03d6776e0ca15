package pushworld

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/nos"
)

// job is a push from its beginning to its end: an apply, and what resumes it.
type job struct {
	number  int
	plan    plan
	how     manner
	file    string // its journal; empty: none
	on      *computer
	before  Content // of what it changes and of what its plan names; nil: it has sent nothing yet
	planned Content
	ports   map[string]bool // that its plan names
	nodes   []string        // paths of the native values that its plan names
	changed []string        // registers, or those nodes, that it has begun to change

	had        Content // native: all that the switch had when the push began
	overwrites bool    // what resumes it changes values of others, too
	// undone are the values to which the switch itself returned when it undid a commit of the push.
	undone Content
}

// settles is how long a Set of the push may be under way, by what its pusher says.
func (j *job) settles() time.Duration { return cmp.Or(j.how.longest, 5*time.Minute) }

// ahead tells whether the clock of the computer was set forward since a line was written: what resumes the push takes a Set
// to be longer ago than it is.
func (j *job) ahead() bool {
	n := j.on.files[j.file]
	return n != nil && n.ahead > 0
}

// lost tells whether the disk has lost lines of the journal that it said to have written: no client knows what they said.
func (j *job) lost() bool {
	n := j.on.files[j.file]
	return n != nil && n.lost
}

// changes tells whether a push has begun to change a register or a native value.
func (j *job) changes(name string) bool {
	return slices.ContainsFunc(j.changed, func(node string) bool { return within(name, node) })
}

// undid notes what the switch returned to when it undid a commit of the push.
func (j *job) undid(c change) {
	if j.undone == nil {
		j.undone = Content{}
	}
	j.undone[c.register] = c.to
}

// covers tells whether a push is about a register or a native value.
func (j *job) covers(name string) bool {
	return j.ports[portOf(name)] || slices.ContainsFunc(j.nodes, func(node string) bool { return within(name, node) })
}

// manner is how a job is pushed.
type manner struct {
	foreign  bool // its plan is for another chip
	phased   bool
	rollback time.Duration // 0: no commit-confirmed
	journal  bool
	longest  time.Duration // that a Set may take; 0: the client's default
	profile  *nos.Profile  // nil: the one that the switch's models show
}

func (m manner) String() string {
	text := ""
	if m.phased {
		text += " --phases"
	}
	text += fmt.Sprintf(" --rollback-after %v", m.rollback)
	if m.foreign {
		text += ", for another chip,"
	}
	if m.longest > 0 {
		text += fmt.Sprintf(" --set-timeout %v", m.longest)
	}
	if !m.journal {
		text += " --journal off"
	}
	return text
}

// tap tells the model when a push begins, and passes all on to the journal.
type tap[R, C any] struct {
	inner   backend.Observer[R, C]
	op      *operation
	content func(R, []C) Content
	unsaid  *backend.Phase[C] // what the journal is told after it was sent, of a push that breaks JournalIsFirst
}

func (t *tap[R, C]) Begin(before R, changes []C) error {
	t.op.job.begins(t.content(before, changes))
	if t.inner == nil {
		return nil
	}
	return t.inner.Begin(before, changes)
}

func (t *tap[R, C]) Sending(p backend.Phase[C]) error {
	if t.inner == nil {
		return nil
	}
	if t.op.broken == JournalIsFirst {
		t.unsaid = &p
		return nil
	}
	return t.inner.Sending(p)
}

func (t *tap[R, C]) Sent(p backend.Phase[C], err error) error {
	if t.inner == nil {
		return nil
	}
	if t.unsaid != nil {
		if err := t.inner.Sending(*t.unsaid); err != nil {
			return err
		}
		t.unsaid = nil
	}
	return t.inner.Sent(p, err)
}

func (t *tap[R, C]) Confirming() error {
	if t.inner == nil {
		return nil
	}
	return t.inner.Confirming()
}

func (t *tap[R, C]) Cancelling() {
	if t.inner != nil {
		t.inner.Cancelling()
	}
}

// intends records what the plan makes of a switch.
func (j *job) intends(l buffer.Layout) {
	j.planned, j.ports = contentOf(l), map[string]bool{} // of native values: see beginning
	for _, s := range l {
		j.ports[s.Port] = true
	}
}

// begins records what the switch had before the push.
func (j *job) begins(before Content) { j.before = before }
