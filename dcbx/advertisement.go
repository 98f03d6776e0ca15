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
	seen := map[string]int{}
	for i := range p.TLVs {
		seen[p.TLVs[i].name()]++
	}
	for i := range p.TLVs {
		t := &p.TLVs[i]
		switch name := t.name(); {
		case name == "" || seen[name] < 0:
		case seen[name] == 1:
			for _, e := range fielderr.Split(a.read(name, t.Value[4:])) {
				a.Unusable = append(a.Unusable, e.Error())
			}
		default:
			a.Unusable = append(a.Unusable, fmt.Sprintf("the TLV of %s is there %d times", name, seen[name]))
			seen[name] = -1 // one complaint is enough
		}
	}
	return a
}

// name returns what a TLV of DCBX is called; "" for another.
func (t *TLV) name() string {
	switch oui, subtype, _ := t.Organisation(); {
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

// read reads the TLV of a name.
func (a *Advertisement) read(name string, value []byte) (err error) {
	switch name {
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
