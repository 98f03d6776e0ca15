package dcbx

import (
	"fmt"

	"github.com/cellwarden/cellwarden/internal/fielderr"
)

// Version is a version of DCBX.
type Version uint8

// The versions. They do not understand each other.
const (
	NoVersion Version = iota // no DCBX
	CINVersion
	CEEVersion
	IEEEVersion
)

// String prints the name of the version.
func (v Version) String() string {
	return [...]string{"none", "CIN (DCBX 1.0)", "CEE (DCBX 1.01)", "IEEE 802.1Qaz"}[v]
}

// Advertisement is what the TLVs of DCBX in one LLDPDU say. nil: the PDU does not have it, or it could not be used.
type Advertisement struct {
	ETS            *ETSConfiguration
	Recommendation *ETSRecommendation
	PFC            *PFC
	Application    *Application
	CEE            *CEE
	CIN            *CIN
	// Unusable are TLVs of DCBX that could not be read, or that are there more than once.
	Unusable []string
}

// Read finds the TLVs of DCBX. One that has another length than the standard gives it, or a repeated one, is not
// used, and the others are: the standard's rules for a whole LLDPDU are those of [Decode]. (That two of a kind cancel
// each other is inferred; lldpad uses the first.)
func Read(p *PDU) Advertisement {
	var a Advertisement
	type key struct {
		oui     [3]byte
		subtype byte
	}
	seen := map[key]int{}
	for i := range p.TLVs {
		if oui, subtype, ok := p.TLVs[i].Organisation(); ok {
			seen[key{oui, subtype}]++
		}
	}
	for i := range p.TLVs {
		t := &p.TLVs[i]
		oui, subtype, ok := t.Organisation()
		if !ok || oui != ouiIEEE && oui != ouiCEE {
			continue
		}
		if n := seen[key{oui, subtype}]; n > 1 {
			if name := nameOf(oui, subtype); name != "" {
				a.refuse("the TLV of %s is there %d times", name, n)
			}
			seen[key{oui, subtype}] = -1
			continue
		} else if n < 0 {
			continue
		}
		if err := a.read(oui, subtype, t.Value[4:]); err != nil {
			for _, e := range fielderr.Split(err) {
				a.refuse("%v", e)
			}
		}
	}
	return a
}

// refuse notes a TLV that is not used.
func (a *Advertisement) refuse(format string, args ...any) {
	a.Unusable = append(a.Unusable, fmt.Sprintf(format, args...))
}

// nameOf returns what a TLV of DCBX is called; "" for another.
func nameOf(oui [3]byte, subtype byte) string {
	switch {
	case oui == ouiIEEE && subtype == subtypeETSConfiguration:
		return "ETS configuration"
	case oui == ouiIEEE && subtype == subtypeETSRecommendation:
		return "ETS recommendation"
	case oui == ouiIEEE && subtype == subtypePFC:
		return "PFC"
	case oui == ouiIEEE && subtype == subtypeApplication:
		return "applications"
	case oui == ouiCEE && subtype == subtypeCEE:
		return "CEE"
	case oui == ouiCEE && subtype == subtypeCIN:
		return "CIN"
	}
	return ""
}

// read reads one TLV of the organisations of DCBX.
func (a *Advertisement) read(oui [3]byte, subtype byte, value []byte) (err error) {
	switch nameOf(oui, subtype) {
	case "ETS configuration":
		a.ETS, err = readETSConfiguration(value)
	case "ETS recommendation":
		a.Recommendation, err = readETSRecommendation(value)
	case "PFC":
		a.PFC, err = readPFC(value)
	case "applications":
		a.Application, err = readApplication(value)
	case "CEE":
		a.CEE, err = readCEE(value)
	case "CIN":
		a.CIN, err = readCIN(value)
	}
	return err
}

// Version returns the version of DCBX that the sender speaks. A sender that speaks several is taken at the newest.
func (a *Advertisement) Version() Version {
	switch {
	case a.ETS != nil || a.Recommendation != nil || a.PFC != nil || a.Application != nil:
		return IEEEVersion
	case a.CEE != nil:
		return CEEVersion
	case a.CIN != nil:
		return CINVersion
	}
	return NoVersion
}
