package gnmi_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/cellwarden/cellwarden/backend/gnmi"
	"github.com/cellwarden/cellwarden/diagnosis"
	"github.com/cellwarden/cellwarden/nos"
	"github.com/cellwarden/cellwarden/nos/registry"
	"github.com/cellwarden/cellwarden/unit"
)

// cannedCounters is a switch that has a JSON answer for each path.
type cannedCounters struct {
	answers map[string]string
	asked   []string
}

func (c *cannedCounters) Get(_ context.Context, req *gpb.GetRequest) (*gpb.GetResponse, error) {
	out := &gpb.GetResponse{}
	for _, p := range req.GetPath() {
		var names []string
		for _, e := range p.GetElem() {
			names = append(names, e.GetName())
		}
		at := strings.Join(append([]string{req.GetPrefix().GetTarget() + req.GetPrefix().GetOrigin()}, names...), "/")
		c.asked = append(c.asked, at)
		text, there := c.answers[at]
		if !there {
			return nil, status.Errorf(codes.NotFound, "no valid entry found on %s", at)
		}
		out.Notification = append(out.Notification, &gpb.Notification{Prefix: req.GetPrefix(), Update: []*gpb.Update{{Path: p,
			Val: &gpb.TypedValue{Value: &gpb.TypedValue_JsonIetfVal{JsonIetfVal: []byte(text)}}}}})
	}
	return out, nil
}

var grants = []diagnosis.Grant{{Port: "Ethernet0", Group: 3, Rate: unit.Gbps, Headroom: 1000}}

func loadDatabase(t testing.TB, name string) *nos.Profile {
	p, err := registry.LoadProfile(name)
	require.NoError(t, err)
	return p
}

// sonic is COUNTERS_DB as sonic-gnmi answers it.
func sonic() *cannedCounters {
	return &cannedCounters{answers: map[string]string{
		"COUNTERS_DB/COUNTERS_PORT_NAME_MAP":  `{"Ethernet0":"oid:0x10","Ethernet4":"oid:0x11"}`,
		"COUNTERS_DB/COUNTERS_PG_NAME_MAP":    `{"Ethernet0:3":"oid:0x1a000000000030","Ethernet0:4":"oid:0x1a000000000031"}`,
		"COUNTERS_DB/COUNTERS_QUEUE_NAME_MAP": `{"Ethernet0:3":"oid:0x15"}`,
		"COUNTERS_DB/COUNTERS/oid:0x10": `{"SAI_PORT_STAT_PFC_3_RX_PKTS":"7","SAI_PORT_STAT_PFC_3_TX_PKTS":"12",
			"SAI_PORT_STAT_IF_IN_OCTETS":"100","SAI_PORT_STAT_IF_OUT_OCTETS":"200"}`,
		"COUNTERS_DB/COUNTERS/oid:0x15": `{"PFC_WD_STATUS":"operational","PFC_WD_QUEUE_STATS_DEADLOCK_DETECTED":"1"}`,
		"COUNTERS_DB/COUNTERS/oid:0x1a000000000030": `{"SAI_INGRESS_PRIORITY_GROUP_STAT_DROPPED_PACKETS":"2",
			"SAI_INGRESS_PRIORITY_GROUP_STAT_XOFF_ROOM_WATERMARK_BYTES":"9000"}`,
		"COUNTERS_DB/PERIODIC_WATERMARKS/oid:0x1a000000000030": `
			{"SAI_INGRESS_PRIORITY_GROUP_STAT_SHARED_WATERMARK_BYTES":"5",
			"SAI_INGRESS_PRIORITY_GROUP_STAT_XOFF_ROOM_WATERMARK_BYTES":"400"}`,
		"COUNTERS_DB/COUNTERS_BUFFER_POOL_NAME_MAP": `{"ingress_lossless_pool":"oid:0x18","egress_lossy_pool":"oid:0x19"}`,
		"COUNTERS_DB/PERIODIC_WATERMARKS/oid:0x18":  `{"SAI_BUFFER_POOL_STAT_XOFF_ROOM_WATERMARK_BYTES":"999"}`,
		"openconfig/interfaces":                     `{"openconfig-interfaces:interfaces":{"interface":[{"name":"Ethernet0"}]}}`,
	}}
}

func TestSONiC(t *testing.T) {
	c := sonic()
	s, reasons, err := gnmi.ReadCounters(t.Context(), c, loadDatabase(t, "sonic"), grants, 208)
	require.NoError(t, err)
	require.Empty(t, reasons)
	require.Equal(t, []diagnosis.GroupSample{{Port: "Ethernet0", Group: 3, Headroom: unit.Given[unit.Bytes](400),
		Shared: unit.Given[unit.Bytes](5), Drops: unit.Given[int64](2), PauseSent: unit.Given[int64](12),
		PauseReceived: unit.Given[int64](7), Storms: unit.Given[int64](1)}}, s.Groups)
	require.Equal(t, unit.Given[unit.Bytes](100), s.Ports[0].BytesIn)
	require.Equal(t, unit.Given[unit.Bytes](999), s.HeadroomPool)
	require.NotContains(t, strings.Join(c.asked, " "), "0x31", "only the groups of the plan are asked for")

	// What a switch does not have is not known, and the reason is given.
	delete(c.answers, "COUNTERS_DB/COUNTERS/oid:0x1a000000000030")
	delete(c.answers, "COUNTERS_DB/COUNTERS_BUFFER_POOL_NAME_MAP")
	s, reasons, err = gnmi.ReadCounters(t.Context(), c, loadDatabase(t, "sonic"), grants, 208)
	require.NoError(t, err)
	require.False(t, s.Groups[0].Drops.IsGiven())
	require.False(t, s.HeadroomPool.IsGiven())
	require.Len(t, reasons, 2)
	require.Contains(t, reasons, "COUNTERS of groups: 1 of 1 are not there")

	_, _, err = gnmi.ReadCounters(t.Context(), &cannedCounters{}, loadDatabase(t, "sonic"), grants, 208)
	require.ErrorContains(t, err, "no valid entry found on COUNTERS_DB/COUNTERS_PORT_NAME_MAP")
}

