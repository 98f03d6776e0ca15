package gnmi

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/cellwarden/cellwarden/backend/gnmi/oc"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/pg"
	"github.com/cellwarden/cellwarden/unit"
)

// Decode reads the registers out of an OpenConfig tree: those of the profiles
// that interfaces are bound to. Reserved bytes round up to cells, thresholds
// round down. It returns a *buffer.InvalidError with the paths of all that
// should be a register and cannot be one.
func Decode(root *oc.Root, cell cells.Size) (buffer.Layout, error) {
	if err := (Options{Cell: cell}).Validate(); err != nil {
		return nil, err
	}
	s, err := read(root, strict(cell))
	if err != nil {
		return nil, err
	}
	return layout(s.ports), nil
}

// snapshot is what a tree says, by name.
type snapshot struct {
	style
	ports     map[string]port
	queues    map[string]bool // that are defined
	pgs       map[string]held[allocation]
	ecns      map[string]held[curve]
	elsewhere map[string]bool // profiles that are bound where cellwarden binds none
}

// held is the content of a profile, and what of it cannot be read: that
// matters only if a port is bound to it.
type held[T any] struct {
	content T
	bad     []buffer.Complaint
}

// read takes a tree apart.
func read(root *oc.Root, st style) (*snapshot, error) {
	s := &snapshot{style: st, ports: map[string]port{}, queues: map[string]bool{}, elsewhere: map[string]bool{},
		pgs: map[string]held[allocation]{}, ecns: map[string]held[curve]{}}
	qos := root.GetQos()
	if all := qos.GetQueues(); all != nil {
		for name := range all.Queue {
			s.queues[name] = true
		}
	}
	if all := qos.GetBufferAllocationProfiles(); all != nil && s.allocates() {
		for name, p := range all.BufferAllocationProfile {
			s.pgs[name] = s.allocation(name, p)
		}
	}
	if all := qos.GetQueueManagementProfiles(); all != nil && s.marks() {
		for name, p := range all.QueueManagementProfile {
			s.ecns[name] = s.curve(name, p)
		}
	}
	return s, complain(s.bindings(qos))
}

// number reads the name of a queue that is a group: a single digit, 0 to 7.
// Other names are somebody else's.
func number(queue string) (int, bool) {
	if len(queue) != 1 || queue[0] < '0' || queue[0] >= '0'+pg.PerPort {
		return 0, false
	}
	return int(queue[0] - '0'), true
}

// allocation reads a buffer allocation profile.
func (s *snapshot) allocation(name string, from *ocPG) (p held[allocation]) {
	for n := range p.content {
		queue := strconv.Itoa(n)
		config := from.GetQueues().GetQueue(queue).GetConfig()
		if config == nil {
			continue
		}
		reserved := p.bytes(config.DedicatedBuffer, text(pathPGQueue, name, queue)+"/dedicated-buffer")
		p.content[n].reserved = int64(s.cell.Holding(reserved))
		if is(config.UseSharedBuffer) {
			p.limit(&p.content[n], config, s.cell, text(pathPGQueue, name, queue))
		}
	}
	return p
}

// limit reads the shared limit of a queue, which is dynamic or static. A static
// one rounds down to cells.
func (p *held[T]) limit(to *share, config *ocShare, cell cells.Size, path string) {
	switch factor, most := config.DynamicLimitScalingFactor, config.StaticSharedBufferLimit; config.SharedBufferLimitType {
	case dynamic:
		if to.shared = true; factor == nil {
			p.complain(path+"/dynamic-limit-scaling-factor", "none", "an exponent where the limit is dynamic")
			return
		}
		to.alpha = *factor
	case static:
		if most == nil {
			p.complain(path+"/static-shared-buffer-limit", "none", "bytes where the limit is static; a time is not read")
			return
		}
		to.static = int64(cell.Within(unit.Bytes(*most)))
	default:
		value := "none"
		if config.SharedBufferLimitType != 0 {
			value = config.SharedBufferLimitType.String()
		}
		p.complain(path+"/shared-buffer-limit-type", value, "STATIC or DYNAMIC_BASED_ON_SCALING_FACTOR where use-shared-buffer is true")
	}
}

