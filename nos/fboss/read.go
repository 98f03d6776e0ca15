package fboss

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/cellwarden/cellwarden/audit"
	"github.com/cellwarden/cellwarden/internal/auditcode"
	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/internal/statements"
	"github.com/cellwarden/cellwarden/unit"
)

// read reads the configuration of an agent: agent.conf, whose part "sw" is the configuration of the switch, or that
// part alone. Chip is what the operator says of the chip; the zero Chip is known by asicType.
func read(name string, data []byte, chip audit.Chip) (*audit.Reading, error) {
	tree, err := statements.JSON(name, data)
	if err != nil {
		return nil, err
	}
	root := tree.Root
	if sw := root.Find("sw"); sw != nil {
		root = sw
	}
	if !isAgent(tree) {
		return nil, &fielderr.Located{File: name, Err: errors.New("no configuration of FBOSS' agent: want " +
			"an object with ports and portPgConfigs, bufferPoolConfigs or qosPolicies, or one with such an object " +
			"as sw")}
	}
	r := &reader{Reading: audit.NewReading(title, name), root: root, pools: map[string]*audit.Pool{},
		shared: map[string]int64{}, lists: map[string][]queue{},
		groups: map[string]*groups{}, policies: map[string]*policy{},
		ofGroups: map[string]bool{}, ofQueues: map[string]bool{}}
	for _, s := range tree.Twice {
		r.Find("duplicate-key", s.Line, s.Word(0), "the key "+fielderr.Quote(s.Word(0))+
			" is given twice in one object; the last one counts")
	}
	r.Chip, r.buffers = chip, 0
	r.switchInfo()
	r.bufferPools()
	r.groupConfigs()
	r.queueConfigs()
	r.addPools()
	r.qosPolicies()
	r.ports()
	r.count(tree)
	return r.Reading, nil
}

// isAgent tells whether a document is the configuration of an agent.
func isAgent(tree *statements.Tree) bool {
	root := tree.Root
	if sw := member(root, "sw"); sw != nil {
		root = sw
	}
	ports := member(root, "ports")
	if ports == nil {
		return false
	}
	if len(ports.Under) > 0 && member(ports.Under[0], "logicalID") != nil {
		return true // it says nothing of QoS
	}
	for _, key := range []string{"portPgConfigs", "bufferPoolConfigs", "qosPolicies", "portQueueConfigs",
		"switchSettings", "defaultPortQueues", "dataPlaneTrafficPolicy"} {
		if member(root, key) != nil {
			return true
		}
	}
	return false
}

// member finds a member without marking it.
func member(s *statements.Statement, key string) *statements.Statement {
	for _, u := range s.Under {
		if u.Word(0) == key {
			return u
		}
	}
	return nil
}

// reader turns the document into a reading.
type reader struct {
	*audit.Reading
	root     *statements.Statement
	buffers  int64 // memory buffers of the chip
	excludes bool  // the size of a pool excludes headroom
	pools    map[string]*audit.Pool
	shared   map[string]int64 // bytes that the groups of a pool share
	groups   map[string]*groups
	policies map[string]*policy
	lists    map[string][]queue // of portQueueConfigs, by name; "": of defaultPortQueues
	// Which pools groups and queues name.
	ofGroups, ofQueues map[string]bool
}

// asics are the chips by the numbers of AsicType (switch_config.thrift), with the memory buffers that the agent
// multiplies a pool with (fboss/agent/hw/switch_asics/*Asic.h, getNumMemoryBuffers).
var asics = map[string]struct {
	name, chip string
	buffers    int64
}{
	"3":  {"ASIC_TYPE_TRIDENT2", "trident2", 1},
	"4":  {"ASIC_TYPE_TOMAHAWK", "tomahawk", 4},
	"5":  {"ASIC_TYPE_TOMAHAWK3", "tomahawk3", 2},
	"6":  {"ASIC_TYPE_TOMAHAWK4", "tomahawk4", 2},
	"11": {"ASIC_TYPE_JERICHO2", "jericho2", 2},
	"13": {"ASIC_TYPE_TOMAHAWK5", "tomahawk5", 2},
	"14": {"ASIC_TYPE_JERICHO3", "jericho3", 3},
	"18": {"ASIC_TYPE_TOMAHAWK6", "tomahawk6", 1},
	"8":  {"ASIC_TYPE_EBRO", "silicon-one-q200", 1},
	"15": {"ASIC_TYPE_YUBA", "silicon-one-g200", 1},
	"20": {"ASIC_TYPE_G202X", "silicon-one-g202x", 1},
	"22": {"ASIC_TYPE_TOMAHAWKULTRA1", "tomahawk-ultra", 2},
	"24": {"ASIC_TYPE_JERICHO4", "jericho4", 3},
	"26": {"ASIC_TYPE_P200", "silicon-one-p200", 1},
}

