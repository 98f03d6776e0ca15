package linkcheck

import "github.com/cellwarden/cellwarden/finding"

// The codes of findings.
const (
	pfcAtOneEnd    finding.Code = "pfc-one-end"
	pfcPriorities  finding.Code = "pfc-priorities"
	pfcOff         finding.Code = "pfc-off"
	pfcCapability  finding.Code = "pfc-capability"
	creditsOneEnd  finding.Code = "credits-one-end"
	creditChannels finding.Code = "credit-channels"
	creditMap      finding.Code = "credit-map"
	creditLimits   finding.Code = "credit-limits"
	creditAccount  finding.Code = "credit-account"
	classMap       finding.Code = "class-map"
	frameLength    finding.Code = "mtu"
	losslessFrame  finding.Code = "lossless-mtu"
	trafficClasses finding.Code = "traffic-classes"
	mixedClass     finding.Code = "mixed-class"
	groups         finding.Code = "ets-groups"
	strictOrder    finding.Code = "ets-strict"
	bandwidth      finding.Code = "ets-bandwidth"
	bothWilling    finding.Code = "willing-both"
	versions       finding.Code = "version"
	severalPorts   finding.Code = "several-peers"
	applications   finding.Code = "application"
	unusable       finding.Code = "unusable"
	linkRate       finding.Code = "rate"
	cableLength    finding.Code = "cable"
	measuredDelay  finding.Code = "measured-delay"
)

// The names of the runs of one link with credits.
const (
	runAtOneEnd = "credits-at-one-end"
	runTooFew   = "credits-too-few"
)

// Scenarios that more than one code has.
const (
	oneEnd     = "pfc-at-one-end.yaml"
	ceeOff     = "dcbx-cee-off.yaml"
	tooSmall   = "headroom-too-small.yaml"
	shareByETS = "ets-shares.yaml"
)

