package audit

import (
	"cmp"
	"strings"

	"github.com/cellwarden/cellwarden/finding"
	"github.com/cellwarden/cellwarden/thresholds/table"
	"github.com/cellwarden/cellwarden/unit"
)

// Number is a number of the configuration. An explicit zero is zero; a field that is not there is not Given.
type Number struct {
	Value int64
	Given bool // there is such a field, and it is a number
	At    finding.Place
}

// Bytes returns the number as bytes.
func (n Number) Bytes() unit.Bytes { return unit.Bytes(n.Value) }

// Pool is an entry of BUFFER_POOL.
type Pool struct {
	Name       string
	Type, Mode string // ingress, egress, both; static, dynamic
	Size, XOFF Number // without Size the dynamic manager computes it
	At         finding.Place
	Object     string // that names it in findings; "": an entry of BUFFER_POOL
	Lossless   bool   // the pool of lossless groups, of a system whose pools have any names
}

// object names the pool in findings.
func (p *Pool) object() string { return cmp.Or(p.Object, "BUFFER_POOL|"+p.Name) }

// ingress tells whether the pool counts packets as they come in.
func (p *Pool) ingress() bool { return p.Type == "ingress" || p.Type == "both" }

// Profile is an entry of BUFFER_PROFILE, or one that the buffer manager makes from a row of the headroom table.
type Profile struct {
	Name                       string
	PoolName                   string
	Pool                       *Pool // nil: there is no such pool
	Size, XON, XOFF, XONOffset Number
	DynamicTh, StaticTh        Number
	HeadroomType               string     // "dynamic": the manager computes the headroom
	Row                        *table.Row // that the profile is made from; nil: an entry of BUFFER_PROFILE
	At                         finding.Place
	Object                     string // that names it in findings; "": an entry of BUFFER_PROFILE
	// DefaultCable is the longest cable for which headroom is that the switch itself computes; 0: not known.
	DefaultCable unit.Length
	Used         bool // by a group, a queue or a list
	// Trims says that queues with it trim what they refuse; Listed names a list of profiles of a port that has it.
	Trims  bool
	Listed string
}

// object names the profile in findings.
func (p *Profile) object() string {
	if p.Row != nil {
		return p.Name
	}
	return cmp.Or(p.Object, "BUFFER_PROFILE|"+p.Name)
}

// Lossless tells whether a group with the profile has headroom.
func (p *Profile) Lossless() bool {
	return p.XOFF.Given && p.XOFF.Value > 0 || p.HeadroomType == "dynamic"
}

// ingress tells whether the profile is of an ingress pool; both are false if its pool is missing.
func (p *Profile) ingress() bool { return p.Pool != nil && p.Pool.ingress() }
func (p *Profile) egress() bool {
	return p.Pool != nil && (p.Pool.Type == "egress" || p.Pool.Type == "both")
}

// losslessQueue tells whether a queue with the profile never drops what the ingress has admitted: its pool is a
// lossless one. SONiC has no field for it; its templates name pools and profiles so.
func (p *Profile) losslessQueue() bool {
	return p.egress() && (containsLossless(p.Name) || p.Pool.Type == "egress" && containsLossless(p.PoolName))
}

// Bound is a profile that a group or a queue of a port has.
type Bound struct {
	Profile *Profile // nil: there is no such profile, or the manager computes it
	Name    string
	// Computed says that the dynamic manager makes the profile from a formula: BUFFER_PG with the profile NULL.
	Computed bool
	// Twice says that the buffer manager adds an entry with headroom for the group, beside this one. Which of the two
	// the switch takes is not known.
	Twice  bool
	At     finding.Place
	Object string
}

// Groups and queues that a port has at most. SONiC's models accept queues 0 to 15; groups are 0 to 7.
const (
	groupsPerPort = 8
	queuesPerPort = 16
)

// Port is an interface.
type Port struct {
	Name  string
	Speed unit.BitRate // 0: not known
	Cable unit.Length  // set if CableGiven
	// CableGiven is false if CABLE_LENGTH has no entry for the port, or one that is no length.
	CableGiven bool
	CableText  string
	MTU        unit.Bytes
	Lanes      int
	Down       bool   // admin_status is down
	Role       string // of SONiC's PORT, such as Dpc: to a data processing unit of the same switch
	// Core is the core of the chip that the port is at (SONiC's core_id); not given: the configuration does not say it.
	Core unit.Optional[int]
	At, CableAt,
	MapAt finding.Place

	// Paused says, of a system with a switch for PFC beside the priorities, that PFC is on.
	Paused bool
	PFC    uint16              // priorities of pfc_enable, a bit each
	HasPFC bool                // PORT_QOS_MAP has pfc_enable for the port, which may be empty
	Maps   map[string]*CodeMap // by kind, such as DSCPToClass

	Groups [groupsPerPort]*Bound
	Queues [queuesPerPort]*Bound
	// Scheduled has the queues that QUEUE gives a scheduler or WRED.
	Scheduled [queuesPerPort]*QueueEntry
	// Service is how another system than SONiC serves the queues; nil: the configuration does not say it.
	Service [groupsPerPort]*Service
	// Codes are the queues, or classes of packets, of the DSCPs that another system than SONiC names.
	Codes map[int]int
}

// Service is how a queue is served.
type Service struct {
	Level   Number // of a strict queue, 1 is served first; not Given: it is not strict, or has no level
	Strict  bool
	Percent Number // of what the strict queues leave; of its group, where it has one
	// Group is the group of queues, with a percentage of the port; "": the system has one level of queues.
	Group        string
	GroupPercent Number
	// Marking, from which filling on packets are marked, and the highest probability in percent. Thresholds that are no
	// number of bytes are not given.
	Min, Max, Probability Number
	// NoDrop says that the queue is of a class without drops. Marks says that its packets are marked by ECN above Min, and
	// Drops that they are dropped there. DetectAt is the statement that says so.
	NoDrop, Marks, Drops bool
	DetectAt             finding.Place
}

