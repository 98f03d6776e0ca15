package profile

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/cellwarden/cellwarden/buffer"
)

// The names of the profiles.
const (
	OpenConfig = "openconfig"
	Simulated  = "simulated"
	Arista     = "arista"
	SRLinux    = "srlinux"
	Juniper    = "juniper"
	Cisco      = "cisco"
	SONiC      = "sonic"
)

// The leaves of openconfig-qos that cellwarden writes.
const (
	allocation = "/qos/buffer-allocation-profiles/buffer-allocation-profile[name=*]/queues/queue[name=*]/config/"
	wred       = "/qos/queue-management-profiles/queue-management-profile[name=*]/wred/uniform/config/"

	leafReserved = allocation + "dedicated-buffer"
	leafStatic   = allocation + "static-shared-buffer-limit"
	leafAlpha    = allocation + "dynamic-limit-scaling-factor"
	leafMin      = wred + "min-threshold"
	leafMax      = wred + "max-threshold"
	leafPercent  = wred + "max-drop-probability-percent"
	leafWeight   = "/qos/scheduler-policies/scheduler-policy[name=*]/schedulers/scheduler[sequence=*]/inputs/input[id=*]/config/weight"
	leafDSCP     = "/qos/classifiers/classifier[name=*]/terms/term[id=*]/conditions/ipv4/config/dscp-set"
)

// The sources.
const (
	sourceModel    = "openconfig-qos 2.2.0 (openconfig/public)"
	sourceArista   = "Arista EOS-4.36.1F, deviations of openconfig-qos (aristanetworks/yang, 2026-06-21)"
	sourceNokia    = "Nokia SR Linux 25.3.1, oc-srl-qos.json"
	sourceNokiaOwn = "Nokia SR Linux 25.3.1, srl_nokia-qos"
	sourceJuniper  = "Juniper 24.4R1, jnx-openconfig-dev.yang (openconfig-qos 0.9.1)"
	sourceJunosOwn = "Juniper traffic management guide for QFX"
	sourceTests    = "openconfig/featureprofiles 598f5a7, deviations and metadata"
	sourceECNTest  = "openconfig/featureprofiles 598f5a7, qos_ecn_config_test.go, and its issue 2210"
	sourceQoSTests = "openconfig/featureprofiles 598f5a7, mixed_sp_wrr_traffic_test and qos_policy_config_test"
	sourceUpdater  = "sonic-utilities 691b1bbc and its branches, gcu_field_operation_validators.conf.json"
	sourceSorter   = "sonic-utilities 691b1bbc, generic_config_updater/patch_sorter.py"
	sourceSONiC    = "sonic-mgmt-common: it has no openconfig-qos"
	sourceSONiCgnm = "sonic-gnmi: origin sonic-db, JSON_IETF only"
	sourceSim      = "cellwarden, backend/sim"
	sourceNexus    = "Cisco Nexus 9000 10.5 QoS guide: changes of queuing are disruptive"
	sourceNone     = "no source was found"
)

