package junos

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/audit"
	"github.com/cellwarden/cellwarden/finding"
	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/internal/statements"
)

// sides are the two parts of the shared buffer, and the partitions of each.
var sides = []struct {
	name  string
	parts []string
}{{"ingress", []string{"lossless", "lossless-headroom", "lossy"}},
	{"egress", []string{"lossless", "lossy", "multicast"}}}

// sharedBuffer reads the partitions of the shared buffer.
func (r *reader) sharedBuffer() {
	s := r.cos.Find("shared-buffer")
	for _, side := range sides {
		of := s.Find(side.name)
		if of == nil {
			continue
		}
		object := "shared-buffer " + side.name
		r.number(of, "percent", object, "percent", 0, 100)
		r.number(of, "dynamic-threshold", object, "dynamic-threshold", 0, 10)
		sum, given := int64(0), 0
		for _, part := range named(of.Find("buffer-partition")) {
			if !slices.Contains(side.parts, part.Word(0)) {
				r.Find("name-missing", part.Line, object, "there is no partition %s: want %s", fielderr.Quote(part.Word(0)),
					strings.Join(side.parts, ", "))
			}
			if n := r.partition(part, object); n.Given {
				sum, given = sum+n.Value, given+1
			}
		}
		if given > 0 && sum != 100 {
			r.partitions(of.Line, object, sum, given, len(side.parts))
		}
	}
}

// partition reads a partition, and returns its percentage.
func (r *reader) partition(part *statements.Statement, object string) audit.Number {
	found := attributes(part, map[string]int{"percent": 1, "dynamic-threshold": 1})
	r.attribute(found, "dynamic-threshold", object, "dynamic-threshold", 0, 10)
	n := r.attribute(found, "percent", object, part.Word(0), 0, 100)
	if n.Given && n.Value == 0 && part.Word(0) == "lossless-headroom" && r.pauses() {
		r.Find("no-drop-no-headroom", n.At.Line, object,
			"the partition lossless-headroom is 0 %%, and there are priorities with PFC")
	}
	return n
}

// partitions says that partitions are not 100 % together. The command reference says that Junos refuses the commit, and
// Juniper's own validated designs have an egress of 66 and 10 on all switches of one: of the egress, and where a
// partition is not given, it is a note.
func (r *reader) partitions(line int, object string, sum int64, given, parts int) {
	of := fmt.Sprintf("the partitions are %d %% together", sum)
	if given < parts {
		of = fmt.Sprintf("%d of %d partitions are given, %d %% together", given, parts, sum)
	}
	f := r.Find("partition-sum", line, object, "%s", of)
	if sum < 100 && (given < parts || strings.HasSuffix(object, "egress")) {
		f.SuspectAs(finding.Note, "the command reference wants 100, and validated designs of Juniper with less are in use")
	}
}

// dedicatedBuffer reads the dedicated buffers, of all ports and by profile. An empty side is the switch's own.
func (r *reader) dedicatedBuffer() {
	sides := func(s *statements.Statement, object string) {
		for _, side := range named(s) {
			for _, of := range append(named(side.Find("buffer-partition")), side) {
				r.number(of, "percent", object+" "+side.Word(0), "percent", 0, 100)
			}
		}
	}
	sides(r.cos.Find("dedicated-buffer"), "dedicated-buffer")
	for _, n := range named(r.cos.Find("dedicated-buffer-profile")) {
		sides(n, "dedicated-buffer-profile "+n.Word(0))
	}
}

// pauses tells whether any profile has a priority with PFC.
func (r *reader) pauses() bool {
	for _, p := range r.profiles {
		if len(p.points) > 0 {
			return true
		}
	}
	return false
}
