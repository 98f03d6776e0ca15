package fboss

import (
	"cmp"
	"maps"

	"github.com/cellwarden/cellwarden/audit"
	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/internal/statements"
	"github.com/cellwarden/cellwarden/unit"
)

// ports reads the ports, and what each of them names.
func (r *reader) ports() {
	policyOf, all := r.trafficPolicy()
	for _, s := range r.root.Member("ports").Active() {
		id := s.Find("logicalID").Word(1)
		name := cmp.Or(s.Find("name").Word(1), "port "+id)
		if t := s.Member("portType"); t != nil && t.Word(1) != "0" && t.Word(1) != "INTERFACE_PORT" {
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
		r.Unknown = append(r.Unknown, "there are no bufferPoolConfigs and no portPgConfigs: no pool and no group is checked")
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
		r.Switch.Links = append(r.Switch.Links, audit.Neighbour{Port: port, Neighbour: lldp.Find(lldpSystemName).Word(1),
			NeighbourPort: lldp.Find(lldpPort).Word(1), At: r.At(lldp.Line)})
		return
	}
	for _, n := range s.Find("expectedNeighborReachability").Active() {
		r.Switch.Links = append(r.Switch.Links, audit.Neighbour{Port: port, Neighbour: n.Read().Find("remoteSystem").Word(1),
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
		r.FindAtPort("pfc-with-pause", config.Line, p.Name, object, "", "PFC and PAUSE are both on: the agent "+
			"refuses the port")
	}
	named := config.Find("portPgConfigName")
	if named.Word(1) == "" {
		if watchdog != nil {
			r.FindAtPort("name-missing", watchdog.Line, p.Name, "ports", "", "a PFC watchdog needs a portPgConfigName: the "+
				"agent refuses the port")
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
	for n, profile := range g {
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
		r.FindAtPort("pfc-one-way", line, p.Name, "ports", "", "PFC is received and not sent: nothing pauses the sender "+
			"when a lossless group is full")
		return
	}
	r.FindAtPort("pfc-one-way", line, p.Name, "ports", "", "PFC is sent and not received: the port sends on when the "+
		"other end pauses it")
}

// missing adds a finding about the name of an object that a port gives and that is not there.
func (r *reader) missing(s *statements.Statement, port, in string) {
	r.FindAtPort("name-missing", s.Line, port, "ports", "", "it names %s, and there is no entry of %s of this name",
		fielderr.Quote(s.Word(1)), in)
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
		if group >= 0 && group < 8 && g[group] != nil && g[group].Lossless() {
			mask |= 1 << n
		}
	}
	return mask
}