// rules starts from what the published model can say.
func rules() []Rule {
	out := make([]Rule, len(buffer.Kinds()))
	for _, k := range buffer.Kinds() {
		out[k] = Rule{Kind: k, Register: k.String(), Quantum: 1, Round: Exact, Evidence: Evidence{Source: sourceModel}}
	}
	words := func(k buffer.Kind, path string, u Unit) {
		out[k].Path, out[k].Unit = path, u
	}
	words(buffer.GroupReserved, leafReserved, Bytes)
	words(buffer.GroupAlpha, leafAlpha, Exponent)
	words(buffer.GroupStatic, leafStatic, Bytes)
	out[buffer.GroupStatic].Most = math.MaxUint32 // the leaf is a uint32
	words(buffer.QueueECNMin, leafMin, Bytes)
	words(buffer.QueueECNMax, leafMax, Bytes)
	words(buffer.QueueECNPMax, leafPercent, Percent)
	words(buffer.QueueReserved, leafReserved, Bytes)
	words(buffer.QueueWeight, leafWeight, Weight)
	words(buffer.PriorityDSCP, leafDSCP, DSCP)
	percents := &out[buffer.QueueECNPMax]
	percents.Quantum, percents.Round, percents.Most = 100, Nearest, 10000
	const native = "set it with the switch's native model"
	for k, why := range map[buffer.Kind]string{
		buffer.PoolShared:     "OpenConfig has no leaf for the size of a buffer pool: openconfig-qos models no pools",
		buffer.PoolHeadroom:   "OpenConfig has no leaf for the shared headroom pool: openconfig-qos models no pools",
		buffer.PortMinimum:    "OpenConfig has no leaf for the minimum of a port: dedicated-buffer belongs to a queue",
		buffer.GroupLossless:  "OpenConfig has no leaf that enables PFC for a priority: openconfig-qos models no priority flow control",
		buffer.GroupHeadroom:  "OpenConfig has no leaf for headroom (xoff): openconfig-qos models no priority flow control",
		buffer.GroupXONOffset: "OpenConfig has no leaf for xon or the xon offset: openconfig-qos models no priority flow control",
	} {
		out[k].Why, out[k].Where = why, native
	}
	return out
}

// without takes the words for some registers away.
func (p *Profile) without(why string, e Evidence, kinds ...buffer.Kind) *Profile {
	for _, k := range kinds {
		r := &p.Rules[k]
		r.Path, r.Unit, r.Quantum, r.Round, r.Most, r.Why, r.Evidence = "", "", 1, Exact, 0, why, e
	}
	return p
}

// goes says where registers that there are no words for could go.
func (p *Profile) goes(where string, kinds ...buffer.Kind) *Profile {
	for _, k := range kinds {
		p.Rules[k].Where = where
	}
	return p
}

func (p *Profile) quirk(id QuirkID, value int64, text string, e Evidence) *Profile {
	p.Quirks = append(p.Quirks, Quirk{ID: id, Value: value, Text: text, Evidence: e})
	slices.SortFunc(p.Quirks, func(a, b Quirk) int { return cmp.Compare(a.ID, b.ID) })
	return p
}

func (p *Profile) change(reach buffer.Disruption, text string, e Evidence, kinds ...buffer.Kind) *Profile {
	c := Change{Kinds: kinds, Reach: reach, MayStop: reach.String(), Text: text, Evidence: e}
	for _, k := range kinds {
		c.Registers = append(c.Registers, k.String())
	}
	p.Changes = append(p.Changes, c)
	return p
}

// gentle is said of the changes that no vendor calls disruptive: all of which
// nothing else was said.
func (p *Profile) gentle() *Profile {
	var rest []buffer.Kind
	for _, k := range buffer.Kinds() {
		if !slices.ContainsFunc(p.Changes, func(c Change) bool { return slices.Contains(c.Kinds, k) }) {
			rest = append(rest, k)
		}
	}
	return p.change(buffer.DisruptsNothing, "no source says that it stops traffic", inferred(sourceNone), rest...)
}

// worst is said of changes of which a vendor's own documents say nothing.
func (p *Profile) worst() *Profile {
	return p.change(buffer.DisruptsSwitch, "not documented; the worst that other vendors say", inferred(sourceJunosOwn), buffer.PoolShared, buffer.PoolHeadroom).
		change(buffer.DisruptsPort, "not documented; the worst that other vendors say", inferred(sourceJunosOwn), buffer.GroupLossless).gentle()
}

// phasesApart says that no source proves a Set to be all or nothing there.
func (p *Profile) phasesApart() *Profile {
	return p.quirk(PhasesApart, 0, "each phase is a Set of its own and is read back before the next: that a Set is all or nothing there, and in which order it is made, is not proved", inferred(sourceNone))
}

