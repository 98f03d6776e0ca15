package audit

import (
	"github.com/cellwarden/cellwarden/finding"
	"github.com/cellwarden/cellwarden/internal/once"
	"github.com/cellwarden/cellwarden/thresholds/table"
)

// The codes of what cannot be read.
const (
	chipUnknown finding.Code = "chip-unknown"
)

// The codes of pools.
const (
	poolOverChip         finding.Code = "pool-over-chip"
	ingressSumOverChip   finding.Code = "ingress-sum-over-chip"
	poolPlusXOFFOverChip finding.Code = "pool-plus-xoff-over-chip"
	poolXOFFNotBelowSize finding.Code = "pool-xoff-not-below-size"
	egressBelowIngress   finding.Code = "egress-lossless-below-ingress"
	reservedOverPool     finding.Code = "reserved-over-pool"
	overCommitment       finding.Code = "over-commitment"
	poolOverLimit        finding.Code = "pool-over-limit"
	cellMisaligned       finding.Code = "cell-misaligned"
	poolOfOtherPorts     finding.Code = "pool-size-other-ports"
	poolOfOtherChip      finding.Code = "pool-size-other-chip"
)

// The codes of profiles.
const (
	profileDirection    finding.Code = "profile-direction"
	profileXOFFOverPool finding.Code = "profile-xoff-over-pool-xoff"
	sizeBelowXOFF       finding.Code = "size-below-xoff"
	xonXOFFOverSize     finding.Code = "xon-xoff-over-size"
	staticThOverPool    finding.Code = "static-th-over-pool"
	alphaOutsideChip    finding.Code = "alpha-outside-chip"
)

// The codes of headroom. Those of headroom tables are those of package thresholds/table.
const (
	headroomBelowFlight finding.Code = "headroom-below-flight"
	losslessNoRow       finding.Code = "lossless-no-row"
	tableUnknown        finding.Code = "table-unknown"
	cableMissing        finding.Code = "cable-missing"
)

// The codes of PFC, groups and queues.
const (
	pfcQueueNotLossless finding.Code = "pfc-queue-not-lossless"
	pfcGroupLossy       finding.Code = "pfc-pg-lossy"
	pfcGroupMissing     finding.Code = "pfc-pg-missing"
	pfcOtherGroup       finding.Code = "pfc-tc-other-pg"
	losslessNoPFC       finding.Code = "lossless-pg-no-pfc"
	groupOverwritten    finding.Code = "pg-overwritten"
	queueNoBuffer       finding.Code = "queue-no-buffer"
)

// The codes of maps, marking and scheduling.
const (
	dscpNoTC        finding.Code = "dscp-no-tc"
	tcNoGroup       finding.Code = "tc-no-pg"
	tcNoQueue       finding.Code = "tc-no-queue"
	tcMixed         finding.Code = "tc-lossless-lossy"
	wredMinOverMax  finding.Code = "wred-min-over-max"
	wredMaxOverPool finding.Code = "wred-max-over-pool"
	ecnAfterPFC     finding.Code = "ecn-after-pfc"
	schedulerWeight finding.Code = "scheduler-weight"
)

// The codes of the two ends of a link.
const (
	peerPriorities finding.Code = "peer-priorities"
	peerCable      finding.Code = "peer-cable"
	peerSpeed      finding.Code = "peer-speed"
)

// The codes of configurations that are not SONiC's.
const (
	statementUnread finding.Code = "statement-unread"
	nameMissing     finding.Code = "name-missing"
	pfcNoClass      finding.Code = "pfc-no-class"
	noDropNoPFC     finding.Code = "no-drop-no-pfc"
	noDropOverLimit finding.Code = "no-drop-over-limit"
	partitionSum    finding.Code = "partition-sum"
	wredNoDrop      finding.Code = "wred-no-drop"
	ecnOtherQueue   finding.Code = "ecn-other-queue"
	mtuOverClass    finding.Code = "mtu-over-class"
	pfcOneWay       finding.Code = "pfc-one-way"
)

// codes says what the codes mean, by theme.
var codes = once.Value(func() *finding.Registry {
	return finding.NewRegistry("audit", unreadable, ofPools(), ofProfiles, ofHeadroom(), ofPFC, ofTrimming, ofMaps,
		ofSystems, ofPeers)
})

// Codes returns the registry of the codes, those of headroom tables included.
func Codes() *finding.Registry { return codes() }

// ofTables returns what codes of headroom tables mean.
func ofTables(codes ...finding.Code) []finding.Meaning { return table.Codes().Some(codes...) }