func TestSONiCRefuses(t *testing.T) {
	for _, text := range []string{`7`, `{`, `{"SAI_PORT_STAT_PFC_3_RX_PKTS":"many"}`} {
		c := sonic()
		c.answers["COUNTERS_DB/COUNTERS/oid:0x10"] = text
		_, _, err := gnmi.ReadCounters(t.Context(), c, loadDatabase(t, "sonic"), grants, 208)
		require.ErrorContains(t, err, "COUNTERS_DB: ", text)
	}
}

// An object that is not there costs a few requests more, and none of the others. Where none is there it is not asked
// for each.
func TestSONiCWithoutObjects(t *testing.T) {
	var all []diagnosis.Grant
	c := sonic()
	ids := map[string]string{}
	for i := range 100 {
		g := diagnosis.Grant{Port: fmt.Sprintf("Ethernet%d", 4*i), Group: 3, Rate: unit.Gbps, Headroom: 1000}
		all = append(all, g)
		id := fmt.Sprintf("oid:0x1b%04d", i)
		ids[g.Port+":3"] = id
		if i != 70 {
			c.answers["COUNTERS_DB/COUNTERS/"+id] = `{"SAI_INGRESS_PRIORITY_GROUP_STAT_DROPPED_PACKETS":"2"}`
		}
	}
	text, err := json.Marshal(ids)
	require.NoError(t, err)
	c.answers["COUNTERS_DB/COUNTERS_PG_NAME_MAP"] = string(text)
	s, reasons, err := gnmi.ReadCounters(t.Context(), c, loadDatabase(t, "sonic"), all, 208)
	require.NoError(t, err)
	require.Len(t, slices.DeleteFunc(s.Groups, func(g diagnosis.GroupSample) bool { return !g.Drops.IsGiven() }), 99)
	said := strings.Join(reasons, "\n")
	require.Contains(t, said, "COUNTERS of groups: 1 of 100 are not there")
	require.Contains(t, said, "PERIODIC_WATERMARKS of groups could not be read: the first 8 are not there: ")
	require.Contains(t, said, "COUNTERS_PORT_NAME_MAP has no id of 98 of 100 ports of the plan")
	require.Less(t, len(c.asked), 600, "paths")
}

// OpenConfig has the counters of input queues and of ports. Only the simulated switch has queues that are groups.
func TestOpenConfig(t *testing.T) {
	c := &cannedCounters{answers: map[string]string{
		"openconfig/interfaces": `{"openconfig-interfaces:interface":[{"name":"Ethernet0","openconfig-if-ethernet:ethernet":{"state":
			{"counters":{"in-mac-pause-frames":"7","out-mac-pause-frames":"12"}}},"state":{"counters":{"in-octets":"100"}}}]}`,
		"openconfig/qos/interfaces": `{"interface":[{"interface-id":"Ethernet0","input":{"queues":{"queue":[{"name":"3","state":{"max-queue-len":"41600",
			"dropped-pkts":"0"}},{"name":"AF3","state":{"max-queue-len":"1"}}]}}}]}`}}
	s, reasons, err := gnmi.ReadCounters(t.Context(), c, loadDatabase(t, "simulated"), grants, 208)
	require.NoError(t, err)
	require.Empty(t, reasons)
	require.Equal(t, []diagnosis.GroupSample{{Port: "Ethernet0", Group: 3, Total: unit.Given[unit.Bytes](41600),
		Drops: unit.Given[int64](0)}}, s.Groups)
	require.Equal(t, []diagnosis.PortSample{{Port: "Ethernet0", BytesIn: unit.Given[unit.Bytes](100),
		PauseSent: unit.Given[int64](12), PauseReceived: unit.Given[int64](7)}}, s.Ports)

	s, reasons, err = gnmi.ReadCounters(t.Context(), c, loadDatabase(t, "arista"), grants, 208)
	require.NoError(t, err)
	require.Empty(t, s.Groups)
	require.Equal(t, []string{"profile arista has no counters of priority groups in OpenConfig"}, reasons)
}

// Any answer is read without a panic.
func FuzzRead(f *testing.F) {
	for _, text := range sonic().answers {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		c := sonic()
		for path := range c.answers {
			c.answers[path] = string(data)
		}
		c.answers["openconfig/qos/interfaces"] = string(data)
		for _, name := range []string{"sonic", "simulated"} {
			s, _, err := gnmi.ReadCounters(t.Context(), c, loadDatabase(t, name), grants, 208)
			if err == nil {
				_, err = diagnosis.Assess(grants, unit.Optional[unit.Bytes]{}, nil, s)
				require.NoError(t, err)
			}
		}
	})
}

// A SONiC switch is read once. Its groups have watermarks of headroom.
func ExampleReadCounters() {
	p, err := registry.LoadProfile("sonic")
	if err != nil {
		fmt.Println(err)
	}
	sample, reasons, err := gnmi.ReadCounters(context.Background(), sonic(), p, grants, 208)
	g := sample.Groups[0]
	fmt.Println(g.Port, g.Group, "headroom", g.Headroom, "drops", g.Drops, reasons, errors.Is(err, nil))
	// Output:
	// Ethernet0 3 headroom 400B drops 2 [] true
}
