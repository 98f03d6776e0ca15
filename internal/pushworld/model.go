package pushworld

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/cellwarden/cellwarden/buffer"
)

// model knows what really happened: which process has given each register its value, and when. It compares that with
// what the operations report, and finds what a push did that it must not do.
type model struct {
	*World
	writers map[string]writer
	commit  *operation        // whose commit waits; nil: none does
	wrote   map[string]writer // who last wrote a value to a register, by both
	others  bool              // the commit that waits is of another client
	undoes  Content           // what the switch returns to if that commit is cancelled
	claims  map[string]claim
	success *operation    // the last apply that ended with exit 0
	changed time.Duration // when the switch last changed
	wrong   []string
}

// writer is who gave a register its value.
type writer struct {
	by string // "console", "the switch" or the name of an operation
	op *operation
	at time.Duration
}

// claim is what an operation reported with exit 0: the switch holds this value.
type claim struct {
	op    *operation
	value string
	at    time.Duration
	alike bool // op had written the register, and another has since: op takes the value for its own
}

// contentOf is a layout as content.
func contentOf(l buffer.Layout) Content {
	out := Content{}
	for _, s := range l {
		out[s.Register.String()] = strconv.FormatInt(s.Value, 10)
	}
	return out
}

// portOf is the port of a register's name: "Ethernet1/1 group 3 reserved".
func portOf(register string) string {
	port, _, _ := strings.Cut(register, " ")
	return port
}

// fault records that something happened that must not.
func (m *model) fault(format string, args ...any) {
	text := fmt.Sprintf("%v: ", m.now().Round(time.Millisecond)) + fmt.Sprintf(format, args...)
	m.wrong = append(m.wrong, text)
	m.note("MODEL", "%s", text)
}

// served notes what the switch has read of its registers for a client.
func (m *model) served(r *rpc) {
	if _, ok := r.req.(*gpb.CapabilityRequest); !ok {
		r.shows, r.showsAt = m.target.content(), m.now()
	}
}

// received notes that a client has the answer.
func (m *model) received(r *rpc) {
	o := r.op
	if set, ok := r.req.(*gpb.SetRequest); ok && r.err == nil && !cancels(set) { // a cancellation may overtake its Set
		o.answered = r.number
	}
	o.refused = o.refused || status.Code(r.err) == codes.FailedPrecondition
	if r.shows == nil || r.err != nil {
		return
	}
	o.served, o.shown = r.showsAt, r.shows
	if get, ok := r.req.(*gpb.GetRequest); ok && o.kind == nativeSONiC && len(get.GetPath()) == 1 {
		path := pathText(get.GetPath()[0])
		if get.GetPrefix().GetTarget() == "CONFIG_DB" {
			path = "/CONFIG_DB/localhost" + path
		}
		o.tables[tableOf(path)] = r.showsAt
	}
	for register, v := range r.shows {
		if o.seen[register] == nil {
			o.seen[register] = Content{}
		}
		o.seen[register][v] = ""
	}
	for register := range o.job.before {
		if _, there := r.shows[register]; !there && o.seen[register] != nil {
			o.seen[register][""] = ""
		}
	}
}

// change is a register with two values; empty: it has none.
type change struct{ register, from, to string }

func changesBetween(before, after Content) []change {
	var out []change
	for r, v := range after {
		if before[r] != v {
			out = append(out, change{r, before[r], v})
		}
	}
	for r, v := range before {
		if _, there := after[r]; !there {
			out = append(out, change{r, v, ""})
		}
	}
	slices.SortFunc(out, func(a, b change) int { return strings.Compare(a.register, b.register) })
	return out
}

func (c change) String() string {
	show := func(v string) string {
		if v == "" {
			return "nothing"
		}
		return v
	}
	return fmt.Sprintf("%s from %s to %s", c.register, show(c.from), show(c.to))
}

// observe runs a step that may change the switch, and returns the changes.
func (m *model) observe(do func()) []change {
	before := m.target.content()
	do()
	out := changesBetween(before, m.target.content())
	if len(out) > 0 {
		m.changed = m.now()
	}
	return out
}

// aDouble is who has written what a doubled message changed, which may have been sent by anyone.
const aDouble = "a doubled message"