func from(source string) Evidence     { return Evidence{Source: source} }
func inferred(source string) Evidence { return Evidence{Source: source, Inferred: true} }

const bySlice = "static-shared-buffer-limit is what a group may hold in each slice of the memory: cellwarden's convention, the model knows no slices"

const byQueue = "priority n is the forwarding group whose output-queue is queue n: cellwarden's convention, the model knows no priorities"

var (
	marking = []buffer.Kind{buffer.QueueECNMin, buffer.QueueECNMax, buffer.QueueECNPMax}
	queuing = []buffer.Kind{buffer.QueueWeight, buffer.PriorityDSCP}
)

// All returns the profiles in the order in which a target is compared with
// them. Each call returns new ones.
func All() []*Profile {
	return []*Profile{simulated(), arista(), srlinux(), juniper(), cisco(), sonic(), openconfig()}
}

func openconfig() *Profile {
	p := &Profile{Name: OpenConfig, Title: "OpenConfig, strictly: a target that takes all of openconfig-qos", Rules: rules()}
	return p.quirk(StaticBySlice, 0, bySlice, inferred(sourceModel)).
		quirk(PriorityGroupIs, 0, "priority group n is queue n of the input's profile: cellwarden's convention, the model does not say it", inferred(sourceModel)).
		quirk(PriorityIsQueue, 0, byQueue, inferred(sourceModel)).
		quirk(CommitUnproved, 0, "the version of gNMI does not tell whether a target implements Commit-confirmed", from("openconfig/reference, gnmi-commit-confirmed")).worst()
}

func simulated() *Profile {
	p := &Profile{Name: Simulated, Title: "the simulated ASIC, served by cellwarden target", Models: []string{"cellwarden"}, Organizations: []string{"cellwarden"}, Rules: rules()}
	p.goes("apply --sim writes it to a simulated ASIC in this process", buffer.PoolShared, buffer.PoolHeadroom, buffer.PortMinimum, buffer.GroupLossless, buffer.GroupHeadroom, buffer.GroupXONOffset)
	return p.quirk(StaticBySlice, 0, bySlice, from(sourceSim)).quirk(PriorityGroupIs, 0, "priority group n is queue n of the input's profile: cellwarden's convention, the model does not say it", from(sourceSim)).
		quirk(PriorityIsQueue, 0, byQueue, from(sourceSim)).
		change(buffer.DisruptsNothing, "registers change at once and no traffic stops", from(sourceSim), buffer.Kinds()...)
}

func arista() *Profile {
	p := &Profile{Name: Arista, Title: "Arista EOS 4.36.1F", Models: []string{"arista-"}, Organizations: []string{"arista"}, Dialect: "eos", Rules: rules()}
	const cli = "the command line: platform trident mmu queue profile (origin cli, not verified)"
	p.without("dedicated-buffer is not supported, nor is input/config", from(sourceArista), buffer.GroupReserved)
	p.without("dynamic-limit-scaling-factor is not supported, nor is input/config", from(sourceArista), buffer.GroupAlpha)
	p.without("static-shared-buffer-limit is not supported, nor is input/config", from(sourceArista), buffer.GroupStatic)
	p.without("dedicated-buffer is not supported", from(sourceArista), buffer.QueueReserved)
	p.goes(cli, buffer.PortMinimum, buffer.GroupStatic, buffer.PoolShared, buffer.PoolHeadroom, buffer.GroupReserved, buffer.GroupAlpha, buffer.GroupHeadroom, buffer.GroupXONOffset, buffer.QueueReserved)
	p.goes("output/arista-qos-augments:pfc/config/priorities-no-drop, which cellwarden render --dialect eos writes", buffer.GroupLossless)
	for _, k := range slices.Concat(marking, queuing) {
		p.Rules[k].Evidence = from(sourceArista)
	}
	p.Rules[buffer.QueueECNMin].Most, p.Rules[buffer.QueueECNMax].Most = 1<<32-2, 1<<32-2
	return p.quirk(NoState, 0, "the state of profiles is not supported, nor max-queue-len and avg-queue-len: config is read back", from(sourceArista)).
		quirk(NoInterfaceRef, 0, "interface-ref/config is not supported", from(sourceTests)).
		quirk(QueueNames, 0, "output queues may have names of the vendor's, and no queue-id says their numbers: cellwarden writes 0 to 7, and the switch has to have queues of these names", from(sourceTests)).phasesApart().worst()
}

