package linkcheck

// Code names a kind of finding.
type Code string

// The kinds.
const (
	PFCAtOneEnd    Code = "pfc-one-end"     // PFC at one end alone
	PFCPriorities  Code = "pfc-priorities"  // PFC on different priorities
	PFCOff         Code = "pfc-off"         // the negotiation turned PFC off
	PFCCapability  Code = "pfc-capability"  // more lossless classes than an end supports
	CreditsOneEnd  Code = "credits-one-end" // credits at one end alone
	CreditChannels Code = "credit-channels" // credits for different priorities, which are the virtual channels
	CreditMap      Code = "credit-map"      // a traffic class is in other virtual channels
	CreditLimits   Code = "credit-limits"   // room for other numbers of credits
	CreditAccount  Code = "credit-account"  // the ends count packets in other credits, or in ones larger than a cell
	ClassMap       Code = "class-map"       // the ends read the priority of a frame differently
	FrameLength    Code = "mtu"             // frames that the other end does not accept
	TrafficClasses Code = "traffic-classes" // more traffic classes in use than supported
	MixedClass     Code = "mixed-class"     // priorities with and without PFC in one group
	Groups         Code = "ets-groups"      // other priorities together
	StrictOrder    Code = "ets-strict"      // strict at one end alone
	Bandwidth      Code = "ets-bandwidth"   // other shares
	BothWilling    Code = "willing-both"    // addresses decide
	Versions       Code = "version"         // versions of DCBX that do not understand each other
	SeveralPorts   Code = "several-peers"   // more than two ports on the link
	Applications   Code = "application"     // a protocol's priority has no PFC, or differs
	Unusable       Code = "unusable"        // TLVs that nobody can use
	LinkRate       Code = "rate"            // different speeds
	CableLength    Code = "cable"           // different lengths of the same cable
	MeasuredDelay  Code = "measured-delay"  // measurements of the same cable that exclude each other
)

// Severity says how bad a finding is.
type Severity string

// The severities.
const (
	Error   Severity = "error"   // lossless frames can be dropped, or the link does not work
	Warning Severity = "warning" // bandwidth or delay is other than at the other end, or nobody decided it
)

// Finding is one thing that is wrong between two ends.
type Finding struct {
	Code        Code
	Severity    Severity
	What        string // both ends by name, with their values
	Consequence string
	Repair      string
	// Shown is what shows the consequence: a scenario of examples/scenarios, or a run of one link with credits, see
	// [Kind.Shown]. Empty: nothing can.
	Shown string
}

// State is what is known of a link after comparing its ends.
type State string

// The states.
const (
	Same    State = "same"    // no finding, and PFC was compared, and credits if an end has them
	Differ  State = "differ"  // there are findings
	Unknown State = "unknown" // no finding, but the PFC of an end, or credits beside those of the other, are not known
)

// Gap is something that could not be compared.
type Gap struct {
	Aspect string
	Ends   []string // the ends that do not say it
}

// Result is what comparing two ends gave.
type Result struct {
	A, B     string // names
	State    State
	Findings []Finding // errors first
	Compared []string  // aspects of which both ends say something
	Unknown  []Gap
	// Settled is what is in force after the ends have negotiated; nil unless both send DCBX.
	Settled *Settled
}
