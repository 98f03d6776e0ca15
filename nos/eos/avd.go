package eos

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/cellwarden/cellwarden/internal/document"
	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/internal/once"
	"github.com/cellwarden/cellwarden/internal/statements"
)

// The collection github.com/aristanetworks/avd has the memory of a switch as variables, in files of YAML or JSON:
// platform.trident.mmu, with the keys of pull requests 5459 and 5479 (schema_fragments/platform.schema.yml; templates
// eos/platform-headroom-pool.j2 and eos/platform-trident.j2). They are read as the commands that the templates write,
// each at the line of its value, so that both inputs have the same checks.

// variables tells whether a text has platform.trident.mmu of AVD. No line of a running configuration has these keys.
func variables(data []byte) bool { return tridentKey().Match(data) && mmuKey().Match(data) }

var (
	tridentKey = once.Pattern(`(?m)(^|[\s{,])["']?trident["']?\s*:`)
	mmuKey     = once.Pattern(`(?m)(^|[\s{,])["']?mmu["']?\s*:`)
)

// avd turns the variables into statements.
type avd struct {
	doc  *document.Reader
	root *statements.Statement
}

// readVariables returns the commands that AVD writes for platform.trident.mmu, wherever it is in the file: the keys
// above it differ between its roles. Wrong are the values that are left out, because they are of no form that the
// schema has. The error is that of a file without one platform.trident.mmu.
func readVariables(name string, data []byte) (tree *statements.Tree, wrong []error, err error) {
	a := &avd{doc: document.New(name), root: &statements.Statement{}}
	root := a.doc.Parse(data)
	if root == nil {
		return nil, nil, fielderr.Split(a.doc.Err())[0]
	}
	switch found := mmus(root); len(found) {
	case 1:
		a.mmu(found[0])
		return &statements.Tree{File: name, Root: a.root}, fielderr.Split(a.doc.Err()), nil
	case 0:
		return nil, nil, &fielderr.Located{File: name,
			Err: errors.New("no platform.trident.mmu: want the variables of AVD, or a running configuration")}
	default:
		return nil, nil, &fielderr.Located{File: name, Line: found[1].Line,
			Err: fmt.Errorf("a second platform.trident.mmu, after that of line %d: want one in a file", found[0].Line)}
	}
}

// mmus lists the values of the key mmu under a key trident.
func mmus(v *document.Value) (out []*document.Value) {
	if !v.IsMapping() && v.Len() > 0 {
		for _, item := range v.Items() {
			out = append(out, mmus(item)...)
		}
	}
	for key, under := range v.All() {
		if key == "trident" && slices.Contains(under.Keys(), "mmu") {
			out = append(out, under.Field("mmu"))
		} else {
			out = append(out, mmus(under)...)
		}
	}
	return out
}

// add adds a statement at the line of a value; not where a word is empty, because its value was refused: zero in its
// place would be a value that the file does not have.
func add(to *statements.Statement, at *document.Value, words ...string) *statements.Statement {
	s := &statements.Statement{Words: words, Line: at.Line}
	if !slices.Contains(words, "") {
		to.Under = append(to.Under, s)
	}
	return s
}

// fields returns the values of a mapping. A key that the templates do not read becomes a statement under to, which
// nothing understands: the switch will not have it.
func (a *avd) fields(v *document.Value, to *statements.Statement, known ...string) map[string]*document.Value {
	var others []string
	for _, key := range v.Keys() {
		if !slices.Contains(known, key) && !slices.Contains(others, key) {
			others = append(others, key)
		}
	}
	out := v.Fields(append(known, others...)...)
	for _, key := range others {
		add(to, out[key], "platform", "trident", "mmu", "key", out[key].Path())
	}
	return out
}