// switchInfo finds the chip. A switch with several chips of one type has one configuration for all.
func (r *reader) switchInfo() {
	r.Switch.Hostname = r.root.Find("hostname").Word(1)
	types := map[string]int{}
	for _, s := range under(member2(r.root, "switchSettings", "switchIdToSwitchInfo")) {
		if t := member(s, "asicType"); t != nil {
			types[t.Read().Word(1)] = t.Line
		}
	}
	if r.Chip.Name == "" && len(types) == 1 {
		number := slices.Collect(maps.Keys(types))[0]
		if a, known := asics[number]; known {
			r.Chip = audit.Catalogued(a.chip, "asicType "+number+" ("+a.name+" of FBOSS' switch_config.thrift)")
		} else {
			r.Chip.How = "not known: asicType " + fielderr.Quote(number) + " is not in the tables (--chip NAME says it)"
		}
	}
	if len(types) > 1 {
		r.Chip.How = "not known: the switch has chips of several types (--chip NAME says one for all)"
	}
	for _, a := range asics {
		if a.chip == r.Chip.Name {
			r.buffers = a.buffers
		}
	}
	r.excludes = r.Chip.Spectrum() // INGRESS_BUFFER_POOL_SIZE_EXCLUDES_HEADROOM is a feature of Chenab alone
	if r.buffers == 0 {
		r.buffers = 1
		if member(r.root, "bufferPoolConfigs") != nil {
			r.Unknown = append(r.Unknown, "how many memory buffers the agent counts is not known of this chip: "+
				"the bytes of pools are those of one buffer")
		}
	}
}

// member2 follows two keys without marking them.
func member2(s *statements.Statement, a, b string) *statements.Statement {
	if s = member(s, a); s == nil {
		return nil
	}
	return member(s, b)
}

// under lists the statements under a statement; nothing under nil.
func under(s *statements.Statement) []*statements.Statement {
	if s == nil {
		return nil
	}
	return s.Under
}

// number reads a whole number of an object within bounds. A member with another value is a finding.
func (r *reader) number(in *statements.Statement, key, object string, low, high int64) audit.Number {
	s := in.Find(key)
	if s == nil {
		return audit.Number{}
	}
	return r.Int(s.Word(1), s.Line, object, key, low, high)
}

// Bounds of thrift's i32 and i64, less what no memory has: sums stay in 64 bits.
const (
	mostInt32 = 1<<31 - 1
	mostBytes = 1 << 46
)

// bufferPools reads bufferPoolConfigs.
func (r *reader) bufferPools() {
	for _, s := range under(r.root.Find("bufferPoolConfigs").Read()) {
		name := s.Read().Word(0)
		p := &audit.Pool{Name: name, Mode: "dynamic", At: r.At(s.Line), Object: "bufferPoolConfigs." + name}
		shared := r.number(s, "sharedBytes", p.Object, 0, mostInt32)
		headroom := r.number(s, "headroomBytes", p.Object, 0, mostInt32)
		reserved := r.number(s, "reservedBytes", p.Object, 0, mostInt32)
		if shared.Given {
			sum := shared.Value + reserved.Value
			if !r.excludes {
				sum += headroom.Value
			}
			p.Size = audit.Number{Value: sum * r.buffers, Given: true, At: shared.At}
		}
		if headroom.Given {
			p.XOFF = audit.Number{Value: headroom.Value * r.buffers, Given: true, At: headroom.At}
		}
		if r.pools[name] = p; shared.Given {
			r.shared[name] = shared.Value * r.buffers
		}
	}
}

// groups are the priority groups of a name of portPgConfigs.
type groups struct {
	profile [8]*audit.Profile
}

// groupConfigs reads portPgConfigs.
func (r *reader) groupConfigs() {
	for _, s := range under(r.root.Find("portPgConfigs").Read()) {
		g := &groups{}
		r.groups[s.Read().Word(0)] = g
		for _, config := range s.Under {
			r.group(g, s.Word(0), config.Read())
		}
	}
}

