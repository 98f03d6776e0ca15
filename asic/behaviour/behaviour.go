// Package behaviour describes how families of chips admit packets, as data for package buffer/mmu: when a priority
// group pauses, when it resumes, how a limit is compared with a counter, and the sources of all this. [Families] lists
// the families.
//
// Some chips have configurations of their own kind. For these the package
// converts a configuration to the groups and pools of an MMU:
//
//   - spectrum.go: NVIDIA Spectrum, with a headroom buffer in front of the
//     shared buffer
//   - juniper.go: Juniper QFX, with partitions in percent
package behaviour

import (
	"slices"

	"github.com/cellwarden/cellwarden/buffer/mmu"
	"github.com/cellwarden/cellwarden/internal/grouped"
)

// Family describes how a family of chips admits packets. The MMU has no code for any family.
type Family struct {
	Name     string
	Title    string
	Rule     mmu.Rule
	Latched  bool     // XON is measured from the limit at XOFF
	Pauses   string   // what makes a group send XOFF
	Resumes  string   // what makes a group send XON
	Source   string   // source of what is known
	Inferred []string // what no source states, and was chosen
}

// behaviours are the families, in the order of the documentation.
var behaviours = []Family{
	{
		Name: "xgs", Title: "Broadcom XGS: Trident 2 and 3, Tomahawk to Tomahawk 6",
		Rule: mmu.SiliconRule(), Latched: true,
		Pauses:  "the group's shared cells reach its limit: alpha times the free cells of the slice's pool",
		Resumes: "the group uses at most max(floor, limit - offset) cells, and its headroom is empty",
		Source:  "OpenBCM (fields of the THDI tables); sonic-mgmt tests/qos/files (measured)",
		Inferred: []string{"that the limit counts the arriving packet, and that XOFF goes out when it is reached: from the " +
			"measurements",
			"that the offset is measured from the limit at XOFF: from the measurements",
			"the position of the port's minimum in the order of accounts",
			"the order in which accounts release cells", "LAST_PKT_ACCEPT_MODE is off"},
	},
	{
		Name: "n9k", Title: "Cisco Nexus 9000, Cloud Scale",
		Rule: mmu.Rule{}, Latched: false,
		Pauses:  "the group uses more than pause-threshold of its own buffer of buffer-size",
		Resumes: "the group uses resume-threshold or less",
		Source:  "Cisco NX-OS QoS configuration guide, 10.5(x), priority flow control",
		Inferred: []string{"that a use of exactly pause-threshold bytes does not pause",
			"that the group uses no cells of the shared pool-group",
			"how sizes are rounded to cells: capacities are rounded down"},
	},
	{
		Name: "silicon-one", Title: "Cisco Silicon One: Q200, G100, G200, P200",
		Rule: mmu.Rule{}, Latched: false,
		Pauses:  "the group uses more than the quantised pause threshold",
		Resumes: "the group uses the quantised resume threshold or less",
		Source:  "sonic-mgmt tests/qos/files/cisco (written by Cisco)",
		Inferred: []string{"which product each family name stands for",
			"that a group's threshold does not change when other groups fill the pool: the source has only one congested group",
			"that use is counted in whole buffer units"},
	},
	{
		Name: "spectrum", Title: "NVIDIA Spectrum to Spectrum-6",
		Rule: mmu.Rule{}, Latched: false,
		Pauses:  "the port's headroom holds more than the xoff threshold: see mmu.Stage, SpectrumBuffer",
		Resumes: "the headroom holds less than the xon threshold",
		Source:  "Linux mlxsw spectrum_buffers.c, reg.h (PBMC)",
		Inferred: []string{"that a limit is read before the packet",
			"the order in which waiting packets of different ports enter the shared buffer",
			"that waiting packets enter the shared buffer cell by cell",
			"that a packet which enters the shared buffer at once is not counted in the headroom",
			"that a packet beyond an egress limit is dropped; on the chip it waits"},
	},
	{
		Name: "juniper", Title: "Juniper QFX: XGS chips with partitions in percent",
		Rule: mmu.SiliconRule(), Latched: true,
		Pauses:  "the limit of the lossless partition is reached: see JunosBuffer",
		Resumes: "as xgs",
		Source:  "Junos class-of-service shared-buffer; a QFX3500's own figures (people.ucsc.edu/~warner/Bufs)",
		Inferred: []string{
			"everything that is inferred for xgs: Junos does not document how its chips compare counters with limits",
			"that partitions have to add up to 100 %",
			"that a partition is rounded down to cells"},
	},
}

// Families returns the families.
func Families() []Family {
	out := slices.Clone(behaviours)
	for i := range out {
		out[i].Inferred = slices.Clone(out[i].Inferred)
	}
	return out
}

// Names returns the names that Lookup knows: those of the families, and of the reference, which is no chip: it is the
// model without a vendor's peculiarities.
func Names() []string {
	return append(grouped.Each(behaviours, func(b Family) string { return b.Name }), Reference().Name)
}

// Lookup returns a family by its name, or [Reference] and false.
func Lookup(name string) (Family, bool) {
	all := append(Families(), Reference())
	i := slices.IndexFunc(all, func(b Family) bool { return b.Name == name })
	if i < 0 {
		return Family{}, false
	}
	return all[i], true
}