// mmu reads the whole.
func (a *avd) mmu(v *document.Value) {
	f := a.fields(v, a.root, "active_profile", "headroom_pool", "queue_profiles")
	if pool := f["headroom_pool"]; pool != nil {
		a.size(a.root, pool, "limit", "platform", "trident", "mmu", "headroom-pool", "limit")
	}
	for _, p := range f["queue_profiles"].Items() {
		a.profile(p)
	}
	if active := f["active_profile"]; active != nil {
		add(a.root, active, "platform", "trident", "mmu", "queue", "profile", active.Text(), "apply")
	}
}

// profile reads an element of queue_profiles.
func (a *avd) profile(v *document.Value) {
	s := add(a.root, v, "platform", "trident", "mmu", "queue", "profile")
	f := a.fields(v, s, "name", "ingress", "unicast_queues", "multicast_queues")
	if v.Need(f, "name"); f["name"] != nil {
		s.Words, s.Line = append(s.Words, f["name"].Text()), f["name"].Line
	}
	if in := f["ingress"]; in != nil {
		g := a.fields(in, s, "reserved", "threshold", "headroom", "resume", "priority_groups")
		for _, key := range []string{"headroom", "reserved"} {
			if g[key] != nil {
				a.size(s, g[key], "memory", "ingress", key)
			}
		}
		if resume := g["resume"]; resume != nil {
			add(s, resume, "ingress", "resume", number(resume, mostSize))
		}
		threshold(s, g["threshold"], "ingress")
		for _, group := range g["priority_groups"].Items() {
			a.group(s, group)
		}
	}
	for _, kind := range []string{"unicast", "multicast"} {
		for _, q := range f[kind+"_queues"].Items() {
			a.queue(s, q, kind)
		}
	}
}

// group reads an element of priority_groups.
func (a *avd) group(s *statements.Statement, v *document.Value) {
	f := a.fields(v, s, "id", "threshold", "reserved")
	if v.Need(f, "id"); f["id"] == nil {
		return
	}
	words := []string{"ingress", "priority-group", number(f["id"], 7)}
	if f["reserved"] != nil {
		a.size(s, f["reserved"], "memory", append(words, "reserved")...)
	}
	threshold(s, f["threshold"], words...)
}

// queue reads an element of unicast_queues or multicast_queues: known, and no part of what is audited.
func (a *avd) queue(s *statements.Statement, v *document.Value, kind string) {
	f := a.fields(v, s, "id", "unit", "reserved", "threshold", "drop")
	if v.Need(f, "id"); f["id"] == nil {
		return
	}
	words := []string{"egress", kind, "queue", number(f["id"], 11)}
	if f["reserved"] != nil {
		add(s, f["reserved"], append(words, "reserved", unitOf(f["unit"]), number(f["reserved"], mostSize))...)
	}
	threshold(s, f["threshold"], words...)
	if f["drop"] != nil {
		add(s, f["drop"], append(words, "drop-precedence")...)
	}
}

// size reads a mapping of unit and a number under a key.
func (a *avd) size(to *statements.Statement, v *document.Value, key string, words ...string) {
	f := a.fields(v, to, "unit", key)
	if v.Need(f, key); f[key] != nil {
		add(to, f[key], append(slices.Clip(words), unitOf(f["unit"]), number(f[key], mostSize))...)
	}
}

// unitOf is a unit; bytes where none is given.
func unitOf(v *document.Value) string {
	if v == nil {
		return "bytes"
	}
	if text := v.Text(); text == "bytes" || text == "cells" {
		return text
	}
	v.Refuse("bytes or cells")
	return ""
}

// number is a whole number from 0 to a largest one, as a word; "" after a complaint.
func number(v *document.Value, most int64) string {
	before := v.Complaints()
	n := v.Integer(0, most)
	if v.Complaints() > before {
		return ""
	}
	return strconv.FormatInt(n, 10)
}

// threshold adds the statement of a threshold; nil: there is none. YAML has 1 to 8 as numbers, too.
func threshold(to *statements.Statement, v *document.Value, words ...string) {
	switch {
	case v == nil:
	case v.IsNumber():
		add(to, v, append(slices.Clip(words), "threshold", v.Raw())...)
	default:
		add(to, v, append(slices.Clip(words), "threshold", v.Text())...)
	}
}