// addPools adds the pools, with what they are for: a pool that a group names is of the ingress, one that a queue names
// of the egress. Of a pool that nothing names it is not known.
func (r *reader) addPools() {
	for _, name := range slices.Sorted(maps.Keys(r.pools)) {
		switch p := r.pools[name]; {
		case r.ofGroups[name] && r.ofQueues[name]:
			p.Type = "both"
		case r.ofGroups[name]:
			p.Type = "ingress"
		case r.ofQueues[name]:
			p.Type = "egress"
		default:
			p.Type = "unused"
		}
		r.AddPool(r.pools[name])
	}
}

// group reads a PortPgConfig.
func (r *reader) group(g *groups, of string, s *statements.Statement) {
	object := "portPgConfigs." + of
	id := r.number(s, "id", object, 0, 7)
	if !id.Given {
		if s.Find("id") == nil {
			r.Find(auditcode.NumberFormat, s.Line, object, "a group without an id: want 0 to 7")
		}
		return
	}
	object = fmt.Sprintf("%s[%d]", object, id.Value)
	p := &audit.Profile{Name: fmt.Sprintf("%s[%d]", of, id.Value), Object: object, At: r.At(s.Line),
		PoolName: s.Find("bufferPoolName").Word(1), Size: r.number(s, "minLimitBytes", object, 0, mostInt32),
		XOFF: r.number(s, "headroomLimitBytes", object, 0, mostInt32), XON: r.number(s, "resumeBytes", object, 0,
			mostInt32),
		XONOffset: r.number(s, "resumeOffsetBytes", object, 0, mostInt32),
		StaticTh:  r.number(s, "staticLimitBytes", object, 0, mostBytes)}
	s.Find("name")
	r.sramThresholds(s, object)
	if factor := s.Find("scalingFactor"); factor != nil && !p.StaticTh.Given {
		p.DynamicTh = r.alpha(factor, object)
	}
	if p.XON.Given && p.XONOffset.Given {
		r.Find(auditcode.PauseThresholds, p.XON.At.Line, object,
			"resumeBytes and resumeOffsetBytes are both set: want one of them")
	}
	if p.Pool = r.pools[p.PoolName]; p.Pool == nil {
		r.Missing(s.Line, object, p.PoolName, "entry of bufferPoolConfigs")
		return
	}
	if g.profile[id.Value] != nil {
		r.Find("duplicate-key", s.Line, object, "the group is given twice")
	}
	g.profile[id.Value] = p
	r.resume(p)
	r.AddProfile(p)
	r.ofGroups[p.PoolName] = true
	if p.Lossless() {
		p.Pool.Lossless = true
		if p.Pool.XOFF.Given && p.Pool.XOFF.Value == 0 {
			r.Find(auditcode.NoDropNoHeadroom, p.XOFF.At.Line, object, fmt.Sprintf(
				"headroomLimitBytes is %d, and headroomBytes of %s is 0", p.XOFF.Value, p.PoolName))
		}
	}
}

// sramThresholds reads the thresholds of chips that store packets in memory of their own and beside it.
func (r *reader) sramThresholds(s *statements.Statement, object string) {
	if factor := s.Find("sramScalingFactor"); factor != nil {
		r.alpha(factor, object)
	}
	r.number(s, "sramResumeOffsetBytes", object, 0, mostBytes)
	for _, of := range []string{"SharedXoffThresholdBytes", "SramXoffThresholdBytes"} {
		low, high := r.number(s, "min"+of, object, 0, mostBytes), r.number(s, "max"+of, object, 0, mostBytes)
		if low.Given && high.Given && low.Value > high.Value {
			r.Find(auditcode.PauseThresholds, low.At.Line, object, fmt.Sprintf("min%s %d is above max%[1]s %[3]d", of, low.Value,
				high.Value))
		}
	}
}

