package qos

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/openconfig/ygot/ygot"
	"github.com/openconfig/ygot/ytypes"
	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/internal/effort"
	"github.com/cellwarden/cellwarden/internal/jsontree"
	"github.com/cellwarden/cellwarden/internal/oc"
	"github.com/cellwarden/cellwarden/nos/registry"
)

// parseWhole is parse by ygot, which reads an answer whole: the slow model of the reader.
func parseWhole(notes []*gpb.Notification) (*oc.Root, error) {
	root := &oc.Root{}
	for _, n := range notes {
		for _, u := range n.GetUpdate() {
			path := &gpb.Path{}
			for _, e := range slices.Concat(n.GetPrefix().GetElem(), u.GetPath().GetElem()) {
				path.Elem = append(path.Elem, &gpb.PathElem{Name: jsontree.Local(e.GetName()), Key: e.GetKey()})
			}
			if err := mergeWhole(root, path, u.GetVal()); err != nil {
				return nil, err
			}
		}
	}
	return root, nil
}

func mergeWhole(root *oc.Root, path *gpb.Path, v *gpb.TypedValue) error {
	if len(path.Elem) > 0 && path.Elem[0].GetName() != "qos" {
		return nil
	}
	data := slices.Concat(v.GetJsonIetfVal(), v.GetJsonVal())
	var into ygot.GoStruct = root
	switch {
	case len(path.Elem) == 1:
		into = root.GetOrCreateQos()
		var object map[string]json.RawMessage
		if json.Unmarshal(data, &object) == nil && len(object) == 1 {
			for _, name := range []string{"openconfig-qos:qos", "qos"} {
				if inner, ok := object[name]; ok {
					data = inner
				}
			}
		}
	case len(path.Elem) > 1:
		if len(data) > 0 {
			v = &gpb.TypedValue{Value: &gpb.TypedValue_JsonIetfVal{JsonIetfVal: data}}
		}
		return ytypes.SetNode(oc.SchemaTree()["Root"], root, path, v,
			&ytypes.InitMissingElements{}, &ytypes.IgnoreExtraFields{}, &ytypes.TolerateJSONInconsistencies{})
	}
	if len(data) == 0 {
		return fmt.Errorf("no JSON")
	}
	return oc.Unmarshal(data, into, &ytypes.IgnoreExtraFields{})
}