// codes says what the codes mean, those of errors first. Shown are scenarios of examples/scenarios
// ("pfc-at-one-end.yaml"), and runs of one link with credits by their names in package backend/sim/fabric
// ("credits-at-one-end").
var codes = finding.NewRegistry("link", []finding.Meaning{
	{Code: pfcAtOneEnd, Severity: finding.Error, Certain: true,
		Rule:   "PFC at one end alone",
		Effect: "One end drops what arrives when its headroom is full, because the other end does not obey its pauses.",
		Repair: "enable PFC for the priority at the other end, or disable it",
		Shown:  []string{oneEnd}},
	{Code: pfcPriorities, Severity: finding.Error, Certain: true,
		Rule:   "PFC for different priorities",
		Effect: "Priorities with PFC at one end alone are dropped when a buffer is full.",
		Repair: "enable PFC for the same priorities at both ends",
		Shown:  []string{oneEnd}},
	{Code: pfcOff, Severity: finding.Error, Certain: true,
		Rule:   "the negotiation of CEE turned PFC off",
		Effect: "Nobody sends or obeys pauses: lossless frames are dropped when a buffer is full.",
		Repair: "configure the same priorities, or make one end willing",
		Shown:  []string{ceeOff}},
	{Code: pfcCapability, Severity: finding.Error, Certain: true,
		Rule:   "more lossless priorities than the other end supports",
		Effect: "The end obeys the pauses of fewer priorities, and frames of the others are dropped.",
		Repair: "use at most as many as the end supports",
		Shown:  []string{oneEnd}},
	{Code: creditsOneEnd, Severity: finding.Error, Certain: true,
		Rule:   "credits (CBFC) at one end, and pauses or neither at the other",
		Effect: "The end with credits sends nothing once they are used, and drops what arrives beside its own credits.",
		Repair: "set the same kind of flow control at both ends",
		Shown:  []string{runAtOneEnd}},
	{Code: creditChannels, Severity: finding.Error, Certain: true,
		Rule:   "credits at both ends for different priorities",
		Effect: "The end with credits sends nothing once they are used, and drops what arrives beside its own credits.",
		Repair: "set credits for the same priorities at both ends",
		Shown:  []string{runAtOneEnd}},
	{Code: creditMap, Severity: finding.Error, Certain: true,
		Rule:     "a traffic class is in another virtual channel, or in one at one end alone",
		Effect:   "The sender counts a frame in one channel and the receiver frees its credits in another.",
		Repair:   "set the same map at both ends",
		NotShown: "a run of one link has one map for both ends"},
	{Code: creditLimits, Severity: finding.Warning, Certain: true,
		Rule:   "other numbers of reserved or shared credits, or another limit on these, on one cable",
		Effect: "No frame is lost if each end sends by the credits of the other; the direction with fewer is slower.",
		Repair: "plan the same at both ends, or set the profile of the other end",
		Shown:  []string{runTooFew}},
	{Code: creditAccount, Severity: finding.Error, Certain: true,
		Rule:   "other credit sizes or overheads, or a credit larger than the receiver's cell",
		Effect: "Packets can take more cells than they have credits, and are dropped when the buffer is full.",
		Repair: "set the smaller cell and the larger overhead at both ends",
		Shown:  []string{"credits-too-large"}},
	{Code: classMap, Severity: finding.Error, Certain: true,
		Rule:   "the priority is read from another field, or by another map",
		Effect: "Frames are lossless at one end and lossy at the other, which drops them without a pause.",
		Repair: "read the DSCP at both ends, with one map",
		Shown:  []string{"class-map-mismatch.yaml"}, NotShown: "with credits alone: the scenario has pauses"},
	{Code: frameLength, Severity: finding.Error, Milder: finding.Warning, Certain: true,
		Rule:     "longer frames than the other end accepts; a warning if the lossless ones fit",
		Effect:   "The end that accepts shorter frames drops longer ones, whatever their class.",
		Repair:   "set the same length at both ends",
		NotShown: "a port of the simulator accepts frames of every length"},
	{Code: losslessFrame, Severity: finding.Error, Milder: finding.Warning, Certain: true,
		Rule:   "longer lossless frames than the other end is planned for; a warning if they all have credits",
		Effect: "One end has too little headroom, and drops lossless frames, or too few credits, and the link is slower.",
		Repair: "give the class the same mtu at both ends",
		Shown:  []string{tooSmall, runTooFew}},
	{Code: cableLength, Severity: finding.Error, Milder: finding.Warning, Certain: true,
		Rule:   "two lengths for one cable; a warning if all lossless priorities have credits",
		Effect: "One end has too little headroom, and drops lossless frames, or too few credits, and the link is slower.",
		Repair: "measure the cable, and plan both ends with its length",
		Shown:  []string{tooSmall, runTooFew}},
	{Code: measuredDelay, Severity: finding.Error, Milder: finding.Warning, Certain: true,
		Rule:   "measurements of one cable that exclude each other, or that its length excludes",
		Effect: "One end has too little headroom, and drops lossless frames, or too few credits, and the link is slower.",
		Repair: "measure again, and plan both ends with the same",
		Shown:  []string{tooSmall, runTooFew}},
	{Code: linkRate, Severity: finding.Error, Certain: true,
		Rule:   "two speeds",
		Effect: "The link does not come up, or it comes up at a speed for which one end was not planned.",
		Repair: "plan both ends for the speed of the link",
		Shown:  []string{tooSmall, runTooFew}, NotShown: "on a link without lossless priorities nothing is lost"},
	{Code: severalPorts, Severity: finding.Error, Certain: true,
		Rule:   "more than two ports on the link",
		Effect: "By CEE PFC is off, and by IEEE each port keeps its own configuration.",
		Repair: "connect two ports and nothing else",
		Shown:  []string{ceeOff}, NotShown: "by IEEE each port keeps its own, and a link of the simulator has two ports"},
	{Code: versions, Severity: finding.Error, Certain: true,
		Rule:   "versions of DCBX that do not understand each other",
		Effect: "An IEEE port keeps its own PFC, and a CEE port turns PFC off.",
		Repair: "set the same version at both ends",
		Shown:  []string{"dcbx-versions.yaml"}},
	{Code: unusable, Severity: finding.Error, Certain: true,
		Rule:   "TLVs of DCBX that are malformed, or there twice",
		Effect: "The other end ignores the TLVs, as if they were not sent.",
		Repair: "update the software, or turn the TLVs off",
		Shown:  []string{"dcbx-not-heard.yaml"}},
	{Code: applications, Severity: finding.Error, Certain: true,
		Rule:   "a protocol with another priority at each end",
		Effect: "Frames of the protocol are of another class in each direction.",
		Repair: "give it the same priority at both ends",
		Shown:  []string{"application-priority.yaml"}},
	{Code: trafficClasses, Severity: finding.Error, Certain: true,
		Rule:   "more groups in use than the port supports",
		Effect: "Some groups share a queue, and its bandwidth and pauses.",
		Repair: "use fewer groups",
		Shown:  []string{"hol-victim.yaml"}},
	{Code: mixedClass, Severity: finding.Warning, Certain: true,
		Rule:   "priorities with and without PFC in one group",
		Effect: "They share one bandwidth: while those of one kind are busy, those of the other starve.",
		Repair: "give those with PFC a group of their own",
		Shown:  []string{"ets-groups.yaml"}},
	{Code: groups, Severity: finding.Warning, Certain: true,
		Rule:   "other priorities together in a group",
		Effect: "Priorities share one bandwidth at one end, and have two at the other.",
		Repair: "configure the same groups, or recommend them",
		Shown:  []string{shareByETS}},
	{Code: strictOrder, Severity: finding.Warning, Certain: true,
		Rule:   "strict at one end alone",
		Effect: "In one direction the group sends before all others and can take the whole link, and in the other not.",
		Repair: "make it strict at both ends, or at none",
		Shown:  []string{shareByETS}},
	{Code: bandwidth, Severity: finding.Warning, Certain: true,
		Rule:   "other shares of the link",
		Effect: "In a congested link each direction shares otherwise: a plan for one end does not hold at the other.",
		Repair: "configure the same shares, or recommend them",
		Shown:  []string{"dcbx-ets.yaml"}},
	{Code: bothWilling, Severity: finding.Warning, Certain: true,
		Rule:   "willing at both ends: the addresses of the ports decide",
		Effect: "The configuration in force depends on which port has the higher address, and changes with a replaced card.",
		Repair: "make one end willing",
		Shown:  []string{"dcbx-willing-both.yaml", ceeOff}},
})

// Codes returns the registry of the codes, those of errors first.
func Codes() *finding.Registry { return codes }
