package server_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/cellwarden/cellwarden/backend/gnmi/server"
	"github.com/cellwarden/cellwarden/backend/sim"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/effort"
	"github.com/cellwarden/cellwarden/pg"
)

// The Sets and Gets of openconfig/featureprofiles 598f5a7, tests DP-1.2 (qos_policy_config_test) and DP-1.3
// (qos_ecn_config_test), for each vendor with its deviations, and of the README of DP-1.3 the negative cases DP-1.3.4
// and the teardown DP-1.3.5, which pull request 5864 implements. The switch is strict. Its cells have one byte, because
// the tests compare state with thresholds that are no multiple of a cell.

// suiteVendor is what differs between vendors: names of queues as openconfig/entity-naming has them, and deviations.
type suiteVendor struct {
	queues   []string // BE1, BE0, AF1, AF2, AF3, AF4, NC1
	ids      bool     // a queue has its queue-id
	unit     string   // what follows the port in an interface-id
	ref      bool     // an interface has its interface-ref
	sameKs   bool     // the two thresholds of ECN may be equal
	noWeight bool     // no weight of WRED
	alloc    bool     // an output has a buffer allocation profile with a static limit for each queue
}

var (
	suiteNames   = []string{"BE1", "BE0", "AF1", "AF2", "AF3", "AF4", "NC1"}
	suiteVendors = map[string]suiteVendor{
		"arista":  {queues: suiteNames, sameKs: true},
		"cisco":   {queues: suiteNames, ids: true, ref: true, noWeight: true},
		"juniper": {queues: []string{"0", "1", "2", "3", "4", "6", "7"}, ids: true, unit: ".0", ref: true, sameKs: true},
		"nokia":   {queues: suiteNames, ids: true, ref: true, sameKs: true, alloc: true},
	}
)

// object is an object of JSON.
type object = map[string]any

// suiteSwitch is a strict switch whose queues have the names of the suite by themselves, 1 to 7.
func suiteSwitch(t *testing.T, lenient bool) *server.Server {
	asic, err := sim.New(buffer.Chip{Name: "bytes", Cell: 1, Slices: []buffer.Slice{{Cells: 1 << 33}}, MinAlpha: -7,
		MaxAlpha: 3, Groups: pg.PerPort})
	require.NoError(t, err)
	s, err := server.New(asic, 1, server.Options{QueueNames: append([]string{""}, suiteNames...), Lenient: lenient})
	require.NoError(t, err)
	return s
}

// suiteTree is the /qos that a test builds step by step, and replaces as a whole after each step.
type suiteTree struct {
	t     *testing.T
	s     *server.Server
	v     suiteVendor
	lists map[string]map[string]object // entries by their path, list and key
}

func (q *suiteTree) entry(list, key string) object {
	if q.lists[list] == nil {
		q.lists[list] = map[string]object{}
	}
	if q.lists[list][key] == nil {
		q.lists[list][key] = object{}
	}
	return q.lists[list][key]
}

func (q *suiteTree) values(list string) []any {
	out := []any{}
	for _, key := range slices.Sorted(maps.Keys(q.lists[list])) {
		out = append(out, q.lists[list][key])
	}
	return out
}

// queue adds a queue, with its id where the vendor needs one.
func (q *suiteTree) queue(i int) string {
	config := object{"name": q.v.queues[i]}
	if q.v.ids {
		config["queue-id"] = i + 1
	}
	maps.Copy(q.entry("queues", q.v.queues[i]), object{"name": q.v.queues[i], "config": config})
	return q.v.queues[i]
}

// ecn writes the profile of ECN.
func (q *suiteTree) ecn(kmin, kmax uint64, pmax int) {
	config := object{"enable-ecn": true, "drop": false, "min-threshold": fmt.Sprint(kmin),
		"max-threshold":                fmt.Sprint(kmax),
		"max-drop-probability-percent": pmax}
	if !q.v.noWeight {
		config["weight"] = 0
	}
	maps.Copy(q.entry("ecn", "DropProfile"), object{"name": "DropProfile", "config": object{"name": "DropProfile"},
		"wred": object{"uniform": object{"config": config}}})
}