// anyTree is a tree with a bit of everything that a switch may have, some of which cannot be read as registers.
func anyTree(r *rand.Rand) *oc.Root {
	names := []string{"0", "3", "7", "8", "42", "unicast", "Ethernet1/1", "Ethernet1/2.0", "et-0/0/1.0", "a]b=c\\d",
		`say "x"`, "höhe", ""}
	name := func() string { return names[r.IntN(len(names)-1)] }
	maybe := func(do func()) {
		if r.IntN(3) > 0 {
			do()
		}
	}
	number := func() *uint64 { return new(r.Uint64() >> r.IntN(64)) }
	root := &oc.Root{}
	qos := root.GetOrCreateQos()
	for range r.IntN(4) {
		q := qos.GetOrCreateQueues().GetOrCreateQueue(name())
		maybe(func() { q.GetOrCreateConfig().Name = q.Name })
		maybe(func() { q.GetOrCreateConfig().QueueId = new(uint8(r.Uint32())) })
		maybe(func() { q.GetOrCreateState().QueueId = new(uint8(r.Uint32())) })
	}
	for range r.IntN(4) {
		p := qos.GetOrCreateBufferAllocationProfiles().GetOrCreateBufferAllocationProfile(name())
		maybe(func() { p.GetOrCreateConfig().Name = p.Name })
		for range r.IntN(4) {
			q := p.GetOrCreateQueues().GetOrCreateQueue(name())
			maybe(func() { q.GetOrCreateConfig().Name = q.Name })
			maybe(func() { q.GetOrCreateConfig().DedicatedBuffer = number() })
			maybe(func() { q.GetOrCreateState().DedicatedBuffer = number() })
			maybe(func() { q.GetOrCreateConfig().UseSharedBuffer = new(r.IntN(4) > 0) })
			maybe(func() { q.GetOrCreateConfig().DynamicLimitScalingFactor = new(int32(r.Uint32()) >> r.IntN(32)) })
			maybe(func() { q.GetOrCreateConfig().StaticSharedBufferLimit = new(r.Uint32() >> r.IntN(32)) })
			maybe(func() {
				q.GetOrCreateConfig().SharedBufferLimitType = []ocLimit{0, dynamicLimit, staticLimit}[r.IntN(3)]
			})
		}
	}
	for range r.IntN(4) {
		p := qos.GetOrCreateQueueManagementProfiles().GetOrCreateQueueManagementProfile(name())
		maybe(func() { p.GetOrCreateConfig().Name = p.Name })
		c := p.GetOrCreateWred().GetOrCreateUniform().GetOrCreateConfig()
		maybe(func() { c.EnableEcn = new(r.IntN(4) > 0) })
		maybe(func() { c.MinThreshold = number() })
		maybe(func() { c.MaxThreshold = number() })
		maybe(func() { c.MaxDropProbabilityPercent = new(uint8(r.Uint32() >> r.IntN(32))) })
		maybe(func() { c.Weight = new(r.Uint32()) })
		maybe(func() { p.Wred.Uniform.GetOrCreateState().MaxThreshold = number() })
	}
	anyClassifiers(r, qos, name, maybe)
	anySchedulers(r, qos, name, maybe)
	for range r.IntN(4) {
		i := qos.GetOrCreateInterfaces().GetOrCreateInterface(name())
		maybe(func() { i.GetOrCreateConfig().InterfaceId = i.InterfaceId })
		maybe(func() { i.GetOrCreateInterfaceRef().GetOrCreateConfig().Interface = new(name()) })
		maybe(func() { i.GetOrCreateInput().GetOrCreateConfig().BufferAllocationProfile = new(name()) })
		maybe(func() { i.GetOrCreateOutput().GetOrCreateConfig().BufferAllocationProfile = new(name()) })
		maybe(func() { i.GetOrCreateOutput().GetOrCreateSchedulerPolicy().GetOrCreateConfig().Name = new(name()) })
		maybe(func() { i.GetOrCreateInput().GetOrCreateSchedulerPolicy().GetOrCreateConfig().Name = new(name()) })
		for _, kind := range boundTypes {
			maybe(func() {
				i.GetOrCreateInput().GetOrCreateClassifiers().GetOrCreateClassifier(kind).GetOrCreateConfig().Name = new(name())
			})
		}
		for range r.IntN(4) {
			q := i.GetOrCreateOutput().GetOrCreateQueues().GetOrCreateQueue(name())
			maybe(func() { q.GetOrCreateConfig().QueueManagementProfile = new(name()) })
			maybe(func() { q.GetOrCreateState().TransmitPkts = number() })
			in := i.GetOrCreateInput().GetOrCreateQueues().GetOrCreateQueue(name())
			maybe(func() { in.GetOrCreateConfig().QueueManagementProfile = new(name()) })
		}
	}
	maybe(func() {
		root.GetOrCreateInterfaces().GetOrCreateInterface(name()).GetOrCreateConfig().Mtu = new(uint16(9000))
	})
	return root
}