// curve reads a queue management profile. One that does not enable ECN drops
// and does not mark, which gives no registers.
func (s *snapshot) curve(name string, from *ocECN) (p held[curve]) {
	config := from.GetWred().GetUniform().GetConfig()
	if config == nil || !is(config.EnableEcn) {
		return p
	}
	path := text(pathCurve, name)
	for i, value := range []*uint64{config.MinThreshold, config.MaxThreshold} {
		if value == nil {
			p.complain(path+[]string{"/min-threshold", "/max-threshold"}[i], "none", "bytes where enable-ecn is true; percents of a queue are not read")
		}
	}
	p.content.low = int64(s.cell.Within(p.bytes(config.MinThreshold, path+"/min-threshold")))
	p.content.high = int64(s.cell.Within(p.bytes(config.MaxThreshold, path+"/max-threshold")))
	if percent := config.MaxDropProbabilityPercent; percent != nil {
		if p.content.percent = *percent; *percent > 100 {
			p.complain(path+"/max-drop-probability-percent", strconv.Itoa(int(*percent)), "0 to 100")
		}
	}
	return p
}

// bytes reads a size; nil is 0.
func (p *held[T]) bytes(v *uint64, path string) unit.Bytes {
	switch {
	case v == nil:
		return 0
	case *v > maxBytes:
		p.complain(path, strconv.FormatUint(*v, 10), fmt.Sprintf("0 to %d bytes", int64(maxBytes)))
		return 0
	default:
		return unit.Bytes(*v)
	}
}

func (p *held[T]) complain(path, value, accepted string) {
	p.bad = append(p.bad, buffer.Complaint{Path: path, Value: value, Accepted: accepted})
}

// is reads a leaf that is false when it is absent.
func is(v *bool) bool { return v != nil && *v }

// bindings reads which interface is bound to what. It returns the complaints
// about what is bound, each profile's once.
func (s *snapshot) bindings(qos *oc.OpenconfigQos_Qos) (bad []buffer.Complaint) {
	all := qos.GetInterfaces()
	if all == nil {
		return nil
	}
	told := map[string]bool{}
	for _, id := range slices.SortedFunc(maps.Keys(all.Interface), buffer.ComparePorts) {
		from := all.Interface[id]
		name, known := s.port(id)
		if !known {
			s.others(from)
			s.marking(from, func(string) bool { return true })
			continue
		}
		if name == "" {
			bad = append(bad, buffer.Complaint{Path: pathInterface, Value: `""`, Accepted: "an interface-id that is not empty"})
			continue
		}
		var p port
		if config := from.GetInput().GetConfig(); s.allocates() && config != nil && config.BufferAllocationProfile != nil {
			p.pg = *config.BufferAllocationProfile
			p.groups = resolve(s.pgs, p.pg, told, &bad, pathInput, id)
		}
		for n := range p.queues {
			queue := strconv.Itoa(n)
			if config := from.GetOutput().GetQueues().GetQueue(queue).GetConfig(); s.marks() && config != nil && config.QueueManagementProfile != nil {
				p.ecn[n] = *config.QueueManagementProfile
				p.queues[n] = resolve(s.ecns, p.ecn[n], told, &bad, pathOutput, id, queue)
			}
		}
		if p != (port{}) {
			s.ports[name] = p
		}
		s.others(from)
	}
	return bad
}

// resolve looks up the profile that a place is bound to. The names of the two
// kinds of profiles are told apart by their complaints' paths.
func resolve[T any](profiles map[string]held[T], name string, told map[string]bool, bad *[]buffer.Complaint, template string, keys ...string) T {
	p, found := profiles[name]
	if !found {
		p.complain(text(template, keys...), strconv.Quote(name), "the name of a profile that the switch lists")
	}
	for _, c := range p.bad {
		if !told[c.Path] {
			told[c.Path] = true
			*bad = append(*bad, c)
		}
	}
	return p.content
}

// others notes the profiles that an interface uses where cellwarden binds
// none: they must not be deleted.
func (s *snapshot) others(from *ocInterface) {
	if config := from.GetOutput().GetConfig(); config != nil && config.BufferAllocationProfile != nil {
		s.elsewhere[*config.BufferAllocationProfile] = true
	}
	if all := from.GetInput().GetQueues(); all != nil {
		for _, queue := range all.Queue {
			if config := queue.GetConfig(); config != nil && config.QueueManagementProfile != nil {
				s.elsewhere[*config.QueueManagementProfile] = true
			}
		}
	}
	s.marking(from, func(queue string) bool { _, ours := number(queue); return !ours || !s.marks() })
}

// marking notes the profiles of some output queues.
func (s *snapshot) marking(from *ocInterface, which func(queue string) bool) {
	all := from.GetOutput().GetQueues()
	if all == nil {
		return
	}
	for name, queue := range all.Queue {
		if config := queue.GetConfig(); which(name) && config != nil && config.QueueManagementProfile != nil {
			s.elsewhere[*config.QueueManagementProfile] = true
		}
	}
}