func srlinux() *Profile {
	p := &Profile{Name: SRLinux, Title: "Nokia SR Linux 25.3.1", Models: []string{"srl_nokia", "urn:srl_nokia", "nokia-"}, Organizations: []string{"nokia"}, Dialect: "srlinux", Rules: rules()}
	const own = "srl_nokia-qos, which cellwarden render --dialect srlinux writes: "
	p.without("dedicated-buffer is not supported", from(sourceNokia), buffer.GroupReserved, buffer.QueueReserved)
	p.without("dynamic-limit-scaling-factor is not supported", from(sourceNokia), buffer.GroupAlpha)
	p.without("input/config/buffer-allocation-profile is not supported; on an output static-shared-buffer-limit becomes maximum-burst-size of a queue", from(sourceNokia), buffer.GroupStatic)
	p.goes("", buffer.GroupStatic, buffer.PortMinimum)
	p.goes("srl_nokia-qos has no leaf for the reserved part of an ingress group that was found", buffer.GroupReserved)
	p.goes("srl_nokia-qos has the fixed alpha of a platform, used where maximum-burst-size is 0", buffer.GroupAlpha)
	p.goes(own+"pfc-queue/maximum-pfc-reserved-share-bytes", buffer.GroupHeadroom)
	p.goes(own+"interface/pfc/pfc-enable, for all priorities that its pfc-mapping-profile names", buffer.GroupLossless)
	p.goes("srl_nokia-qos: pfc-on-threshold and pfc-off-threshold, in percents of a queue", buffer.GroupXONOffset)
	p.goes("srl_nokia-qos: forwarding-complex/pfc-buffer-reservation, in percents", buffer.PoolHeadroom, buffer.PoolShared)
	p.goes("srl_nokia-qos: committed-burst-size", buffer.QueueReserved)
	for _, k := range slices.Concat(marking, queuing) {
		p.Rules[k].Evidence = from(sourceNokia)
	}
	return p.quirk(QueueID, 0, "a queue has to be given its queue-id (qos_queue_requires_id)", from(sourceTests)).
		quirk(InterfaceRef, 0, "an interface-ref says which port an interface is; cellwarden writes the port without a subinterface", from(sourceTests)).
		quirk(AllocationNeeded, 0, "an output needs a buffer-allocation-profile with a static-shared-buffer-limit of each queue (qos_buffer_allocation_config_required): no register of a plan is one, so bind a profile of your own, which is left alone", from(sourceTests)).
		quirk(TwoSchedulers, 1, "the sequence of a scheduler is 0 or 1: one for strict queues, one for queues with weights", from(sourceNokia)).
		quirk(NeedsFeature, 0, "many leaves depend on features of the platform", from(sourceNokiaOwn)).
		quirk(MaxBurstNoAlpha, 0, "static-shared-buffer-limit becomes maximum-burst-size, and one other than 0 turns alpha off", from(sourceNokia)).phasesApart().worst()
}