// anyClassifiers adds classifiers, some of them cellwarden's, and forwarding groups.
func anyClassifiers(r *rand.Rand, qos *oc.OpenconfigQos_Qos, name func() string, maybe func(func())) {
	owned := func() string { return []string{"", ownedPrefix}[r.IntN(2)] + name() }
	for range r.IntN(4) {
		g := qos.GetOrCreateForwardingGroups().GetOrCreateForwardingGroup(name())
		maybe(func() { g.GetOrCreateConfig().OutputQueue = new(name()) })
		if r.IntN(6) == 0 {
			g.GetOrCreateConfig().MulticastOutputQueue = new(name())
		}
	}
	for range r.IntN(4) {
		c := qos.GetOrCreateClassifiers().GetOrCreateClassifier(owned())
		maybe(func() { c.GetOrCreateConfig().Type = classifierTypes[r.IntN(versions)] })
		for range r.IntN(4) {
			term := c.GetOrCreateTerms().GetOrCreateTerm(name())
			maybe(func() { term.GetOrCreateActions().GetOrCreateConfig().TargetGroup = new(name()) })
			maybe(func() {
				term.GetOrCreateConditions().GetOrCreateIpv4().GetOrCreateConfig().DscpSet = []uint8{uint8(r.IntN(70)), 63,
					0}[:1+r.IntN(3)]
			})
			if r.IntN(5) == 0 {
				term.GetOrCreateConditions().GetOrCreateIpv6().GetOrCreateConfig().Dscp = new(uint8(r.IntN(64)))
			}
			if r.IntN(5) == 0 {
				term.GetOrCreateConditions().GetOrCreateIpv4().GetOrCreateConfig().HopLimit = new(uint8(r.Uint32()))
			}
			if r.IntN(5) == 0 {
				term.GetOrCreateActions().GetOrCreateRemark().GetOrCreateConfig().SetDscp = new(uint8(r.Uint32()))
			}
		}
	}
}

// anySchedulers adds scheduler policies.
func anySchedulers(r *rand.Rand, qos *oc.OpenconfigQos_Qos, name func() string, maybe func(func())) {
	for range r.IntN(4) {
		p := qos.GetOrCreateSchedulerPolicies().GetOrCreateSchedulerPolicy([]string{"", ownedPrefix}[r.IntN(2)] + name())
		for range r.IntN(4) {
			s := p.GetOrCreateSchedulers().GetOrCreateScheduler(r.Uint32() >> r.IntN(32))
			maybe(func() { s.GetOrCreateConfig().Sequence = s.Sequence })
			maybe(func() { s.GetOrCreateConfig().Priority = priorityStrict })
			if r.IntN(6) == 0 {
				s.GetOrCreateConfig().Type = oc.OpenconfigQosTypes_QOS_SCHEDULER_TYPE_TWO_RATE_THREE_COLOR
				s.GetOrCreateTwoRateThreeColor().GetOrCreateConfig().Pir = new(r.Uint64())
			}
			for range r.IntN(4) {
				i := s.GetOrCreateInputs().GetOrCreateInput(name())
				maybe(func() { i.GetOrCreateConfig().Id = i.Id })
				maybe(func() { i.GetOrCreateConfig().InputType = inputQueue })
				maybe(func() { i.GetOrCreateConfig().Queue = new(name()) })
				maybe(func() { i.GetOrCreateConfig().Weight = new(r.Uint64() >> r.IntN(64)) })
			}
		}
	}
}

type ocLimit = oc.E_OpenconfigQos_SHARED_BUFFER_LIMIT_TYPE

