// Package intent turns a configuration that was audited into the intent of a topology: the same reading, as a file that
// can be planned, verified and rendered.
//
//	imported, err := intent.Of(audit.Run(source))
//	if err != nil {
//		return "", err
//	}
//	comments := topology.Comments{Path: imported.Sources, Ports: imported.PortSources}
//	written, err := topology.WriteCommented(imported.Intent, comments)
//
// The error is an [ErrUnknown] where the configuration does not say what every topology has, and says what to add. One
// thing is assumed: a chip whose cells are not known holds the pools, and [buffer.Chip.Assumed] tells so. What a
// topology cannot say, or says otherwise, is a [Difference] with the object, the file and the line. The plan of the
// intent is compared with what was read, group by group: what it grants otherwise is a difference too. An [Import]
// without differences has all pools, profiles, groups, queues, PFC, maps of DSCPs, marking and schedules that an audit
// reads.
//
// A topology counts a traffic class of SONiC as a priority: class n has queue n, and group n if it is lossless. The
// limits of ports (BUFFER_PORT_INGRESS_PROFILE_LIST and the one of the egress) are not read.
package intent

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/audit"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/finding"
	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/internal/grouped"
)

// Import is a configuration as an intent.
type Import struct {
	Intent buffer.Intent
	Plan   *buffer.Plan // of the intent
	// Differences are what the intent or its plan does not have as the configuration has it. None: it has everything
	// that an audit reads.
	Differences []Difference
	Rest        int // differences beyond maxDifferences, which are not listed
	// Notes are what the configuration does not say and what was written otherwise with the same effect.
	Notes []string
	// Sources say where the values come from, by the paths of a topology: chip, pool, classes[0], headroom.rows[0].
	Sources map[string][]string

	reading *audit.Result
	sources map[string]string // of ports, by name
}

// Difference is one thing that a topology says otherwise, or not at all. Its fields are published:
// cellwarden.import/v1.
type Difference struct {
	Object  string `json:"object"` // such as BUFFER_POOL|ingress_lossy_pool
	File    string `json:"file"`
	Line    int    `json:"line"` // 0: the whole file
	Message string `json:"message"`
}

// maxDifferences is the largest number of differences that is listed. The others are counted.
const maxDifferences = 1000

// String prints the difference on a line.
func (d Difference) String() string {
	at := finding.Place{File: d.File, Line: d.Line}
	return fmt.Sprintf("%v: %s: %s", at, d.Object, d.Message)
}

// ErrUnknown says that a configuration does not say what every topology has. Its text says what to add.
var ErrUnknown = errors.New("the configuration does not say what a topology needs")

// ErrNotExpressed says that no topology is close to a configuration.
var ErrNotExpressed = errors.New("no topology says what the configuration says")

// ErrSystem says that a configuration is of another system than SONiC.
var ErrSystem = errors.New("import reads SONiC alone: want a config_db.json, a hwsku folder of sonic-buildimage, or " +
	"--target with a switch that has SONiC")

// Of returns what an audited configuration amounts to. The error wraps [ErrUnknown], with all that is to be added,
// [ErrNotExpressed], or [ErrSystem].
func Of(r *audit.Result) (*Import, error) {
	if !r.Source.Reading.Manager {
		return nil, fmt.Errorf("the configuration is of %s: %w", r.Source.Reading.System, ErrSystem)
	}
	r = standIn(r)
	b := &builder{Import: &Import{reading: r, Sources: map[string][]string{}, sources: map[string]string{}},
		sw: r.Switch, said: map[string]int{}, pauses: map[*audit.Port]uint8{}}
	if err := b.needs(); err != nil {
		return nil, err
	}
	b.chip()
	b.pools()
	b.priorities()
	b.ports()
	b.headroom()
	b.codePoints()
	b.shown()
	in := &b.Import.Intent
	var invalid *buffer.InvalidError
	if err := in.Validate(); errors.As(err, &invalid) {
		return nil, fmt.Errorf("%w: %w", ErrNotExpressed, invalid)
	} else if err != nil {
		return nil, err
	}
	plan, err := buffer.New(*in)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNotExpressed, err)
	}
	b.Plan = plan
	b.compare()
	b.finish()
	return b.Import, nil
}

// builder makes an intent of a configuration.
type builder struct {
	*Import
	sw   *audit.Switch
	pool *audit.Pool // that lossless groups are in
	said map[string]int
	on   [][]string // ports of each difference

	roles   map[*audit.Port][priorities]role
	main    [priorities]role
	carried map[*audit.Port]buffer.ClassSet
	kept    []*audit.Port         // that carry a class
	pauses  map[*audit.Port]uint8 // priorities with PFC without headroom, by bits
}

// priorities is the number of traffic classes that a topology has: one for each priority.
const priorities = 8