// QueueEntry is what a queue is given: an entry of QUEUE.
type QueueEntry struct {
	Scheduler *Scheduler // nil: none, or one that is not there
	Marking   *Marking
	At        finding.Place
}

// Computed is what the dynamic buffer manager computes headroom with.
type Computed struct {
	DynamicTh    Number // of lossless groups (DEFAULT_LOSSLESS_BUFFER_PARAMETER)
	Ratio        Number // headroom of all groups to the shared headroom pool; 0: no pool
	MTU          Number // longest lossless packet (LOSSLESS_TRAFFIC_PATTERN)
	SmallPackets Number // share of packets of 64 bytes, in percent
}

// Switch is the meaning of a configuration.
type Switch struct {
	HwSKU, Platform, Hostname, Type string
	// Dynamic says that the buffer manager computes headroom and pools: buffer_model of DEVICE_METADATA is dynamic.
	Dynamic  bool
	Computed Computed
	Pools    []*Pool
	Profiles []*Profile  // of BUFFER_PROFILE, in the order of the file, then those that are made from rows
	Ports    []*Port     // in the order of the switch's ports
	Links    []Neighbour // that the configuration names
	// Marking has the marking profiles, and Schedulers the schedulers, in the order of the file.
	Marking    []*Marking
	Schedulers []*Scheduler
	// Tables are the parts that the configuration has, by the names of CONFIG_DB's tables; false: a part is empty.
	Tables map[string]bool

	// Trimming is how the switch trims packets; nil: the configuration does not say it.
	Trimming *trimming

	lossless  *Pool // nil: ingress_lossless_pool
	poolOf    map[string]*Pool
	profileOf map[string]*Profile
}

// Pool returns a pool by its name, or nil.
func (s *Switch) Pool(name string) *Pool { return s.poolOf[name] }

// Profile returns a profile by its name, or nil.
func (s *Switch) Profile(name string) *Profile { return s.profileOf[name] }

// losslessIngress returns the pool that lossless groups are in: ingress_lossless_pool, which the manager gives every
// profile that it makes (sonic-swss cfgmgr/buffermgr.h, INGRESS_LOSSLESS_PG_POOL_NAME).
func (s *Switch) losslessIngress() *Pool {
	if s.lossless != nil {
		return s.lossless
	}
	return s.Pool("ingress_lossless_pool")
}

// bounds lists the profiles of the port's groups and queues, nil without one.
func (p *Port) bounds() []*Bound {
	out := make([]*Bound, 0, groupsPerPort+queuesPerPort)
	return append(append(out, p.Groups[:]...), p.Queues[:]...)
}

// lossless tells whether PFC is on for a priority.
func (p *Port) lossless(priority int) bool { return p.PFC>>priority&1 == 1 }

// LosslessGroups lists the groups with headroom, ascending.
func (p *Port) LosslessGroups() []int {
	var out []int
	for n, b := range p.Groups {
		if b != nil && (b.Computed && p.lossless(n) || b.Profile != nil && b.Profile.Lossless()) {
			out = append(out, n)
		}
	}
	return out
}

// containsLossless tells whether a name says that it is of lossless traffic.
func containsLossless(name string) bool { return strings.Contains(strings.ToLower(name), "lossless") }

// Kinds of maps, by the fields of SONiC's PORT_QOS_MAP that name them.
const (
	DSCPToClass     = "dscp_to_tc_map"
	ClassToGroup    = "tc_to_pg_map"
	ClassToQueue    = "tc_to_queue_map"
	PriorityToQueue = "pfc_to_queue_map"
	PriorityToGroup = "pfc_to_pg_map"
)

// CodeMap is a map of a port: code points to traffic classes, traffic classes or priorities to groups or to queues.
type CodeMap struct {
	Object string // that names it in findings
	At     finding.Place
	To     map[int]int
	Lines  map[int]finding.Place // of the entries of To
}

// Put maps a number to another one, in a line of the map's file.
func (m *CodeMap) Put(from, to, line int) {
	m.To[from], m.Lines[from] = to, finding.Place{File: m.At.File, Line: line}
}

// Marking is a marking profile, an entry of WRED_PROFILE.
type Marking struct {
	Name    string
	Object  string // that names it in findings
	At      finding.Place
	ECN     string // which colours are marked: ecn_all, ecn_green
	Colours [3]Colour
	Used    bool // by a queue
}

// Colour is the marking of one colour of packets: green, yellow, red.
type Colour struct {
	Min, Max Number
	Drop     Number // the highest probability in percent
	Enable   string // "true": packets that are not ECN-capable are dropped in place of a mark
}

// Colours are the names of the colours of a marking profile, in their order.
func Colours() [3]string { return [...]string{"green", "yellow", "red"} }

// Scheduler is an entry of SCHEDULER.
type Scheduler struct {
	Name   string
	Object string // that names it in findings
	Type   string // STRICT, DWRR, WRR
	Weight Number
	Shaped bool // it has a rate
	At     finding.Place
}

// QueueOf returns the scheduler and the marking profile of a queue of a port; nil: it has none.
func (s *Switch) QueueOf(p *Port, queue int) (*Scheduler, *Marking) {
	q := p.Scheduled[queue]
	if q == nil {
		return nil, nil
	}
	return q.Scheduler, q.Marking
}
