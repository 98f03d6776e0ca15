package dcbx

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/pfc"
	"github.com/cellwarden/cellwarden/unit"
)

// Mode says which versions of DCBX a port speaks.
type Mode uint8

// The modes.
const (
	Automatic Mode = iota // IEEE, and CEE with a neighbour that speaks CEE alone, as long as it does
	OnlyIEEE
	OnlyCEE
)

// String prints the mode.
func (m Mode) String() string { return [...]string{"automatic", "ieee", "cee"}[m] }

// Settings is the configuration that an operator gives a port (the administrative values).
type Settings struct {
	Address pfc.Address // of the port; it decides between two ends that are both willing
	Name    Neighbour   // chassis and port, as the neighbour sees them
	Mode    Mode

	// WithoutETS leaves ETS, and what is recommended, out of the frames: the port speaks of PFC alone.
	WithoutETS     bool
	ETS            ETSConfiguration
	Recommendation *ETSRecommendation // nil: nothing is recommended, and a willing neighbour keeps its own
	PFC            PFC
	Application    Application
	// More are TLVs that are sent behind those of DCBX, such as the name of the system.
	More []TLV
}

// Validate returns nil, or everything that is wrong. A port cannot have more PFC than it has traffic classes for.
func (s *Settings) Validate() error {
	var bad fielderr.List
	bad.Check(s.Mode <= OnlyCEE, "mode", uint8(s.Mode), "automatic, ieee, cee")
	bad.Within("ets.max_tcs", int64(s.ETS.MaxTCs), 1, MaxClasses)
	bad.Under("ets", s.ETS.Validate())
	for p, c := range s.ETS.Class {
		if c >= s.ETS.MaxTCs && c < MaxClasses {
			bad.Add(fmt.Sprintf("ets: priority %d", p), fmt.Sprintf("traffic class %d", c),
				fmt.Sprintf("below max TCs, %d", s.ETS.MaxTCs))
		}
	}
	if s.Recommendation != nil {
		bad.Under("recommendation", s.Recommendation.Validate())
	}
	bad.Within("pfc.capability", int64(s.PFC.Capability), 0, MaxClasses)
	if n := bits.OnesCount8(uint8(s.PFC.Enabled)); n > int(s.PFC.Capability) {
		bad.Add("pfc.enabled", fmt.Sprintf("%d priorities (%v)", n, s.PFC.Enabled),
			fmt.Sprintf("at most the capability, %d", s.PFC.Capability))
	}
	f := Frame{Destination: NearestBridge, Source: s.Address}
	var err error
	if f.PDU, err = s.pdu(IEEEVersion, s.ETS.Table, s.PFC.Enabled, nil); err == nil {
		err = f.PDU.Validate()
	}
	bad.Join(err)
	return bad.Err()
}

// supports tells whether the port can have the shares of a neighbour: valid ones, in classes and with algorithms that
// it has. A vendor's algorithm is known to that vendor alone. A class with priorities and 0 % is not used either,
// because what it gets differs from device to device (inferred; package ets refuses it too).
func (s *Settings) supports(t *Table) bool {
	for _, c := range t.Class {
		if c >= s.ETS.MaxTCs {
			return false
		}
		switch how := t.Selection[c]; {
		case how == Vendor, how == CreditBased && !s.ETS.CreditBased, how == Enhanced && t.Bandwidth[c] == 0:
			return false
		}
	}
	return t.Validate() == nil
}

// TimeToLive is for how long a neighbour may use a frame: 4 intervals. It is the default of lldpad and lldpd.
const TimeToLive = 4 * interval

// interval is the time between two frames, and FastInterval that between the first fastFrames frames to a neighbour
// that is new (IEEE 802.1AB-2016, 9.2.5: msgTxInterval, msgFastTx and txFastInit with their defaults).
const (
	interval     = 30 * unit.Second
	FastInterval = 1 * unit.Second
	fastFrames   = 4
)

// pdu returns what the port sends in a version: for IEEE the values in force, for CEE what the caller made.
func (s *Settings) pdu(v Version, in Table, enabled pfc.Priorities, cee *CEE) (PDU, error) {
	var bad fielderr.List
	p := PDU{Mandatory(s.Name, TimeToLive)}
	add := func(t TLV, err error) {
		bad.Join(err)
		p.TLVs = append(p.TLVs, t)
	}
	switch v {
	case IEEEVersion:
		e, f := s.ETS, s.PFC
		e.Table, f.Enabled = in, enabled
		if !s.WithoutETS {
			add(e.TLV())
		}
		if s.Recommendation != nil && !s.WithoutETS {
			add(s.Recommendation.TLV())
		}
		add(f.TLV())
		if len(s.Application.Assignments) > 0 {
			add(s.Application.TLV())
		}
	case CEEVersion:
		add(cee.TLV())
	}
	p.TLVs = append(p.TLVs, slices.Clone(s.More)...)
	return p, bad.Err()
}

// cee returns the settings as CEE has them. A priority in a strict class is in group 15, another in the group of its
// class.
func (s *Settings) cee() CEE {
	g := PriorityGroups{Feature: Feature{Enabled: true, Willing: s.ETS.Willing}, Classes: s.ETS.MaxTCs}
	for p, c := range s.ETS.Class {
		if g.Group[p] = c; s.ETS.Selection[c] != Enhanced {
			g.Group[p] = StrictGroup
		} else {
			g.Bandwidth[c] = s.ETS.Bandwidth[c]
		}
	}
	out := CEE{
		Groups: &g,
		PFC:    &CEEPFC{Feature{Enabled: true, Willing: s.PFC.Willing}, s.PFC.Enabled, s.PFC.Capability},
	}
	if s.WithoutETS {
		out.Groups = nil
	}
	if a := s.Application.cee(); len(a.Assignments) > 0 {
		out.Application = &a
	}
	return out
}

// cee returns the table as CEE has it, which knows ethertypes and ports alone; assignments of the same protocol are
// one.
func (a *Application) cee() CEEApplication {
	out := CEEApplication{Feature: Feature{Enabled: true}}
	for _, x := range a.Assignments {
		y := CEEAssignment{Protocol: x.Protocol, OUI: ouiCEE}
		switch x.Selector {
		case ByEtherType:
		case byTCP, ByUDP, byPort:
			y.Selector = 1
		default:
			continue
		}
		i := slices.IndexFunc(out.Assignments, func(o CEEAssignment) bool {
			return o.Protocol == y.Protocol && o.Selector == y.Selector
		})
		if i < 0 {
			i, out.Assignments = len(out.Assignments), append(out.Assignments, y)
		}
		out.Assignments[i].Priorities |= pfc.Of(int(x.Priority))
	}
	return out
}

// Table returns the groups as traffic classes: group N is class N and has a part of the bandwidth, and group 15 is the
// highest class that no other group has, strict. Reserved groups are refused.
func (g *PriorityGroups) Table() (Table, error) {
	var bad fielderr.List
	var t Table
	var used uint8
	for p, n := range g.Group {
		switch {
		case n < MaxClasses:
			t.Class[p] = n
			used |= 1 << n
			t.Selection[n], t.Bandwidth[n] = Enhanced, g.Bandwidth[n]
		case n != StrictGroup:
			bad.Add(fmt.Sprintf("priority %d", p), fmt.Sprintf("group %d", n), "0 to 7, or 15")
		}
	}
	free := uint8(bits.Len8(^used)) - 1 // with all groups in use, no priority is left for group 15
	for p, n := range g.Group {
		if n == StrictGroup {
			t.Class[p] = free
		}
	}
	return t, bad.Err()
}
