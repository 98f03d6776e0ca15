package asic

import (
	"github.com/cellwarden/cellwarden/buffer"
)

// What is known of how Broadcom's chips compare counters with limits. No vendor documents it: it follows from values
// that
// tests have of real switches. All that could be judged send XOFF with the packet that fills the shared part, and
// measure the XON offset from the limit at XOFF. They differ in when they read a dynamic limit. The test of package
// buffer/mmu holds every statement of this file to the values.
const (
	probeTrace = "sonic-mgmt docs/testplan/mmu_threshold_probe/MMU_Threshold_Probing_Design.md"
	qosParams  = "sonic-mgmt tests/qos/files/"
)

// compared is when a chip reads a dynamic limit, and how sure that is.
type compared struct {
	limit  buffer.LimitRule
	source string
}

// comparisons are those of the chips by name.
var comparisons = map[string]compared{
	"trident2": {buffer.LimitBefore, "inferred: as Tomahawk; of the measured values (" + qosParams +
		"qos_params.td2.yaml) each is exact by both limit rules, and shows XOFF and XON"},
	"trident3": {buffer.LimitBefore, "measured: " + qosParams +
		"qos_params.td3.yaml, 2 of 3 values exact and one off by one; with the limit after the packet 1 of 3"},
	"tomahawk": {buffer.LimitBefore, "measured: " + qosParams +
		"qos_params.th.yaml, 13 of 16 values exact; the other three are where a test begins to look, 1 or 2 packets early"},
	"tomahawk2": {buffer.LimitBefore, "measured: " + probeTrace +
		" (an Arista 7260CX3, groups filled one after another), 8 of 8 values exact"},
	"tomahawk5": {buffer.LimitAfter, "measured: " + qosParams +
		"qos_params.th5.yaml, the values of five topologies with 13 to 26 groups filled in turn, all exact"},
	"jericho2": {buffer.LimitAfter, "measured: " + qosParams + "qos_params.jr2.yaml, 5 of 6 values exact or one off; " +
		"inferred: when the limit is read, because both ways give these"},
	"qumran3d": {buffer.LimitAfter, "measured: " + qosParams + "qos_params.q3d.yaml (an NH-5010), 6 of 7 values exact " +
		"or one off, the seventh 64 of 1,000 that its test may miss; inferred: when the limit is read, because both ways " +
		"give these"},
	"jericho2cplus":    {buffer.LimitAfter, "inferred: as Jericho 2"},
	"qumran2d":         asDNX,
	"jericho3":         asDNX,
	"jericho3-ai":      asDNX,
	"jericho4":         asDNX,
	"q4d":              asDNX,
	"qumran4d":         asDNX,
	"trident2plus":     asTomahawk,
	"trident2plus-12m": asTomahawk,
	"trident2plus-9m":  asTomahawk,
	"tomahawkplus":     asTomahawk,
	"tomahawk3":        asTomahawk5,
	"tomahawk4":        asTomahawk5,
	"trident4":         asTomahawk5,
	"trident4-56883":   asTomahawk5,
	"trident4-x9":      asTomahawk5,
	"tomahawk-ultra":   asTomahawk5,
	"tomahawk6":        asTomahawk5,
	"tomahawk6-nh4210": asTomahawk5,
}

var (
	asDNX       = compared{buffer.LimitAfter, "inferred: as Jericho 2 and Qumran 3D, which were measured"}
	asTomahawk  = compared{buffer.LimitBefore, "inferred: as Tomahawk"}
	asTomahawk5 = compared{buffer.LimitAfter, "inferred: as Tomahawk 5, the only chip with ITMs that was measured"}
)

// leaks are the packets that leave a port after a tester has stopped it.
var leaks = map[string]struct {
	packets int64
	source  string
}{
	"trident2":  {48, qosParams + "qos_params.td2.yaml (pkts_num_leak_out)"},
	"trident3":  {32, qosParams + "qos_params.td3.yaml (pkts_num_leak_out)"},
	"tomahawk":  {36, qosParams + "qos_params.th.yaml (pkts_num_leak_out at 100G; 23 at 50G, 19 at 40G)"},
	"tomahawk3": {109, qosParams + "qos_params.th3.yaml (pkts_num_leak_out at 400G; 42 at 100G)"},
	"jericho2cplus": {66544, "inferred: sonic-mgmt issue 27076, a Broadcom switch whose two thresholds are 713,398 " +
		"packets apart; so are those of Jericho 2C+ over 120 km in " + qosParams + "qos_params.j2c.yaml, and no others"},
	"silicon-one-g200": {184, "inferred: sonic-mgmt pull request 26067 (about 184 packets on a G200)"},
}

// compare gives a chip its rules, and what leaks out of its ports.
func compare(c *buffer.Chip) {
	if rule, ok := comparisons[c.Name]; ok {
		c.LimitRule, c.XOFFRule, c.XONRule, c.Sources.Rules = rule.limit, buffer.XOFFFull, buffer.XONLatched, rule.source
	}
	leak(c)
}

// leak gives a chip what leaks out of its ports.
func leak(c *buffer.Chip) {
	l := leaks[c.Name]
	c.LeakOut, c.Sources.LeakOut = l.packets, l.source
}