// scheduler adds a queue to the scheduler policy.
func (q *suiteTree) scheduler(i, weight int) {
	sequence := 1
	if i >= 5 {
		sequence = 0
	}
	name := q.v.queues[i]
	maps.Copy(q.entry(fmt.Sprint("inputs", sequence), name),
		object{"id": name, "config": object{"id": name, "input-type": "QUEUE",
			"queue": name, "weight": fmt.Sprint(weight)}})
	config := object{"sequence": sequence}
	if sequence == 0 {
		config["priority"] = "STRICT"
	}
	maps.Copy(q.entry("schedulers", fmt.Sprint(sequence)), object{"sequence": sequence, "config": config,
		"inputs": object{"input": q.values(fmt.Sprint("inputs", sequence))}})
}

// qos is the present tree as JSON.
func (q *suiteTree) qos() string {
	all := object{}
	list := func(container, list string, values []any) {
		if len(values) > 0 {
			all[container] = object{list: values}
		}
	}
	list("queues", "queue", q.values("queues"))
	list("forwarding-groups", "forwarding-group", q.values("groups"))
	list("classifiers", "classifier", q.values("classifiers"))
	list("queue-management-profiles", "queue-management-profile", q.values("ecn"))
	list("buffer-allocation-profiles", "buffer-allocation-profile", q.values("allocations"))
	list("interfaces", "interface", q.values("interfaces"))
	if len(q.lists["schedulers"]) > 0 {
		list("scheduler-policies", "scheduler-policy", []any{object{"name": "scheduler",
			"config":     object{"name": "scheduler"},
			"schedulers": object{"scheduler": q.values("schedulers")}}})
	}
	text, err := json.Marshal(all)
	require.NoError(q.t, err)
	return string(text)
}

// replace replaces /qos, as every step of the tests does.
func (q *suiteTree) replace() error {
	_, err := q.s.Set(q.t.Context(), replaceQoS(q.t, q.qos()))
	return err
}

// is compares state, or what the vendor's test compares in its place.
func (q *suiteTree) is(want, where string, args ...any) {
	q.t.Helper()
	require.Equal(q.t, want, get(q.t, q.s, fmt.Sprintf(where, args...), gpb.GetRequest_STATE), where)
}

// bind binds the output of port 2 to the policy, and a queue to the profile of ECN.
func (q *suiteTree) bind(i int) {
	const port = "Ethernet2"
	name := q.v.queues[i]
	maps.Copy(q.entry("outputs", name), object{"name": name,
		"config": object{"name": name, "queue-management-profile": "DropProfile"}})
	entry := object{"interface-id": port, "config": object{"interface-id": port}}
	if q.v.ref {
		entry["interface-ref"] = object{"config": object{"interface": port}}
	}
	output := object{"scheduler-policy": object{"config": object{"name": "scheduler"}},
		"queues": object{"queue": q.values("outputs")}}
	if q.v.alloc {
		output["config"] = object{"buffer-allocation-profile": "ballocprofile"}
		maps.Copy(q.entry("limits", name), object{"name": name,
			"config": object{"name": name, "static-shared-buffer-limit": 268435456}})
		maps.Copy(q.entry("allocations", "ballocprofile"),
			object{"name": "ballocprofile", "config": object{"name": "ballocprofile"},
				"queues": object{"queue": q.values("limits")}})
	}
	entry["output"] = output
	maps.Copy(q.entry("interfaces", port), entry)
}

const (
	suiteWRED   = "/qos/queue-management-profiles/queue-management-profile[name=DropProfile]/wred/uniform/state/"
	suiteOutput = "/qos/interfaces/interface[interface-id=Ethernet2]/output/"
)

// thresholds are those of DP-1.3 for a vendor.
func (v suiteVendor) thresholds() (kmin, kmax uint64) {
	if v.sameKs {
		return 80000, 80000
	}
	return 8005632, 8011776
}

