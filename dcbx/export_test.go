package dcbx

// What tests outside the package compare with.
const (
	BothDiffer     = bothDiffer
	BothSame       = bothSame
	ByDSCP         = byDSCP
	ByPort         = byPort
	ByTCP          = byTCP
	Disabled       = disabled
	HigherAddress  = higherAddress
	Interval       = interval
	LowerAddress   = lowerAddress
	NoPeer         = noPeer
	NotSent        = notSent
	NotSynced      = notSynced
	NotWilling     = notWilling
	OtherVersion   = otherVersion
	PeerDecides    = peerDecides
	PeerError      = peerError
	PeerWilling    = peerWilling
	Recommended    = recommended
	SameAddress    = sameAddress
	SeveralPeers   = severalPeers
	TypeChassis    = typeChassis
	TypePort       = typePort
	TypeTimeToLive = typeTimeToLive
	Unsupported    = unsupported
	VersionPending = versionPending
)