// changes runs what a Set does, and judges it.
func (m *model) changes(l *landing, do func()) {
	o, j := l.op, l.op.job
	before := m.target.content()
	defer func() { m.beforeCommit(before) }()
	all := m.observe(do)
	if !l.double && !l.doubled {
		m.halves(l, all)
	}
	coincides := m.coincides(l, all)
	for _, c := range all {
		m.note(targetName, "%v, by %s", c, o.name)
		if !l.double && !l.doubled { // its client may have the answer to the other of the two
			o.sets++
		}
		last := m.writers[c.register].by
		if _, known := o.first[c.register]; !known || last != o.name && last != aDouble && !m.unread(l, c) {
			if o.first[c.register] = c.from; m.unread(l, c) {
				o.first[c.register] = l.before[c.register] // to which the client returns
			}
		}
		if l.double || l.doubled {
			m.write(c, writer{by: aDouble, at: m.now()})
			continue
		}
		m.judge(l, o, j, c, coincides)
		if cancels(l.req.(*gpb.SetRequest)) && c.to == m.undoes[c.register] {
			j.undid(c)
		}
		by := writer{o.name, o, m.now()}
		if m.unread(l, c) {
			by.op = nil // it does not know that it has changed this
		}
		m.write(c, by)
	}
}

// halves finds marking curves of which a push takes back a part, while it leaves what another has written to the rest:
// nobody has planned what comes of it.
func (m *model) halves(l *landing, all []change) {
	if m.native() || l.op.ended || l.op.job.overwrites || l.op.process.dead || cancels(l.req.(*gpb.SetRequest)) {
		return // native values of the world are no curves, and the switch cancels whole commits
	}
	j := l.op.job
	for _, c := range all {
		curve, last, ok := strings.Cut(c.register, " ecn ")
		if !ok || c.to != j.before[c.register] || c.from != j.planned[c.register] {
			continue
		}
		for _, k := range []string{"kmin", "kmax", "pmax"} {
			r := curve + " ecn " + k
			w, v := m.writers[r], m.target.content()[r]
			unknown := m.unread(l, change{register: r})
			if k != last && !unknown && w.at > 0 && (w.op == nil || w.op.job != j) && v != j.before[r] &&
				v != j.planned[r] {
				m.fault("%s takes back half of a curve: %v, beside %s of %s, which %s wrote", l.op.name, c, v, r, w.by)
			}
		}
	}
}

// unread tells whether another has changed a register after the client has read it last: the client could not know.
func (m *model) unread(l *landing, c change) bool {
	was, read := m.writers[c.register], l.readAt
	if m.kind == nativeSONiC {
		read = l.tables[tableOf(c.register)]
	}
	return was.at > read && (was.op == nil || was.op.job != l.op.job)
}

// tableOf is the table of CONFIG_DB that a path leads to or into; empty: it leads to none.
func tableOf(path string) string {
	parts := strings.SplitN(path, "/", 5)
	if len(parts) < 4 {
		return ""
	}
	return parts[3]
}

// judge tells whether an operation may change a register in this way.
func (m *model) judge(l *landing, o *operation, j *job, c change, coincides bool) {
	was := m.writers[c.register]
	late := o.ended || o.process.dead
	_, restored := o.seen[c.register][c.to]
	first, changed := o.first[c.register]
	restored = restored || c.to == j.before[c.register] || changed && c.to == first
	switch {
	case late && coincides: // a client that read it took it for its own
	case o.ended && o.code != 7 && o.code != 0:
		m.fault("%s has ended with exit %d, and its %v lands: %v", o.name, o.code, l, c)
	case late && m.promised(l, c):
		m.fault("%s has ended with exit 0 and has read the journal of %s, and its %v lands: %v", m.claims[c.register].op.name,
			o.name, l, c)
	case late && m.claims[c.register].op != nil && m.claims[c.register].op.job == j &&
		l.sent < m.claims[c.register].at && m.now()-l.sent <= j.settles() && o.full == nil && !j.ahead() &&
		!j.lost():
		m.fault("%s has ended with exit 0, and %v of the same push lands: %v", m.claims[c.register].op.name, l, c)
	case !late && l.number < o.answered && m.now()-l.sent <= j.settles():
		m.fault("%v of %s lands after a later Set was answered: %v", l, o.name, c)
	case late || m.unread(l, c):
	case cancels(l.req.(*gpb.SetRequest)) && c.to == m.undoes[c.register]: // the switch knows what was before
	case !j.covers(c.register):
		m.fault("%s changes what its plan does not name: %v", o.name, c)
	case c.to == j.planned[c.register]:
	case j.overwrites && o.verb != apply: // it is told to
	case !restored:
		m.fault("%s writes what is neither planned nor from before: %v", o.name, c)
	case c.from == j.planned[c.register]: // the register has the planned value of this push, from any writer
	case was.op == nil || was.op.job != j:
		m.fault("%s takes back what it did not write: %v (written by %s at %v)", o.name, c, was.by,
			was.at.Round(time.Millisecond))
	}
}