// resume compares where a group resumes with the most that it can hold before it pauses: its static limit, or what
// alpha gives it of an empty pool (alpha / (1 + alpha) of it), and its minimum. An offset of the limit or more is
// never reached before the group is empty.
func (r *reader) resume(p *audit.Profile) {
	at, what := p.XONOffset, "resumeOffsetBytes"
	if p.XON.Given {
		at, what = p.XON, "resumeBytes"
	}
	if !at.Given || !p.Lossless() {
		return
	}
	limit, of := p.StaticTh.Value, "the group's static limit"
	if !p.StaticTh.Given {
		shared, known := r.shared[p.PoolName]
		if !known || !p.DynamicTh.Given {
			return
		}
		limit, of = alone(shared, p.DynamicTh.Value), "what its scalingFactor gives it of an empty pool"
	}
	if limit += p.Size.Value; at.Value >= limit {
		r.Find(auditcode.PauseThresholds, at.At.Line, p.Object, fmt.Sprintf("%s %d is not below %d, %s and its minimum", what,
			at.Value, limit, of))
	}
}

// alone is what a group with an alpha of 2^th holds of a pool when it is alone (Choudhury and Hahne 1998).
func alone(pool, th int64) int64 {
	if th >= 0 {
		return pool / ((1 << th) + 1) << th
	}
	return pool / ((1 << -th) + 1)
}

// factors are the scaling factors as powers of two, by the numbers of MMUScalingFactor (switch_config.thrift).
var factors = map[string]int64{"0": 0, "1": 3, "2": -7, "3": -6, "4": -5, "5": -4, "6": -3, "7": -2, "8": -1, "9": 1,
	"10": 2, "11": -15, "12": 7, "ONE": 0, "EIGHT": 3, "ONE_128TH": -7, "ONE_64TH": -6, "ONE_32TH": -5, "ONE_16TH": -4,
	"ONE_8TH": -3, "ONE_QUARTER": -2, "ONE_HALF": -1, "TWO": 1, "FOUR": 2, "ONE_32768TH": -15,
	"ONE_HUNDRED_TWENTY_EIGHT": 7}

// alpha reads a scaling factor.
func (r *reader) alpha(s *statements.Statement, object string) audit.Number {
	th, known := factors[s.Word(1)]
	if !known {
		r.Find(auditcode.NumberFormat, s.Line, object, "scalingFactor is "+fielderr.Quote(s.Word(1))+
			": want a number of MMUScalingFactor, 0 to 12")
		return audit.Number{}
	}
	return audit.Number{Value: th, Given: true, At: r.At(s.Line)}
}

// ports reads the ports, and what each of them names.
func (r *reader) ports() {
	policyOf, all := r.trafficPolicy()
	for _, s := range under(member(r.root, "ports")) {
		id := s.Find("logicalID").Word(1)
		name := s.Find("name").Word(1)
		if name == "" {
			name = "port " + id
		}
		if t := member(s, "portType"); t != nil && t.Word(1) != "0" && t.Word(1) != "INTERFACE_PORT" {
			r.Portless = true // a fabric, CPU or recycle port has no cable and no PFC
			continue
		}
		p := r.Port(name, s.Line)
		if v := r.number(s, "speed", "ports."+name, 0, 10_000_000); v.Value > 0 {
			p.Speed = unit.BitRate(v.Value) * unit.Mbps
		}
		if v := r.number(s, "maxFrameSize", "ports."+name, 0, 1<<16); v.Value > 0 {
			p.MTU = unit.Bytes(v.Value)
		}
		state := s.Find("state").Word(1)
		p.Down = state != "2" && state != "ENABLED"
		queues := r.lists[""]
		if q := s.Find("portQueueConfigName"); q != nil {
			if own, there := r.lists[q.Word(1)]; there && q.Word(1) != "" {
				if len(own) > 0 {
					queues = own // an empty list is none (updatePortQueues)
				}
			} else {
				r.missing(q, name, "portQueueConfigs")
			}
		}
		qos := all
		if own, given := policyOf[id]; given {
			qos = own
		}
		if qos != nil {
			maps.Copy(p.Maps, qos.maps)
		}
		r.link(p.Name, s)
		r.pfc(p, s, qos)
		r.losslessQueues(p, qos, queues)
	}
	if len(r.pools) == 0 && len(r.groups) == 0 {
		r.Unknown = append(r.Unknown,
			"there are no bufferPoolConfigs and no portPgConfigs: no pool and no group is checked")
	}
}

// The keys of what a port expects to hear by LLDP (LLDPTag of switch_config.thrift).
const (
	lldpPort       = "2"
	lldpSystemName = "5"
)

