package pushworld

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/cellwarden/cellwarden/backend"
)

// ends judges the report of an operation.
func (m *model) ends(o *operation) {
	j, now := o.job, m.target.content()
	others := func(register string) bool { // have changed it after the operation read it last
		w, read := m.writers[register], o.served
		if o.kind == nativeSONiC { // whose tables are read one after the other
			read = o.tables[tableOf(register)]
		}
		unjournaled := w.op != nil && w.op != o && w.op.full != nil // its journal does not have all that it sent
		return w.at > read && (w.op == nil || w.op.job != j || unjournaled)
	}
	switch {
	case o.verb == compare:
		m.compared(o)
		return
	case o.code == 0:
		if o.over = m.now(); o.verb == apply {
			m.success = o
		}
		m.succeeded(o, j, now, others)
	case o.code == 7:
	default:
		for _, r := range slices.Sorted(maps.Keys(o.first)) {
			if was := o.first[r]; now[r] != was && now[r] != j.before[r] && m.writers[r].op == o &&
				!m.alike(o, r, was) && !m.mixed(o) && !m.returned(j, r, now[r]) {
				m.fault("%s ends with exit %d (%s), and has left a change: %v", o.name, o.code, o.state,
					change{r, was, now[r]})
			}
		}
	}
	if o.code == 7 {
		m.names(o)
	}
	if o.code == 0 && o.state == backend.Unchanged && o.sets > 0 && !o.resent { // else it has the answer to the second
		m.fault("%s ends with exit 0 and says unchanged, and has changed %d registers or values", o.name, o.sets)
	}
	if j.how.foreign && o.requests > 0 {
		m.fault("%s sends %d Sets of a plan for another chip", o.name, o.requests)
	}
	m.said(o)
	m.journaled(o)
}

// names judges what a push names that ends with exit 7 and knows what the switch holds: an apply all that is not as it
// was before, and nothing else; a resumption at least what is not as it was to be, or what it has changed itself.
func (m *model) names(o *operation) {
	j := o.job
	if o.named == nil || o.state != backend.Partial || o.rpc.err != nil || o.kind == nativeSONiC || j.before == nil {
		return // of SONiC, tables are read one after the other
	}
	differ := m.unlike(j, o.shown, o.verb == resume, o.verb != apply)
	if o.verb != apply {
		maps.DeleteFunc(differ, func(r string, _ bool) bool { return !j.changes(r) })
		if !containsAll(o.named, differ) { // it could not take back what it has made, and names that
			differ = map[string]bool{}
			for r, was := range o.first {
				if o.shown[r] != was && m.writers[r].op == o && !m.alike(o, r, was) && !m.cancelled(o, r) {
					differ[j.name(r)] = true
				}
			}
		}
	}
	for _, r := range slices.Sorted(maps.Keys(differ)) {
		if !o.named[r] {
			m.fault("%s ends with exit 7 and does not name %s", o.name, r)
		}
	}
	for _, r := range slices.Sorted(maps.Keys(o.named)) {
		if o.verb == apply && !differ[r] {
			m.fault("%s ends with exit 7 and names %s, which is as it was", o.name, r)
		}
	}
}

// alike tells whether another process, or someone at the console, has given a register this value since an operation
// began: the operation may have taken it for what it has made itself, and have taken it back. Of the console that is so
// for the value that the operation writes.
func (m *model) alike(o *operation, register, value string) bool {
	w, writes := m.wrote[register+" "+value], o.job.planned[register]
	if o.verb == undo {
		writes = o.job.before[register]
	}
	if w.op == nil && (w.by == o.name || value != writes) {
		return false
	}
	return w.op != o && w.at > o.began
}

// cancelled tells whether a resumption has said that it had the switch cancel a commit of its push, and a register has
// the previous value by that: of the push, or of its Set, if another process had changed the register in between.
func (m *model) cancelled(o *operation, register string) bool {
	was, ok := o.job.undone[register]
	return (o.shown[register] == o.job.before[register] || ok && o.shown[register] == was) && o.err != nil &&
		strings.Contains(o.err.Error(), "cancelled before")
}

// mixed tells whether another process has written to what an operation changed, after its Set was made and before a
// proxy sent it once more, which the switch refused: the client reads what neither has written, and believes the
// refusal.
func (m *model) mixed(o *operation) bool {
	if !o.resent {
		return false
	}
	for r := range o.first {
		if w := m.writers[r]; w.op != o && w.at > o.began {
			return true
		}
	}
	return false
}

func containsAll(all, some map[string]bool) bool {
	for r := range some {
		if !all[r] {
			return false
		}
	}
	return true
}

// unlike are the names of what a switch has shown that is not as planned, or not as it was before the push; own: of the
// latter only what the push has changed.
func (m *model) unlike(j *job, shown Content, planned, own bool) map[string]bool {
	out := map[string]bool{}
	if j.nodes == nil {
		goal := j.before
		if planned {
			goal = j.planned
		}
		for _, r := range m.registers(j, shown) {
			if shown[r] != goal[r] {
				out[r] = true
			}
		}
		return out
	}
	for _, all := range []Content{j.planned, j.had, shown} {
		for r := range all {
			name := j.name(r)
			switch want := j.planned[r]; {
			case name == r: // beside the values of the plan
			case !planned && shown[r] != j.had[r] && (!own || want != j.had[r]), planned && want != "" && shown[r] != want,
				planned && shown[r] != "" && j.deletes(name): // an update leaves what is beside it
				out[name] = true
			}
		}
	}
	return out
}