func juniper() *Profile {
	p := &Profile{Name: Juniper, Title: "Juniper Junos 24.4R1 (QFX)", Models: []string{"junos-", "jnx-"}, Organizations: []string{"juniper"}, Dialect: "junos", Rules: rules()}
	p.without("/qos/buffer-allocation-profiles is not supported", from(sourceJuniper), buffer.GroupReserved, buffer.GroupAlpha, buffer.GroupStatic, buffer.QueueReserved)
	const cnp = "class-of-service congestion-notification-profile, which cellwarden render --dialect junos writes: "
	p.goes(cnp+"pfc of a code point", buffer.GroupLossless)
	p.goes(cnp+"cable-length and mru, from which the switch computes the headroom", buffer.GroupHeadroom)
	p.goes(cnp+"xon of a code point", buffer.GroupXONOffset)
	p.goes("class-of-service shared-buffer ingress, in percents", buffer.PoolShared, buffer.PoolHeadroom)
	p.goes("class-of-service shared-buffer ingress buffer-partition dynamic-threshold, for all lossless groups together", buffer.GroupAlpha)
	p.goes("", buffer.GroupReserved, buffer.GroupStatic, buffer.PortMinimum)
	p.goes("class-of-service schedulers", buffer.QueueReserved)
	for _, k := range marking {
		p.Rules[k].Evidence = from(sourceJuniper)
	}
	for _, k := range queuing {
		p.Rules[k].Evidence = from(sourceQoSTests)
	}
	return p.quirk(QueueID, 0, "a queue has to be given its queue-id", from(sourceTests)).
		quirk(InterfaceUnit, 0, "the interface-id is et-0/0/0.0, with an interface-ref", from(sourceTests)).
		quirk(WeightsTo, 100, "scheduler weights are at most 100, as they are in a plan", from(sourceTests)).
		quirk(HeadroomByCable, 0, "the switch computes the headroom from cable-length and mru", from(sourceJunosOwn)).
		change(buffer.DisruptsSwitch, "traffic stops on all ports until the buffer is partitioned anew", from(sourceJunosOwn), buffer.PoolShared, buffer.PoolHeadroom).
		change(buffer.DisruptsPort, "a change of PFC blocks the port", from(sourceJunosOwn), buffer.GroupLossless).phasesApart().gentle()
}

func cisco() *Profile {
	p := &Profile{Name: Cisco, Title: "Cisco IOS XR", Models: []string{"cisco-"}, Organizations: []string{"cisco"}, Rules: rules()}
	const why = "it is not known to be taken: no list of deviations was found, and none of the public tests sets it on this vendor"
	p.without(why, inferred(sourceTests), buffer.GroupReserved, buffer.GroupAlpha, buffer.GroupStatic, buffer.QueueReserved)
	p.goes("the command line: policy-map type queuing; no gNMI path was found", buffer.PortMinimum, buffer.GroupStatic, buffer.GroupReserved, buffer.GroupAlpha, buffer.PoolShared, buffer.PoolHeadroom, buffer.GroupHeadroom, buffer.GroupXONOffset, buffer.QueueReserved)
	p.goes("NX-OS: /System/intf-items/phys-items/PhysIf-list[id=*]/priorflowctrl-items/mode; IOS XR: the command line", buffer.GroupLossless)
	for _, k := range []buffer.Kind{buffer.QueueECNMin, buffer.QueueECNMax} {
		p.Rules[k].Quantum, p.Rules[k].Round = apart, Up
		p.Rules[k].Evidence = Evidence{Source: sourceECNTest + "; the direction is inferred", Inferred: true}
	}
	p.Rules[buffer.QueueECNPMax].Evidence = from(sourceTests)
	for _, k := range queuing {
		p.Rules[k].Evidence = from(sourceQoSTests)
	}
	return p.quirk(QueueID, 0, "a queue has to be given its queue-id", from(sourceTests)).
		quirk(ThresholdsApart, apart, fmt.Sprintf("kmin and kmax must differ, by %d bytes at least", apart), from(sourceECNTest)).
		quirk(InterfaceRef, 0, "an interface-ref says which port an interface is", from(sourceTests)).
		quirk(SchedulerNeeded, 0, "marking takes a scheduler-policy on the output (qos_scheduler_config_required): give every class a weight or strict, or bind a policy of your own, which is left alone", from(sourceTests)).
		quirk(WeightUnset, 0, "the weight of wred is refused", from(sourceTests)).
		quirk(NoState, 0, "state paths are not all supported: config is read back", from(sourceTests)).
		change(buffer.DisruptsSwitch, "changes of queuing are disruptive on NX-OS", inferred(sourceNexus), buffer.PoolShared, buffer.PoolHeadroom).
		change(buffer.DisruptsPort, "changes of queuing are disruptive on NX-OS", inferred(sourceNexus), buffer.GroupLossless, buffer.QueueReserved, buffer.QueueWeight).phasesApart().gentle()
}