// DP-1.3. A Nokia switch needs limits of egress queues: the simulated switch has no such registers, so that a strict
// one refuses them, as it says, and a lenient one stores them.
func TestFeatureProfilesECN(t *testing.T) {
	effort.SkipFew(t, "it sets many policies")
	for name, v := range suiteVendors {
		t.Run(name, func(t *testing.T) {
			q := &suiteTree{t: t, s: suiteSwitch(t, false), v: v, lists: map[string]map[string]object{}}
			kmin, kmax := v.thresholds()
			q.ecn(kmin, kmax, 100)
			require.NoError(t, q.replace())
			checkECN := func() {
				q.is("true", suiteWRED+"enable-ecn")
				q.is("100", suiteWRED+"max-drop-probability-percent")
				q.is(fmt.Sprintf(`"%d"`, kmin), suiteWRED+"min-threshold")
				q.is(fmt.Sprintf(`"%d"`, kmax), suiteWRED+"max-threshold")
				q.is("false", suiteWRED+"drop")
				if !v.noWeight {
					q.is("0", suiteWRED+"weight")
				}
			}
			checkECN()
			for i := range v.queues {
				queue := q.queue(i)
				maps.Copy(q.entry("groups", queue), object{"name": queue, "config": object{"name": queue, "output-queue": queue}})
				require.NoError(t, q.replace(), "the forwarding group comes first")
				q.scheduler(i, i+1)
				q.bind(i)
				err := q.replace()
				if v.alloc && i == 0 {
					require.Equal(t, codes.Unimplemented, status.Code(err))
					require.ErrorContains(t, err, "static-shared-buffer-limit: 268435456: want none: this switch has no limits "+
						"of egress queues")
					q.s = suiteSwitch(t, true)
					err = q.replace()
				}
				require.NoError(t, err)
				q.is(`"scheduler"`, suiteOutput+"scheduler-policy/state/name")
				q.is(fmt.Sprintf("%q", queue), suiteOutput+"queues/queue[name=%s]/state/name", queue)
				q.is(`"DropProfile"`, suiteOutput+"queues/queue[name=%s]/state/queue-management-profile", queue)
			}
			checkECN()
		})
	}
}

// DP-1.3.4 and DP-1.3.5 of the README, on a strict switch, for every vendor: four wrong Sets are refused and change
// nothing, and what is taken away in order is gone.
func TestFeatureProfilesECNRefusals(t *testing.T) {
	for name, v := range suiteVendors {
		t.Run(name, func(t *testing.T) {
			v.alloc = false
			q := &suiteTree{t: t, s: suiteSwitch(t, false), v: v, lists: map[string]map[string]object{}}
			q.ecn(40960, 81920, 100)
			queue := q.queue(0)
			q.scheduler(0, 1)
			q.bind(0)
			require.NoError(t, q.replace())
			before := get(t, q.s, "/", gpb.GetRequest_ALL)

			const profile = "/qos/queue-management-profiles/queue-management-profile[name=DropProfile]"
			binding := fmt.Sprintf(suiteOutput+"queues/queue[name=%s]/config/queue-management-profile", queue)
			for what, req := range map[string]*gpb.SetRequest{
				"min above max": update(t, profile+"/wred/uniform/config",
					ietf(`{"min-threshold":"81920","max-threshold":"40960"}`)),
				"101 percent":             update(t, profile+"/wred/uniform/config", ietf(`{"max-drop-probability-percent":101}`)),
				"a profile that is not":   update(t, binding, ietf(`"BOGUS_PROFILE"`)),
				"a profile that is bound": {Delete: []*gpb.Path{path(t, profile)}},
			} {
				_, err := q.s.Set(t.Context(), req)
				require.Equal(t, codes.InvalidArgument, status.Code(err), "%s: %v", what, err)
				require.Equal(t, before, get(t, q.s, "/", gpb.GetRequest_ALL), what)
			}
			// A profile that no queue uses is checked too: the README configures one.
			_, err := q.s.Set(t.Context(), replace(t, strings.Replace(profile, "DropProfile", "Other", 1),
				ietf(`{"config":{"name":"Other"},
				"wred":{"uniform":{"config":{"enable-ecn":true,"min-threshold":"81920","max-threshold":"40960"}}}}`)))
			require.Equal(t, codes.InvalidArgument, status.Code(err), "%v", err)

			_, err = q.s.Set(t.Context(), remove(t, binding))
			require.NoError(t, err)
			after{binding: absent}.check(t, q.s)
			_, err = q.s.Set(t.Context(), remove(t, profile))
			require.NoError(t, err)
			after{profile: absent}.check(t, q.s)
		})
	}
}