// promised tells whether an operation has ended with exit 0, although the journal of another push on its computer said
// of this Set that its effect is not known, and the Set may take so long.
func (m *model) promised(l *landing, c change) bool {
	by := m.claims[c.register].op
	if by == nil || !by.looked || by.job == l.op.job || by.computer != l.op.computer || l.double || l.doubled {
		return false
	}
	// A journal that had ended still has to hold for as long as its own pusher says that a Set may take.
	ended := !slices.Contains(by.open, l.op.job.file) && m.now()-l.sent > l.op.job.settles()
	if m.seemsMade(l) || ended {
		return false
	}
	n := by.computer.files[l.op.job.file]
	return n != nil && !n.rotten && !n.lost && n.ahead == 0 && l.op.full == nil && l.sent < by.listed &&
		m.now()-l.sent <= by.job.settles()
}

// seemsMade tells whether another has written a value of a Set since its client read the switch, and has no journal on
// the computer of that client, or has written it while a process resumed the push, on a computer without locks: the Set
// looks as if it was made, and no journal shows who has made it.
func (m *model) seemsMade(l *landing) bool {
	for r, v := range l.op.job.planned {
		w, ok := m.wrote[r+" "+v]
		unknown := ok && (w.op == nil || w.op.job.file == "" || w.op.computer != l.op.computer ||
			m.resuming(l.op.job, w.at))
		if unknown && l.op.job.changes(r) && w.op != l.op && w.at > l.readAt {
			return true
		}
	}
	return false
}

// resuming tells whether a process that ended with success was resuming a push at a time.
func (m *model) resuming(j *job, at time.Duration) bool {
	return slices.ContainsFunc(m.operations, func(o *operation) bool {
		return o.job == j && o.began < at && at < o.over
	})
}

// coincides tells whether another process has written one of the values of a Set since its client read the switch: no
// client can tell whose value it reads, and the switch makes a Set as a whole.
func (m *model) coincides(l *landing, all []change) bool {
	return slices.ContainsFunc(all, func(c change) bool {
		w, ok := m.wrote[c.register+" "+c.to]
		return ok && w.op != l.op && w.at > l.readAt
	})
}

// write notes who has written a register.
func (m *model) write(c change, w writer) {
	m.wrote[c.register+" "+c.to] = w
	if claim, ok := m.claims[c.register]; ok && claim.value != c.to && (w.op == nil || w.op.verb == undo) {
		delete(m.claims, c.register)
	}
	m.writers[c.register] = w
	if w.op != nil && m.claims[c.register].op != nil && m.claims[c.register].op.job != w.op.job {
		delete(m.claims, c.register)
	}
}

// beforeCommit keeps what the switch held before the commit that waits.
func (m *model) beforeCommit(had Content) {
	switch waits := m.target.waits(); {
	case !waits:
		m.undoes = nil
	case m.undoes == nil:
		m.undoes = had
	}
}

// confirmed judges the confirmation of a commit that another push has begun: all that it has changed is planned, too.
func (m *model) confirmed(l *landing) {
	if m.commit == nil || m.commit.job == l.op.job || l.double || l.doubled {
		return
	}
	for r, v := range m.commit.job.planned {
		if m.commit.job.changes(r) && l.op.job.planned[r] != v {
			m.fault("%s confirms the commit of %s, which has changed what is not of its plan", l.op.name, m.commit.name)
			return
		}
	}
}

// committed notes whose commit waits.
func (m *model) committed(by *operation, waits bool) {
	m.others = false
	if m.commit = nil; waits {
		m.commit = by
	}
}

// expires judges what the switch does when it undoes a commit that was not confirmed.
func (m *model) expires(do func()) {
	o, others := m.commit, m.others
	m.commit, m.others = nil, false
	for _, c := range m.observe(do) {
		m.note(targetName, "%v, by its timer", c)
		// A client that had nothing to send asks whether a commit waits, of whichever push. One whose Set was not answered
		// takes what another client wrote alike for its own, and so does one whose Set was answered, if another wrote alike
		// before it read back.
		if claim, ok := m.claims[c.register]; ok && claim.value == c.from && !claim.alike &&
			(o != nil && o.job == claim.op.job || (o != nil || others && claim.op.job.before == nil) && !claim.op.unsure) {
			m.fault("%s has ended with exit 0, and the switch undoes it: %v", claim.op.name, c)
		}
		w := writer{by: "the switch", at: m.now()}
		if o != nil {
			w.op = o
			o.job.undid(c)
			if _, known := o.first[c.register]; !known {
				o.first[c.register] = c.from
			}
		}
		m.wrote[c.register+" "+c.to] = w // another push may take it for what it has made itself
		m.writers[c.register] = w
	}
}

// byConsole notes what someone at the console has changed.
func (m *model) byConsole(do func() bool) {
	for _, c := range m.observe(func() { do() }) {
		m.note("console", "%v", c)
		m.write(c, writer{by: "console", at: m.now()})
	}
}