// apart is what Cisco's marking thresholds are multiples of, and apart by.
const apart = 6144

func sonic() *Profile {
	// sonic-gnmi's client of CONFIG_DB (sonic_data_client/mixed_db_client.go) is not given the extensions of a Set.
	p := &Profile{Name: SONiC, Title: "SONiC, community", Models: []string{"sonic-"}, Organizations: []string{"sonic"}, Dialect: "sonic", NoCommit: true, Rules: rules()}
	p.without("SONiC has no openconfig-qos", from(sourceSONiC), buffer.Kinds()...)
	const db = "CONFIG_DB (origin sonic-db), which apply sends and cellwarden render --dialect sonic writes: "
	p.goes(db+"BUFFER_POOL, which takes a reload from release 202511 on", buffer.PoolShared, buffer.PoolHeadroom)
	p.goes(db+"BUFFER_PROFILE size", buffer.GroupReserved)
	p.goes(db+"BUFFER_PROFILE dynamic_th", buffer.GroupAlpha)
	p.goes(db+"BUFFER_PROFILE static_th", buffer.GroupStatic)
	p.goes("CONFIG_DB (origin sonic-db): BUFFER_PORT_INGRESS_PROFILE_LIST, which is not written", buffer.PortMinimum)
	p.goes(db+"BUFFER_PROFILE xoff", buffer.GroupHeadroom)
	p.goes(db+"BUFFER_PROFILE xon_offset", buffer.GroupXONOffset)
	p.goes(db+"PORT_QOS_MAP pfc_enable", buffer.GroupLossless)
	p.goes(db+"BUFFER_QUEUE and BUFFER_PROFILE size, after the switch's own egress profile", buffer.QueueReserved)
	p.goes(db+"WRED_PROFILE and QUEUE", marking...)
	p.goes(db+"SCHEDULER and QUEUE", buffer.QueueWeight)
	p.goes(db+"DSCP_TO_TC_MAP and PORT_QOS_MAP dscp_to_tc_map", buffer.PriorityDSCP)
	return p.quirk(JSONOnly, 0, "values other than JSON_IETF are refused; all paths of a Set are of one origin and one database", from(sourceSONiCgnm)).
		quirk(PoolsRefused, 0, "the generic updater takes whole profiles from release 202511 on, and refuses every change of BUFFER_POOL from then on; before, it took size and xoff of ingress_lossless_pool; of a profile's fields it takes dynamic_th and xoff, by chip and release", from(sourceUpdater)).
		change(buffer.DisruptsSwitch, "a reload of the configuration restarts the forwarding plane", inferred(sourceUpdater), buffer.PoolShared, buffer.PoolHeadroom).
		change(buffer.DisruptsPort, "the generic updater takes a port down while it changes the port's groups, queues, maps or PFC, and up again", from(sourceSorter), buffer.GroupReserved,
			buffer.GroupAlpha, buffer.GroupStatic, buffer.GroupLossless, buffer.GroupHeadroom, buffer.GroupXONOffset, buffer.QueueReserved,
			buffer.QueueECNMin, buffer.QueueECNMax, buffer.QueueECNPMax, buffer.QueueWeight, buffer.PriorityDSCP).
		change(buffer.DisruptsNothing, "no source says that it stops traffic", inferred(sourceNone), buffer.PortMinimum)
}