// DP-1.2: forwarding groups, classifiers term by term and their bindings, scheduler policies, ECN and outputs, each
// step a replace of all of /qos. Where a step of the tests leaves out what an earlier one made, the earlier objects are
// there here: a strict switch refuses references to what does not exist.
func TestFeatureProfilesPolicy(t *testing.T) {
	effort.SkipShort(t, "it sets many policies")
	for name, v := range suiteVendors {
		t.Run(name, func(t *testing.T) {
			v.alloc = false
			q := &suiteTree{t: t, s: suiteSwitch(t, false), v: v, lists: map[string]map[string]object{}}
			for i := range v.queues {
				group, queue := "target-group-"+suiteNames[i], q.queue(i)
				maps.Copy(q.entry("groups", group), object{"name": group, "config": object{"name": group, "output-queue": queue}})
				require.NoError(t, q.replace())
				q.is(fmt.Sprintf("%q", queue), "/qos/forwarding-groups/forwarding-group[name=%s]/state/output-queue", group)
			}
			for _, version := range []string{"ipv4", "ipv6"} {
				classifier, kind := "dscp_based_classifier_"+version, strings.ToUpper(strings.Replace(version, "ipv", "IPV", 1))
				for i := range v.queues {
					id, points := fmt.Sprint(i), []int{8 * i, 8*i + 1, 8*i + 2}
					maps.Copy(q.entry(version, id), object{"id": id, "config": object{"id": id},
						"actions":    object{"config": object{"target-group": "target-group-" + suiteNames[i]}},
						"conditions": object{version: object{"config": object{"dscp-set": points}}}})
					maps.Copy(q.entry("classifiers", classifier), object{"name": classifier,
						"config": object{"name": classifier, "type": kind}, "terms": object{"term": q.values(version)}})
					require.NoError(t, q.replace())
					where := fmt.Sprintf("/qos/classifiers/classifier[name=%s]/terms/term[id=%s]/", classifier, id)
					q.is(fmt.Sprintf(`"target-group-%s"`, suiteNames[i]), "%s", where+"actions/state/target-group")
					q.is(strings.ReplaceAll(fmt.Sprint(points), " ", ","), "%s", where+"conditions/"+version+"/state/dscp-set")
				}
				port := "Ethernet1" + v.unit
				entry := object{"interface-id": port, "config": object{"interface-id": port}}
				if v.ref {
					entry["interface-ref"] = object{"config": object{"interface": "Ethernet1"}}
				}
				maps.Copy(q.entry("inputs", kind), object{"type": kind, "config": object{"type": kind, "name": classifier}})
				entry["input"] = object{"classifiers": object{"classifier": q.values("inputs")}}
				maps.Copy(q.entry("interfaces", port), entry)
				require.NoError(t, q.replace())
				q.is(fmt.Sprintf("%q", classifier), "/qos/interfaces/interface[interface-id=%s]/input/classifiers/classifier[type=%s]/state/name",
					port, kind)
			}
			for i, weight := range []int{1, 2, 4, 8, 16, 99, 100} {
				q.scheduler(i, weight)
				require.NoError(t, q.replace())
				sequence := 1
				if i >= 5 {
					sequence = 0
				}
				where := fmt.Sprintf("/qos/scheduler-policies/scheduler-policy[name=scheduler]/schedulers/scheduler[sequence=%d]/",
					sequence)
				q.is(fmt.Sprintf(`"%d"`, weight), where+"inputs/input[id=%s]/state/weight", v.queues[i])
				q.is(fmt.Sprintf("%q", v.queues[i]), where+"inputs/input[id=%s]/state/queue", v.queues[i])
				q.is(`"QUEUE"`, where+"inputs/input[id=%s]/state/input-type", v.queues[i])
			}
			kmin, kmax := v.thresholds()
			if name == "juniper" || name == "nokia" {
				kmax = 1<<32 - 1
			}
			q.ecn(kmin, kmax, 1)
			require.NoError(t, q.replace())
			for i := range v.queues {
				q.bind(i)
				require.NoError(t, q.replace())
				q.is(`"DropProfile"`, suiteOutput+"queues/queue[name=%s]/state/queue-management-profile", v.queues[i])
			}
			q.is(fmt.Sprintf(`"%d"`, kmax), suiteWRED+"max-threshold")
		})
	}
}
