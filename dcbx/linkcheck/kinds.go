package linkcheck

// Kind describes a code: what is wrong, how bad it is, the repair, and what shows the consequence.
type Kind struct {
	Code       Code
	Severities []Severity
	What       string
	Repair     string
	// Shown are scenarios of examples/scenarios ("pfc-at-one-end.yaml"), and runs of one link with credits by their
	// names in package backend/sim/fabric ("credits-at-one-end").
	Shown []string
	// NotShown says why nothing can show it, or in which cases; empty: it is always shown.
	NotShown string
}

// The names of the runs of one link with credits.
const (
	runAtOneEnd = "credits-at-one-end"
	runTooLarge = "credits-too-large"
	runTooFew   = "credits-too-few"
)

// Scenarios that more than one code has.
const (
	oneEnd      = "pfc-at-one-end.yaml"
	ceeOff      = "dcbx-cee-off.yaml"
	tooSmall    = "headroom-too-small.yaml"
	shareByETS  = "ets-shares.yaml"
	shareByDCBX = "dcbx-ets.yaml"
	otherMap    = "class-map-mismatch.yaml"
)

// withoutLossless is why a difference shows nothing on some links.
const withoutLossless = "on a link without lossless priorities nothing is lost"

// Kinds returns all codes, those of errors first. The tests require that each finding is one of them, with its
// severity and what it says is shown.
func Kinds() []Kind {
	bad, warn := []Severity{Error}, []Severity{Warning}
	both := []Severity{Error, Warning}
	return []Kind{
		{PFCAtOneEnd, bad, "PFC at one end alone", "enable PFC for the priority at the other end, or disable it",
			[]string{oneEnd}, ""},
		{PFCPriorities, bad, "PFC for different priorities", "enable PFC for the same priorities at both ends",
			[]string{oneEnd}, ""},
		{PFCOff, bad, "the negotiation of CEE turned PFC off", "configure the same priorities, or make one end willing",
			[]string{ceeOff}, ""},
		{PFCCapability, bad, "more lossless priorities than the other end supports",
			"use at most as many as the end supports", []string{oneEnd}, ""},
		{CreditsOneEnd, bad, "credits (CBFC) at one end, and pauses or neither at the other",
			"set the same kind of flow control at both ends", []string{runAtOneEnd}, ""},
		{CreditChannels, bad, "credits at both ends for different priorities",
			"set credits for the same priorities at both ends", []string{runAtOneEnd}, ""},
		{CreditMap, bad, "a traffic class is in another virtual channel, or in one at one end alone",
			"set the same map at both ends", nil, "a run of one link has one map for both ends"},
		{CreditLimits, warn, "other numbers of reserved or shared credits, or another limit on these, on one cable",
			"plan the same at both ends, or set the profile of the other end", []string{runTooFew}, ""},
		{CreditAccount, bad, "other credit sizes or overheads, or a credit larger than the receiver's cell",
			"set the smaller cell and the larger overhead at both ends", []string{runTooLarge}, ""},
		{ClassMap, bad, "the priority is read from another field, or by another map",
			"read the DSCP at both ends, with one map", []string{otherMap},
			"with credits alone: the scenario has pauses"},
		{FrameLength, both, "longer frames than the other end accepts; a warning if the lossless ones fit",
			"set the same length at both ends", nil, "a port of the simulator accepts frames of every length"},
		{CableLength, both, "two lengths for one cable; a warning if all lossless priorities have credits",
			"measure the cable, and plan both ends with its length", []string{tooSmall, runTooFew}, ""},
		{MeasuredDelay, both, "measurements of one cable that exclude each other, or that its length excludes",
			"measure again, and plan both ends with the same", []string{tooSmall, runTooFew}, ""},
		{LinkRate, bad, "two speeds", "plan both ends for the speed of the link", []string{tooSmall, runTooFew},
			withoutLossless},
		{SeveralPorts, bad, "more than two ports on the link", "connect two ports and nothing else", []string{ceeOff},
			"by IEEE each port keeps its own, and a link of the simulator has two ports"},
		{Versions, bad, "versions of DCBX that do not understand each other", "set the same version at both ends",
			[]string{"dcbx-versions.yaml"}, ""},
		{Unusable, bad, "TLVs of DCBX that are malformed, or there twice", "update the software, or turn the TLVs off",
			[]string{"dcbx-not-heard.yaml"}, ""},
		{Applications, bad, "a protocol with another priority at each end", "give it the same priority at both ends",
			[]string{"application-priority.yaml"}, ""},
		{TrafficClasses, bad, "more groups in use than the port supports", "use fewer groups",
			[]string{"hol-victim.yaml"}, ""},
		{MixedClass, warn, "priorities with and without PFC in one group", "give those with PFC a group of their own",
			[]string{"ets-groups.yaml"}, ""},
		{Groups, warn, "other priorities together in a group", "configure the same groups, or recommend them",
			[]string{shareByETS}, ""},
		{StrictOrder, warn, "strict at one end alone", "make it strict at both ends, or at none",
			[]string{shareByETS}, ""},
		{Bandwidth, warn, "other shares of the link", "configure the same shares, or recommend them",
			[]string{shareByDCBX}, ""},
		{BothWilling, warn, "willing at both ends: the addresses of the ports decide", "make one end willing",
			[]string{"dcbx-willing-both.yaml", ceeOff}, ""},
	}
}