// name is what a report names for a register or for a leaf of a native value: the register, or the value.
func (j *job) name(register string) string {
	for _, node := range j.nodes {
		if within(register, node) {
			return node
		}
	}
	return register
}

// compared judges what drift has found: what the switch held when it last answered. Of SONiC, which is read table by
// table and rendered as it is read, drift has to find nothing after a push that ended with success, if nothing has
// changed since.
func (m *model) compared(o *operation) {
	if o.err != nil {
		return
	}
	if o.kind == nativeSONiC {
		if s := m.success; s != nil && s.job.plan.name == o.job.plan.name && m.changed <= min(s.over-time.Second,
			o.began) && len(o.differs) > 0 {
			m.fault("%s finds differences in %q, and %s has ended with exit 0", o.name, o.differs, s.name)
		}
		return
	}
	differ := slices.Sorted(maps.Keys(m.unlike(o.job, o.shown, true, false)))
	slices.Sort(o.differs)
	if !slices.Equal(differ, o.differs) {
		m.fault("%s finds differences in %q, and the switch differs in %q", o.name, o.differs, differ)
	}
}

// said judges what an operation says that the switch holds.
func (m *model) said(o *operation) {
	if o.has == "" || o.has == backend.NotRead || o.job.before == nil || o.kind == nativeSONiC {
		return // of SONiC, tables are read one after the other
	}
	plan, before := len(m.unlike(o.job, o.shown, true, false)) == 0,
		len(m.unlike(o.job, o.shown, false, false)) == 0
	so := map[backend.Content]bool{backend.HasPlan: plan, backend.HasBefore: before,
		backend.HasNeither: !plan && !before}
	if !so[o.has] {
		m.fault("%s says that the switch holds %s: plan %v, before %v", o.name, o.has, plan, before)
	}
}

// succeeded judges exit 0.
func (m *model) succeeded(o *operation, j *job, now Content, others func(string) bool) {
	if o.verb == undo {
		for _, r := range m.registers(j, now) {
			if w := m.writers[r]; j.changes(r) && now[r] != j.before[r] && w.op != nil && w.op.job == j && !others(r) &&
				!m.returned(j, r, now[r]) {
				m.fault("%s ends with exit 0, and a change of its push is still there: %v", o.name,
					change{r, j.before[r], now[r]})
			}
			if j.changes(r) && now[r] == j.before[r] {
				m.claims[r] = claim{op: o, value: now[r], at: m.now()}
			}
		}
		return
	}
	for _, r := range m.registers(j, now) {
		planned, ok := j.planned[r]
		if j.nodes != nil && !ok || o.verb == resume && !j.changes(r) {
			continue // the plan does not name it, or its journal does not
		}
		if now[r] != planned {
			if !others(r) {
				m.fault("%s ends with exit 0, and the switch differs: %v", o.name, change{r, planned, now[r]})
			}
			delete(m.claims, r) // another has changed it since: what the switch does with that is not this push's
			continue
		}
		_, wrote := o.first[r]
		m.claims[r] = claim{o, j.planned[r], m.now(), wrote && m.writers[r].op != o}
	}
}

// returned tells whether a register has a value that a push found when it wrote to it: another process had changed it
// since the push began, and the push has given that value back, or the switch has, which undid a commit of the push.
func (m *model) returned(j *job, register, value string) bool {
	if was, ok := j.undone[register]; ok && was == value {
		return true
	}
	return slices.ContainsFunc(m.operations, func(o *operation) bool {
		found, changed := o.first[register]
		return o.job == j && changed && found == value
	})
}

// registers are those on the ports of a job's plan that the switch or the plan has.
func (m *model) registers(j *job, now Content) []string {
	all := Content{}
	maps.Copy(all, j.planned)
	maps.Copy(all, j.before)
	if j.nodes == nil { // of registers all others of the ports are planned to be empty
		maps.Copy(all, now)
	}
	maps.DeleteFunc(all, func(r, _ string) bool { return !j.covers(r) })
	return slices.Sorted(maps.Keys(all))
}

// journaled judges what the journal says after an operation.
func (m *model) journaled(o *operation) {
	if o.job.file == "" || o.code == 2 && o.requests == 0 {
		return
	}
	n := o.computer.files[o.job.file]
	if n == nil {
		return
	}
	push, err := n.read()
	switch {
	case o.rotten && o.requests > 0:
		m.fault("%s sends %d Sets by a journal that was changed", o.name, o.requests)
	case n.rotten, n.lost, m.broken == LinesAreChecked:
	case err != nil:
		m.fault("the journal of %s cannot be read: %v", o.name, err)
	case o.code == 7 && !push.Open() && !o.outlasted: // that of an earlier push is open
		m.fault("%s ends with exit 7, and its journal is closed: %s", o.name, push.LastLine())
	}
}