// link reads the other end of a port: what it expects to hear by LLDP, or the neighbour that it expects to reach.
func (r *reader) link(port string, s *statements.Statement) {
	if lldp := s.Find("expectedLLDPValues"); lldp != nil && lldp.Find(lldpSystemName) != nil {
		r.Switch.Links = append(r.Switch.Links, audit.Link{Port: port, Neighbour: lldp.Find(lldpSystemName).Word(1),
			NeighbourPort: lldp.Find(lldpPort).Word(1), At: r.At(lldp.Line)})
		return
	}
	for _, n := range under(s.Find("expectedNeighborReachability")) {
		r.Switch.Links = append(r.Switch.Links, audit.Link{Port: port, Neighbour: n.Read().Find("remoteSystem").Word(1),
			NeighbourPort: n.Find("remotePort").Word(1), At: r.At(n.Line)})
	}
}

// pfc reads the PFC of a port, and gives it the groups that it names.
func (r *reader) pfc(p *audit.Port, s *statements.Statement, qos *policy) {
	config := s.Find("pfc")
	pause := s.Find("pause")
	if config == nil {
		return
	}
	object := "ports." + p.Name
	tx, rx := truth(config.Find("tx")), truth(config.Find("rx"))
	p.MapAt, p.HasPFC, p.Paused = r.At(config.Line), true, tx || rx
	watchdog := config.Find("watchdog")
	for _, key := range []string{"detectionTimeMsecs", "recoveryTimeMsecs"} {
		r.number(watchdog, key, object+".pfc.watchdog", 0, mostInt32)
	}
	watchdog.Find("recoveryAction")
	config.Find("txPfcDurationEnable")
	config.Find("rxPfcDurationEnable")
	if (tx || rx) && (truth(pause.Find("tx")) || truth(pause.Find("rx"))) {
		r.FindAtPort(auditcode.PFCWithPause, config.Line, p.Name, object, "PFC and PAUSE are both on: the agent refuses the "+
			"port", "")
	}
	named := config.Find("portPgConfigName")
	if named.Word(1) == "" {
		if watchdog != nil {
			r.FindAtPort("name-missing", watchdog.Line, p.Name, "ports", "a PFC watchdog needs a portPgConfigName: the agent "+
				"refuses the port", "")
		}
		return
	}
	g := r.groups[named.Word(1)]
	if g == nil {
		r.missing(named, p.Name, "portPgConfigs")
		return
	}
	if tx != rx && g.lossless() {
		r.oneWay(p, config.Line, tx)
	}
	for n, profile := range g.profile {
		if profile == nil {
			continue
		}
		p.Groups[n] = &audit.Bound{Profile: profile, Name: profile.Name, At: profile.At, Object: profile.Object}
	}
	if p.PFC = g.priorities(qos); tx || rx {
		r.reaches(p, g, qos, config.Line)
	}
	if !tx {
		p.PFC = 0
	}
}

// oneWay says that a port with lossless groups sends PFC and does not heed it, or the reverse.
func (r *reader) oneWay(p *audit.Port, line int, tx bool) {
	if !tx {
		r.FindAtPort("pfc-one-way", line, p.Name, "ports", "PFC is received and not sent: nothing pauses the sender when a "+
			"lossless group is full", "")
		return
	}
	r.FindAtPort("pfc-one-way", line, p.Name, "ports", "PFC is sent and not received: the port sends on when the other "+
		"end pauses it", "")
}

// missing adds a finding about the name of an object that a port gives and that is not there.
func (r *reader) missing(s *statements.Statement, port, in string) {
	r.FindAtPort("name-missing", s.Line, port, "ports", "it names "+fielderr.Quote(s.Word(1))+", and there is no entry "+
		"of "+in+
		" of this name", "")
}

// priorities are the priorities with PFC: those whose group has headroom. Without a map the priority is the group
// (fboss/agent/PfcUtils.cpp, findPfcEnabledPriorities).
func (g *groups) priorities(qos *policy) (mask uint16) {
	for n := range 8 {
		group := n
		if qos != nil && len(qos.priorityToGroup) > 0 {
			to, there := qos.priorityToGroup[n]
			if !there {
				continue
			}
			group = to
		}
		if group >= 0 && group < 8 && g.profile[group] != nil && g.profile[group].Lossless() {
			mask |= 1 << n
		}
	}
	return mask
}

// truth reads a truth value; what is not there is false, as in thrift.
func truth(s *statements.Statement) bool { return s.Word(1) == "true" || s.Word(1) == "1" }
