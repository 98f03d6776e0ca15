// Package audit says what the buffer configuration of a switch means in cells, and what is wrong with it.
//
// Most switches have a configuration and no topology file. [Run] reads the tables of CONFIG_DB as they are: pools,
// profiles, groups and queues, PFC, maps, cables, marking and schedulers. It makes the lossless groups that the switch
// makes itself from a headroom table, counts the cells of all groups slice by slice where the chip is known, and
// returns findings. A finding has a code, a place, the numbers that were compared and a repair:
//
//	db, err := sonic.System.Read("config_db.json", data, audit.Chip{})
//	if err != nil {
//		return err
//	}
//	result := audit.Run(audit.Source{File: "config_db.json", Reading: db})
//
// [table.Lint] checks a headroom table by itself.
//
// A finding is certain if no reading of the configuration makes it right: the chip cannot hold it, or a name leads
// nowhere. The others say what they rest on. Two traps are why. The size of a pool includes its xoff on some chips and
// not on others, and nothing says which; where it may, size + xoff above the memory is ambiguous. A static limit of
// the whole memory means that there is no limit. What is not known, such as the chip or the headroom table, is a state
// of its own: the result lists what was not checked.
//
// [Codes] lists the codes, with the public mistakes that each would have caught. They were found in the history of
// SONiC's device files: the audit finds each of them before the change that mended it, and no longer after it.
//
// Not checked: what the chip does when it is full (package backend/sim verifies that), and traffic that a
// configuration does not name.
package audit

import (
	"github.com/cellwarden/cellwarden/finding"
	"github.com/cellwarden/cellwarden/thresholds/table"
	"github.com/cellwarden/cellwarden/unit"
)

// Source is a configuration to audit.
type Source struct {
	File     string // name in findings that are about no line
	Topology string // SONiC's name of a role, such as t0; empty: the configuration is of one switch
	Reading  *Meaning
	// Unreadable are findings about documents of the configuration that could not be read. They are among the result's.
	Unreadable []finding.Finding
	// Chip is the ASIC. The zero Chip is identified by what the configuration says of itself.
	Chip Chip
	// Table is the headroom table of the switch; nil: not given. NoTable says that the switch has none.
	Table   *table.Table
	NoTable bool
	// Cable is the length for ports without one in the configuration; absent: such ports have no lossless groups.
	Cable unit.Optional[unit.Length]
	// SizeIncludesHeadroom says whether the size of a pool includes its xoff and the minima; absent: it is inferred for
	// the chip, or not known.
	SizeIncludesHeadroom unit.Optional[bool]
	// DropOverMax says that sai.profile has SAI_DROP_OVER_MAX_VALUE_LIST=307200; absent: sai.profile is not known.
	DropOverMax unit.Optional[bool]
	// Part says that the configuration is not the whole of a switch's: the rest may be elsewhere. A file
	// that was rendered for buffers has no maps, and one for QoS no pools.
	Part bool
}

// Place is the file as a whole.
func (s *Source) Place() finding.Place { return finding.Place{File: s.File} }

// Result is what a configuration means and what is wrong with it.
type Result struct {
	Source   Source
	Switch   *Switch
	Findings []finding.Finding // by file, line and code
	Rest     int               // findings beyond MaxFindings, which are not listed
	Bill     *Bill             // nil: the cells cannot be counted, and Unknown says why
	Unknown  []string          // what could not be checked, and why
}

// Run audits a configuration. The headroom table is checked against the pools of the configuration here, and by itself
// in [table.Lint].
func Run(s Source) *Result {
	c := &collector{topology: s.Topology}
	c.Findings = append(c.Findings, s.Unreadable...)
	sw := s.Reading.read(c, &s)
	out := &Result{Switch: sw}
	k := &check{collector: c, Source: &s, sw: sw}
	s.Reading.statements(out)
	k.unknown(out)
	k.stretch()
	if s.Reading.Manager {
		k.lossless(out)
	}
	k.pools()
	k.profiles()
	if s.Reading.Manager {
		k.sums()
		k.tableInPools()
		k.pfc()
		k.trims()
	} else {
		k.noDrop()
		k.headrooms()
		k.groupsOverChip()
		k.queues()
	}
	k.maps()
	k.marking()
	k.fit(out)
	out.Source, out.Findings, out.Rest = s, c.Findings, c.rest
	finding.Sort(out.Findings)
	return out
}

// stretch gives the ports without a cable the length that the caller states.
func (c *check) stretch() {
	length, given := c.Cable.Get()
	for _, p := range c.sw.Ports {
		if given && !p.CableGiven {
			p.Cable, p.CableGiven = length, true
		}
	}
}

// unknown says what cannot be checked of this configuration.
func (c *check) unknown(out *Result) {
	if c.Reading.Manager && len(c.sw.Ports) > 0 && !c.sw.Tables["PORT"] {
		out.Unknown = append(out.Unknown, "there is no PORT: whether the switch has the ports that are named is not "+
			"checked; SONiC's YANG models refuse the text by itself")
	}
	if len(c.sw.Pools) == 0 && c.Reading.Manager {
		out.Unknown = append(out.Unknown, "there is no BUFFER_POOL: pools and profiles are not checked")
		return
	}
	if c.Reading.Manager && c.noEgress() {
		out.Unknown = append(out.Unknown, "there is nothing of the egress either (BUFFER_QUEUE, a pool or a profile of "+
			"it): this is a part of a configuration, and whether the queues have buffers is not checked")
	}
	switch {
	case !c.Chip.Known() && !c.Reading.Manager: // few systems name their chip: it is no finding that one does not
		out.Unknown = append(out.Unknown, "the chip is "+c.Chip.How)
	case !c.Chip.Known():
		c.add("chip-unknown", c.Place(), "chip", nil, "the chip is %s: nothing is compared with its memory", c.Chip.How)
		out.Unknown = append(out.Unknown, "the chip is "+c.Chip.How)
	case !c.Chip.Sourced():
		why := "how many cells " + c.Chip.Name + " has is not sourced"
		c.add("chip-unknown", c.Place(), "chip", nil, "%s: nothing is compared with its memory", why)
		out.Unknown = append(out.Unknown, why)
	}
}
