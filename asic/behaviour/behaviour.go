package behaviour

import (
	"errors"
	"fmt"
	"slices"

	"github.com/cellwarden/cellwarden/buffer/mmu"

	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// Family is how a family of chips admits packets, as data: the mmu.MMU has no
// code of its own for any of them.
type Family struct {
	Name     string
	Title    string
	Rule     mmu.Rule
	Latched  bool     // XON is measured from the limit at XOFF
	Pauses   string   // what makes a group send XOFF
	Resumes  string   // what makes it send XON
	Source   string   // of what is known
	Inferred []string // what is not known, and was chosen
}

var behaviours = []Family{
	{
		Name: "xgs", Title: "Broadcom XGS: Trident 2 and 3, Tomahawk to Tomahawk 6",
		Rule: mmu.SiliconRule(), Latched: true,
		Pauses:  "the shared limit, alpha times what the slice's pool has left, is reached",
		Resumes: "use at max(floor, limit - offset) and headroom empty",
		Source:  "OpenBCM (fields of the THDI tables); sonic-mgmt tests/qos/files (measured)",
		Inferred: []string{"that the limit counts the arriving packet, and that XOFF goes out when it is reached: from the measurements",
			"that the offset is measured from the limit at XOFF: from the measurements", "where the port's minimum stands in the order",
			"in which order accounts are given back", "LAST_PKT_ACCEPT_MODE is off"},
	},
	{
		Name: "n9k", Title: "Cisco Nexus 9000, Cloud Scale",
		Rule: mmu.Rule{}, Latched: false,
		Pauses:  "use above pause-threshold, in a buffer of buffer-size that is the group's own: see NoDropBuffer",
		Resumes: "use at resume-threshold or below",
		Source:  "Cisco NX-OS QoS configuration guide, 10.5(x), priority flow control",
		Inferred: []string{"that pause-threshold bytes themselves do not pause", "that nothing is taken from the shared pool-group",
			"how use is rounded to cells: capacities down"},
	},
	{
		Name: "silicon-one", Title: "Cisco Silicon One: Q200, G100, G200, P200",
		Rule: mmu.Rule{}, Latched: false,
		Pauses:  "use above the quantised pause threshold: see SiliconOneGroup",
		Resumes: "use at the quantised resume threshold or below",
		Source:  "sonic-mgmt tests/qos/files/cisco (written by Cisco)",
		Inferred: []string{"which product a family name is", "that the threshold of a group stays when others fill the pool: the source knows only one congested group",
			"that use is counted in whole buffer units"},
	},
	{
		Name: "spectrum", Title: "NVIDIA Spectrum to Spectrum-6",
		Rule: mmu.Rule{}, Latched: false,
		Pauses:  "the port's headroom holds more than the xoff threshold: see MMUStage, SpectrumBuffer",
		Resumes: "the headroom holds less than the xon threshold",
		Source:  "Linux mlxsw spectrum_buffers.c, reg.h (PBMC)",
		Inferred: []string{"that a limit is read before the packet", "in which order packets that wait in different ports move on", "that cells move on, not packets",
			"that a packet which the shared buffer takes at once does not count in the headroom", "that an egress limit drops what on the chip waits"},
	},
	{
		Name: "juniper", Title: "Juniper QFX: XGS chips with partitions in percent",
		Rule: mmu.SiliconRule(), Latched: true,
		Pauses:  "the limit of the lossless partition is reached: see JunosBuffer",
		Resumes: "as xgs",
		Source:  "Junos class-of-service shared-buffer; a QFX3500's own figures (people.ucsc.edu/~warner/Bufs)",
		Inferred: []string{"everything inferred of xgs: Junos says nothing of how its chips compare", "that partitions have to add up to 100 %",
			"that a partition is rounded down to cells"},
	},
}

// Families lists the presets.
func Families() []Family {
	out := slices.Clone(behaviours)
	for i := range out {
		out[i].Inferred = slices.Clone(out[i].Inferred)
	}
	return out
}

// Lookup returns a preset by name; false if there is none.
func Lookup(name string) (Family, bool) {
	all := Families()
	i := slices.IndexFunc(all, func(b Family) bool { return b.Name == name })
	if i < 0 {
		return Family{}, false
	}
	return all[i], true
}

// NoDropBuffer is a no-drop class of a Nexus 9000 in its own words.
type NoDropBuffer struct {
	BufferSize      unit.Bytes // all that the class has on a port
	PauseThreshold  unit.Bytes // above it the class pauses
	ResumeThreshold unit.Bytes // at it or below the class resumes
}

// Group returns the group that behaves so: the cells under the pause threshold
// are reserved, those above it headroom, and there are no shared ones. All are
// capacities and round down. resume <= pause <= buffer-size must hold, and no
// size may be below 0.
func (b NoDropBuffer) Group(cell cells.Size) (mmu.Group, error) {
	if b.ResumeThreshold < 0 || b.ResumeThreshold > b.PauseThreshold || b.PauseThreshold > b.BufferSize {
		return mmu.Group{}, fmt.Errorf("resume-threshold %v, pause-threshold %v, buffer-size %v: none may be above the next, or below 0",
			b.ResumeThreshold, b.PauseThreshold, b.BufferSize)
	}
	if cell <= 0 {
		return mmu.Group{}, errors.New("cell: 0 bytes (accepted: 1 or more)")
	}
	size, pause, resume := cell.Within(b.BufferSize), cell.Within(b.PauseThreshold), cell.Within(b.ResumeThreshold)
	return mmu.Group{Reserved: pause, Limit: thresholds.Static(0), Lossless: true, Headroom: size - pause,
		XON: thresholds.XON{Floor: resume, Offset: pause}}, nil
}

// SiliconOneGroup returns the group that a lossless profile makes on a chip of
// the family: a static limit at the pause threshold as hardware stores it, with
// the clamp to the deepest queue that the older two have, headroom up to the
// drop threshold, and XON at the resume threshold. Cells are the family's
// buffer units, rounded down. It refuses what thresholds refuses.
func SiliconOneGroup(family thresholds.SiliconOne, p thresholds.SiliconOneProfile) (mmu.Group, error) {
	t, err := family.Thresholds(p)
	if err != nil {
		return mmu.Group{}, err
	}
	cell := family.Cell()
	pause := cell.Within(t.Pause)
	return mmu.Group{Limit: thresholds.Static(pause), Lossless: true, Headroom: cell.Within(t.Drop) - pause,
		XON: thresholds.XON{Floor: cell.Within(t.Resume), Offset: pause}}, nil
}
