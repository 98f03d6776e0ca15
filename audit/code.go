package audit

// Code is the kind of a finding.
type Code string

// The codes of what cannot be read.
const (
	RenderError   Code = "render-error"
	RenderNotJSON Code = "render-not-json"
	NotConfigDB   Code = "not-config-db"
	NumberFormat  Code = "number-format"
	DuplicateKey  Code = "duplicate-key"
	ChipUnknown   Code = "chip-unknown"
)

// The codes of pools.
const (
	PoolOverChip         Code = "pool-over-chip"
	IngressSumOverChip   Code = "ingress-sum-over-chip"
	PoolPlusXOFFOverChip Code = "pool-plus-xoff-over-chip"
	PoolXOFFNotBelowSize Code = "pool-xoff-not-below-size"
	EgressBelowIngress   Code = "egress-lossless-below-ingress"
	ReservedOverPool     Code = "reserved-over-pool"
	OverCommitment       Code = "over-commitment"
	PoolOverLimit        Code = "pool-over-limit"
	CellMisaligned       Code = "cell-misaligned"
)

// The codes of profiles.
const (
	ProfileMissing      Code = "profile-missing"
	PoolMissing         Code = "pool-missing"
	ProfileDirection    Code = "profile-direction"
	ProfileXOFFOverPool Code = "profile-xoff-over-pool-xoff"
	SizeBelowXOFF       Code = "size-below-xoff"
	XONXOFFOverSize     Code = "xon-xoff-over-size"
	StaticThOverPool    Code = "static-th-over-pool"
	AlphaOutsideChip    Code = "alpha-outside-chip"
)

// The codes of headroom and of headroom tables.
const (
	HeadroomBelowFlight   Code = "headroom-below-flight"
	HeadroomBelowFrame    Code = "headroom-below-frame"
	LosslessNoRow         Code = "lossless-no-row"
	XOFFShrinksWithLength Code = "xoff-shrinks-with-length"
	XOFFShrinksWithSpeed  Code = "xoff-shrinks-with-speed"
	XOFFSameForLengths    Code = "xoff-same-for-lengths"
	XOFFSameForSpeeds     Code = "xoff-same-for-speeds"
	XONOffsetOdd          Code = "xon-offset-odd"
	RowOdd                Code = "row-odd"
	RowDuplicate          Code = "row-duplicate"
	RowUnreadable         Code = "row-unreadable"
	TableUnknown          Code = "table-unknown"
	CableMissing          Code = "cable-missing"
)

// The codes of PFC, groups and queues.
const (
	PFCQueueNotLossless Code = "pfc-queue-not-lossless"
	PFCGroupLossy       Code = "pfc-pg-lossy"
	PFCGroupMissing     Code = "pfc-pg-missing"
	PFCOtherGroup       Code = "pfc-tc-other-pg"
	LosslessNoPFC       Code = "lossless-pg-no-pfc"
	GroupOverwritten    Code = "pg-overwritten"
	QueueNoBuffer       Code = "queue-no-buffer"
)

// The codes of maps, marking and scheduling.
const (
	MapMissing       Code = "map-missing"
	DSCPNoTC         Code = "dscp-no-tc"
	TCNoGroup        Code = "tc-no-pg"
	TCNoQueue        Code = "tc-no-queue"
	TCMixed          Code = "tc-lossless-lossy"
	WREDMissing      Code = "wred-missing"
	WREDMinOverMax   Code = "wred-min-over-max"
	WREDMaxOverPool  Code = "wred-max-over-pool"
	ECNAfterPFC      Code = "ecn-after-pfc"
	SchedulerMissing Code = "scheduler-missing"
	SchedulerWeight  Code = "scheduler-weight"
)

// The codes of the two ends of a link.
const (
	PeerPriorities Code = "peer-priorities"
	PeerCable      Code = "peer-cable"
	PeerSpeed      Code = "peer-speed"
)

// The codes of configurations that are not SONiC's.
const (
	StatementUnread  Code = "statement-unread"
	NameMissing      Code = "name-missing"
	PFCNoClass       Code = "pfc-no-class"
	PFCWithPause     Code = "pfc-with-pause"
	NoDropNoPFC      Code = "no-drop-no-pfc"
	NoDropOverLimit  Code = "no-drop-over-limit"
	NoDropNoHeadroom Code = "no-drop-no-headroom"
	PauseThresholds  Code = "pause-thresholds"
	ClassNotNoDrop   Code = "pfc-class-drops"
	PartitionSum     Code = "partition-sum"
	BandwidthSum     Code = "bandwidth-sum"
)
