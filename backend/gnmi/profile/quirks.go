package profile

// QuirkID names something peculiar that the client acts on or tells.
type QuirkID string

// The quirks.
const (
	QueueID          QuirkID = "queue-id"              // a queue has to be given its number
	InterfaceRef     QuirkID = "interface-ref"         // an interface says by an interface-ref which port it is
	SchedulerNeeded  QuirkID = "scheduler-required"    // marking takes a scheduler-policy on the output
	InterfaceUnit    QuirkID = "interface-unit"        // the interface-id is the port and unit 0, with an interface-ref
	ThresholdsApart  QuirkID = "thresholds-apart"      // kmax has to be Value bytes or more above kmin
	WeightsTo        QuirkID = "weights-to"            // scheduler weights are at most Value
	WeightUnset      QuirkID = "weight-unset"          // the weight leaf of wred is refused
	NoState          QuirkID = "no-state"              // state is not echoed: config is read back
	AllocationNeeded QuirkID = "allocation-required"   // an output needs a buffer-allocation-profile
	NoInterfaceRef   QuirkID = "no-interface-ref"      // interface-ref/config is refused
	QueueNames       QuirkID = "queue-names"           // output queues have names of the vendor's
	JSONOnly         QuirkID = "json-ietf-only"        // values other than JSON_IETF are refused
	PoolsRefused     QuirkID = "pools-refused"         // pools cannot be changed over gNMI at all
	NeedsFeature     QuirkID = "feature-flags"         // leaves depend on features of the platform
	MaxBurstNoAlpha  QuirkID = "maximum-burst-size"    // a static limit turns alpha off
	HeadroomByCable  QuirkID = "headroom-from-cable"   // the switch computes the headroom from cable-length and mru
	PhasesApart      QuirkID = "phases-apart"          // each phase is a Set of its own, read back before the next
	CommitUnproved   QuirkID = "commit-not-known"      // whether it implements Commit-confirmed is not known
	PriorityIsQueue  QuirkID = "priority-is-queue"     // priority n is the forwarding group of output queue n: cellwarden's convention
	TwoSchedulers    QuirkID = "two-schedulers"        // the sequence of a scheduler is at most Value
	PriorityGroupIs  QuirkID = "group-is-input-queue"  // priority group n is queue n of the input: cellwarden's convention
	StaticBySlice    QuirkID = "static-limit-by-slice" // a static limit is of each slice: cellwarden's convention
)

// Quirk is something peculiar.
type Quirk struct {
	ID    QuirkID `json:"id"`
	Value int64   `json:"value"` // 0 where there is none
	Text  string  `json:"text"`
	Evidence
}