// needs refuses a configuration that does not say what every topology has. Nothing is made up in its place.
func (b *builder) needs() error {
	var bad fielderr.List
	need := func(is bool, format string, args ...any) {
		if !is {
			bad.Addf(format, args...)
		}
	}
	for i := range b.reading.Findings {
		if f := &b.reading.Findings[i]; unreadable(f) {
			need(false, "%v: %s: %s", finding.Place{File: f.File, Line: f.Line}, f.Object, f.Message)
		}
	}
	chip := &b.reading.Source.Chip
	need(chip.Known(), "the chip is %s", chip.How)
	need(!chip.Known() || chip.Sourced(), "how many cells %s has is not known: --chip FILE, a chip file that says it",
		chip.Name)
	need(len(b.sw.Pools) > 0, "there is no BUFFER_POOL: the configuration is a part of a switch's")
	_, mapped := b.sw.Tables["PORT_QOS_MAP"]
	need(mapped,
		"there is no PORT_QOS_MAP: which priorities have PFC is not known: the configuration is a part of a switch's")
	need(len(b.sw.Ports) > 0, "there are no ports")
	var speed, cable, unknown []string
	for _, p := range b.sw.Ports {
		if p.Speed == 0 && hasGroup(p) {
			speed = append(speed, p.Name)
		}
		if !p.CableGiven && hasGroup(p) {
			cable = append(cable, p.Name)
		}
		if b.withoutTable(p) {
			unknown = append(unknown, p.Name)
		}
	}
	need(len(speed) == 0, "the speed of ports %s is not known: a config_db.json with PORT says it", fold(speed))
	need(len(cable) == 0, "the cable of ports %s is not known: --cable", fold(cable))
	need(len(unknown) == 0, "the headroom table is not given, and the lossless groups of ports %s are made from it: "+
		"--headroom-table", fold(unknown))
	if err := bad.Err(); err != nil {
		return fmt.Errorf("%w:\n%w", ErrUnknown, err)
	}
	return nil
}

// unreadable tells whether a finding says that a part of the configuration was not read. What is not read is not what
// the configuration has none of.
func unreadable(f *finding.Finding) bool {
	switch f.Code {
	case "number-format", "row-unreadable", "render-error", "render-not-json", "not-config-db":
		return f.Severity == finding.Error
	}
	return false
}

// hasGroup tells whether a port has a group, or PFC for which the buffer manager makes one.
func hasGroup(p *audit.Port) bool {
	return p.PFC != 0 || slices.ContainsFunc(p.Groups[:], func(b *audit.Bound) bool { return b != nil })
}

// withoutTable tells whether the buffer manager makes lossless groups of a port from a table that is not given.
func (b *builder) withoutTable(p *audit.Port) bool {
	s := &b.reading.Source
	if s.Table != nil || s.NoTable || b.sw.Dynamic || !p.CableGiven || p.Cable == 0 {
		return false
	}
	for n := range priorities {
		if p.PFC>>n&1 == 1 && p.Groups[n] == nil {
			return true
		}
	}
	return false
}

// fold writes names of ports as ranges, and not more than a line can hold.
func fold(names []string) string {
	text := buffer.FoldPorts(names)
	if len(text) > 60 {
		text = fmt.Sprintf("%s … %s (%d ports)", names[0], names[len(names)-1], len(names))
	}
	return text
}

// differs adds a difference. Those that say the same of several ports are one.
func (b *builder) differs(p *audit.Port, object string, at finding.Place, format string, args ...any) {
	if p != nil { // the object names no port, so that several ports share one difference
		object = strings.Replace(object, "|"+p.Name+"|", "|*|", 1)
	}
	d := Difference{object, at.File, at.Line, fmt.Sprintf(format, args...)}
	key := d.Object + "\x00" + d.Message
	i, there := b.said[key]
	if !there && len(b.Differences) >= maxDifferences {
		b.Rest++
		return
	}
	if !there {
		i = len(b.Differences)
		b.said[key] = i
		b.Differences, b.on = append(b.Differences, d), append(b.on, nil)
	}
	if p != nil && (len(b.on[i]) == 0 || b.on[i][len(b.on[i])-1] != p.Name) {
		b.on[i] = append(b.on[i], p.Name)
	}
}

// finish names the ports of the differences.
func (b *builder) finish() {
	for i := range b.Differences {
		if names := b.on[i]; len(names) > 0 {
			b.Differences[i].Message += " (" + fold(names) + ")"
		}
	}
}

// note adds a note, once.
func (b *builder) note(format string, args ...any) {
	b.Notes = grouped.Add(b.Notes, fmt.Sprintf(format, args...))
}

// source says where the value at a path comes from, once.
func (b *builder) source(path, format string, args ...any) {
	b.Sources[path] = grouped.Add(b.Sources[path], fmt.Sprintf(format, args...))
}

// chip takes the chip of the configuration.
func (b *builder) chip() {
	chip := &b.reading.Source.Chip
	b.Intent.Chip = *chip.Data
	if b.Intent.Chip.Assumed() {
		b.assumedChip()
	} else {
		b.source("chip", "known by: %s", chip.How)
	}
	if chip.Disputed() {
		b.note("sources give %s different numbers of cells: the plan rests on those of the catalogue", chip.Name)
	}
}

// shown writes the sources of ports.
func (b *builder) shown() {
	for _, p := range b.kept {
		parts := []string{"PORT|" + p.Name + " " + p.At.String()}
		if p.CableText != "" {
			parts = append(parts, "CABLE_LENGTH "+p.CableAt.String())
		} else {
			parts = append(parts, "the cable is that of --cable")
		}
		if p.MTU == 0 {
			parts = append(parts, "no mtu: 9100, the default of sonic-port.yang")
		}
		b.sources[p.Name] = strings.Join(parts, ", ")
	}
}

// PortSources returns where the values of an entry of ports come from.
func (i *Import) PortSources(ports []buffer.Port) []string {
	first := i.sources[ports[0].Name]
	if len(ports) == 1 {
		return []string{first}
	}
	return []string{first, "… " + i.sources[ports[len(ports)-1].Name]}
}