// forms are the ways in which a switch may tell a tree: as JSON of all, of /qos,
// of /qos with its name repeated, of each interface, and leaf by leaf.
func forms(t *testing.T, r *rand.Rand, root *oc.Root) map[string][]*gpb.Notification {
	t.Helper()
	value := func(s ygot.GoStruct, module bool) []byte {
		data, err := ygot.Marshal7951(s, &ygot.RFC7951JSONConfig{AppendModuleName: module})
		require.NoError(t, err)
		return data
	}
	note := func(data []byte, names ...string) []*gpb.Notification {
		path := &gpb.Path{}
		for _, name := range names {
			path.Elem = append(path.Elem, &gpb.PathElem{Name: name})
		}
		return []*gpb.Notification{{Update: []*gpb.Update{{Path: path,
			Val: &gpb.TypedValue{Value: &gpb.TypedValue_JsonIetfVal{JsonIetfVal: data}}}}}}
	}
	leaves, err := ygot.TogNMINotifications(root, 1, ygot.GNMINotificationsConfig{UsePathElem: true})
	require.NoError(t, err)
	for _, n := range leaves {
		r.Shuffle(len(n.Update), func(i, j int) { n.Update[i], n.Update[j] = n.Update[j], n.Update[i] })
	}
	return map[string][]*gpb.Notification{
		"all":       note(value(root, true)),
		"plain":     note(value(root, false)),
		"/qos":      note(value(root.Qos, true), "qos"),
		"module":    note(value(root.Qos, true), "openconfig-qos:qos"),
		"wrapped":   note(slices.Concat([]byte(` { "openconfig-qos:qos" : `), value(root.Qos, true), []byte(" } ")), "qos"),
		"container": note(value(root.Qos.GetOrCreateInterfaces(), true), "qos", "interfaces"),
		"leaves":    leaves,
		"twice":     slices.Concat(note(value(root.Qos, true), "qos"), note(value(anyTree(r), true))),
	}
}

// same requires that both decoders say the same of an answer.
func same(t *testing.T, want, have *oc.Root, tgt target) {
	t.Helper()
	slow, fast := newSnapshot(tgt), newSnapshot(tgt)
	require.Equal(t, slow.read(want), fast.read(have))
	require.Equal(t, slow, fast)

	slow, fast = newSnapshot(tgt), newSnapshot(tgt)
	slow.readForeign, fast.readForeign = true, true
	require.Equal(t, slow.read(want), fast.read(have))
	require.Equal(t, slow, fast)
}

// What the reader makes of an answer is what ygot's tree makes of it, however it
// is told and whatever the target's profile.
func TestReaderAndTreeAgree(t *testing.T) {
	effort.SkipShort(t, "it compares many trees")
	seeds := uint64(25)
	if testing.Short() {
		seeds = 5
	}
	for seed := range seeds {
		r := rand.New(rand.NewPCG(seed, 1))
		root := anyTree(r)
		for form, notes := range forms(t, r, root) {
			want, err := parseWhole(notes)
			require.NoError(t, err, "seed %d, %s", seed, form)
			have, err := ParseNotifications(notes)
			require.NoError(t, err, "seed %d, %s", seed, form)
			for _, p := range registry.Profiles() {
				same(t, want, have, target{cell: 208, Profile: p})
			}
		}
	}
}

// repeats tells whether an object of JSON has a member twice, of which ygot
// takes the last and the reader both. RFC 8259 says that readers differ.
func repeats(data []byte) bool {
	type level struct {
		seen map[string]bool // nil: an array
		name bool            // a name is next
	}
	var stack []*level
	d := json.NewDecoder(bytes.NewReader(data))
	for {
		token, err := d.Token()
		if err != nil {
			return false
		}
		if d, is := token.(json.Delim); is && (d == '}' || d == ']') {
			stack = stack[:len(stack)-1]
			continue
		}
		if len(stack) > 0 && stack[len(stack)-1].seen != nil {
			if top := stack[len(stack)-1]; top.name {
				key := jsontree.Local(token.(string))
				if top.name = false; top.seen[key] {
					return true
				}
				top.seen[key] = true
				continue
			} else {
				top.name = true
			}
		}
		switch token {
		case json.Delim('{'):
			stack = append(stack, &level{map[string]bool{}, true})
		case json.Delim('['):
			stack = append(stack, &level{})
		}
	}
}

func TestRepeats(t *testing.T) {
	for text, want := range map[string]bool{`{"a":1,"b":{"a":1}}`: false, `{"a":1,"b":{},"m:a":2}`: true,
		`[{"a":1},{"a":1}]`: false, `{"l":[{"b":1,"b":2}]}`: true, `7`: false, `{"a":"b","b":"a"}`: false} {
		require.Equal(t, want, repeats([]byte(text)), text)
	}
}
