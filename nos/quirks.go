package nos

// QuirkID is the name of a peculiarity of a switch, which the client acts on or reports.
type QuirkID string

// The quirks.
const (
	QueueID           QuirkID = "queue-id"              // a queue has to be given its number
	InterfaceRef      QuirkID = "interface-ref"         // the port of an interface is in its interface-ref
	SchedulerNeeded   QuirkID = "scheduler-required"    // marking needs a scheduler-policy on the output
	InterfaceUnit     QuirkID = "interface-unit"        // interface-id and interface-ref have unit 0
	ThresholdsApart   QuirkID = "thresholds-apart"      // kmax has to be Value bytes or more above kmin
	WeightLimit       QuirkID = "weights-to"            // scheduler weights are at most Value
	WeightUnset       QuirkID = "weight-unset"          // the weight leaf of wred is refused
	NoState           QuirkID = "no-state"              // the state containers are not filled in
	AllocationNeeded  QuirkID = "allocation-required"   // an output needs a buffer-allocation-profile
	NoInterfaceRef    QuirkID = "no-interface-ref"      // interface-ref/config is refused
	QueueNames        QuirkID = "queue-names"           // output queues have the vendor's names
	JSONOnly          QuirkID = "json-ietf-only"        // values other than JSON_IETF are refused
	PoolsRefused      QuirkID = "pools-refused"         // pools cannot be changed over gNMI at all
	NeedsFeature      QuirkID = "feature-flags"         // leaves depend on features of the platform
	MaxBurstNoAlpha   QuirkID = "maximum-burst-size"    // a static limit turns alpha off
	HeadroomByCable   QuirkID = "headroom-from-cable"   // the switch computes the headroom from cable-length and mru
	PhasesApart       QuirkID = "phases-apart"          // each phase is a Set of its own, read back before the next
	CommitUnknown     QuirkID = "commit-not-known"      // whether it implements Commit-confirmed is not known
	PriorityIsQueue   QuirkID = "priority-is-queue"     // convention: priority n is the forwarding group of output queue n
	TwoSchedulers     QuirkID = "two-schedulers"        // the sequence of a scheduler is at most Value
	GroupIsInputQueue QuirkID = "group-is-input-queue"  // convention: priority group n is queue n of the input
	StaticBySlice     QuirkID = "static-limit-by-slice" // convention: a static limit is for each slice
)

// Quirk is a peculiarity of a switch.
type Quirk struct {
	ID    QuirkID `json:"id"`
	Value int64   `json:"value"` // a number that belongs to it; 0: none
	Text  string  `json:"text"`  // for reports
	Evidence
}
