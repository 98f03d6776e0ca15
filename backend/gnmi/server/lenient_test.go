package server_test

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/cellwarden/cellwarden/backend/gnmi/server"
	"github.com/cellwarden/cellwarden/backend/sim"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/pg"
)

// easy is a switch of 1000 cells with its log. It is lenient if it is told to be.
func easy(t testing.TB, lenient bool) (*server.Server, *sim.ASIC, *bytes.Buffer) {
	t.Helper()
	asic, err := sim.New(buffer.Chip{Name: "small", Cell: 208, Slices: []buffer.Slice{{Cells: 1000}}, MinAlpha: -7,
		MaxAlpha: 3, Groups: pg.PerPort})
	require.NoError(t, err)
	log := &bytes.Buffer{}
	text := slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelWarn,
		ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey || a.Key == slog.LevelKey {
				return slog.Attr{}
			}
			return a
		}})
	s, err := server.New(asic, 208, server.Options{Lenient: lenient, Log: slog.New(text),
		Counters: &meter{now: server.Counts{Queues: []server.QueueCount{{Port: "Ethernet1/1", Queue: 5, Dropped: 9}}}}})
	require.NoError(t, err)
	return s, asic, log
}

func replaceQoS(t testing.TB, text string) *gpb.SetRequest {
	return &gpb.SetRequest{Replace: []*gpb.Update{{Path: path(t, "/qos"), Val: ietf(text)}}}
}

// registers are those that an ASIC has.
func registers(t testing.TB, asic *sim.ASIC) (lines []string) {
	t.Helper()
	have, err := asic.Observe(context.Background())
	require.NoError(t, err)
	for _, s := range have {
		lines = append(lines, s.String())
	}
	return lines
}

// named is how clients of other switches write: queues with names and numbers, an interface that is a port's unit.
const named = `{"queues":{"queue":[{"name":"AF3","config":{"name":"AF3","queue-id":5}}]},
	"queue-management-profiles":{"queue-management-profile":[{"name":"w","config":{"name":"w"},
		"wred":{"uniform":{"config":{"enable-ecn":true,"min-threshold":"1000","max-threshold":"2000","max-drop-probability-percent":5}}}}]},
	"interfaces":{"interface":[{"interface-id":"Ethernet1/1.0","config":{"interface-id":"Ethernet1/1.0"},
		"interface-ref":{"config":{"interface":"Ethernet1/1","subinterface":0}},
		"output":{"queues":{"queue":[{"name":"AF3","config":{"name":"AF3","queue-management-profile":"w"}}]}}}]}}`

const wred = "/qos/queue-management-profiles/queue-management-profile[name=w]/wred/uniform/"

// Names are resolved by every switch, and come back as the client gave them, with what the device holds and counts.
func TestNames(t *testing.T) {
	s, asic, _ := easy(t, false)
	_, err := s.Set(t.Context(), replaceQoS(t, named))
	require.NoError(t, err)
	require.Equal(t, []string{"Ethernet1/1 queue 5 ecn kmin 4 cells", "Ethernet1/1 queue 5 ecn kmax 9 cells",
		"Ethernet1/1 queue 5 ecn pmax 5.00%"}, registers(t, asic))

	require.Equal(t, `"832"`, get(t, s, wred+"state/min-threshold", gpb.GetRequest_STATE), "4 cells")
	const queue = "/qos/interfaces/interface[interface-id=Ethernet1/1.0]/output/queues/queue[name=AF3]/state/"
	require.Equal(t, `"w"`, get(t, s, queue+"queue-management-profile", gpb.GetRequest_STATE))
	require.Equal(t, `"AF3"`, get(t, s, queue+"name", gpb.GetRequest_STATE))
	require.Equal(t, `"9"`, get(t, s, queue+"dropped-pkts", gpb.GetRequest_STATE))
	require.NotContains(t, get(t, s, "/qos/interfaces", gpb.GetRequest_ALL), `"5"`, "the device's name of the queue")
}

// A queue-id says more than a name that is a number.
func TestNumbersOfQueues(t *testing.T) {
	s, asic, _ := easy(t, false)
	_, err := s.Set(t.Context(), replaceQoS(t, strings.ReplaceAll(named, "AF3", "3")))
	require.NoError(t, err)
	require.Contains(t, registers(t, asic), "Ethernet1/1 queue 5 ecn kmin 4 cells")
	require.Equal(t, `"9"`, get(t, s, "/qos/interfaces/interface[interface-id=Ethernet1/1.0]/output/queues/queue[name=3]/state/dropped-pkts", gpb.GetRequest_STATE))
}

// Two names of one thing are refused, and so is a subinterface.
func TestNamesClash(t *testing.T) {
	for _, test := range []struct{ name, old, new, path string }{
		{"two queues of a number", `"queue":[{"name":"AF3"`,
			`"queue":[{"name":"AF2","config":{"name":"AF2","queue-id":5}},{"name":"AF3"`,
			"/qos/queues/queue[name=AF3]/config/queue-id: 5"},
		{"a queue of that name", `"queue":[{"name":"AF3"`, `"queue":[{"name":"5","config":{"name":"5"}},{"name":"AF3"`,
			"/qos/queues/queue[name=AF3]/config/queue-id: 5"},
		{"a queue of that name and another number", `"queue":[{"name":"AF3"`,
			`"queue":[{"name":"5","config":{"name":"5","queue-id":6}},{"name":"6","config":{"name":"6"}},{"name":"AF3"`,
			"/qos/queues/queue[name=5]/config/queue-id: 6"},
		{"in one list", `"output":{"queues":{"queue":[`, `"output":{"queues":{"queue":[{"name":"5","config":{"name":"5"}},`,
			"queue[name=5]: 5: want AF3, the name of queue 5 of this switch"},
		{"a subinterface", `"subinterface":0`, `"subinterface":7`,
			"/qos/interfaces/interface[interface-id=Ethernet1/1.0]: subinterface 7 of Ethernet1/1"},
		{"two interfaces of a port", `"interface":[`, `"interface":[{"interface-id":"Ethernet1/1","config":{"interface-id":"Ethernet1/1"}},`, "/qos/interfaces/interface[interface-id=Ethernet1/1.0]: the port Ethernet1/1"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s, asic, _ := easy(t, false)
			_, err := s.Set(t.Context(), replaceQoS(t, strings.Replace(named, test.old, test.new, 1)))
			require.Equal(t, codes.InvalidArgument, status.Code(err))
			require.ErrorContains(t, err, test.path)
			require.Empty(t, registers(t, asic))
		})
	}
}

// What a strict switch refuses, with the path that its log names when it is
// lenient, and what of the plan is left in registers.
func TestLenient(t *testing.T) {
	const all = 3 // registers of the plan
	for _, test := range []struct {
		name, old, new string
		code           codes.Code
		warning        string
		left           int
	}{
		{"all is acted on", "", "", codes.OK, "", all},
		{"a queue without a number", `,"queue-id":5`, ``, codes.Unimplemented,
			`path="/qos/interfaces/interface[interface-id=Ethernet1/1.0]/output/queues/queue[name=AF3]" why="/qos/interfaces/interface[interface-id=Ethernet1/1.0]/output/queues/queue[name=AF3]: AF3: want 0 to 7`, 0},
		{"a queue-id that no queue has", `:5`, `:8`, codes.Unimplemented, "queue[name=AF3]: AF3: want 0 to 7", 0},
		{"averaging", `"enable-ecn":true`, `"enable-ecn":true,"weight":3`, codes.Unimplemented,
			`path="` + wred + `config/weight" why=`, all},
		{"no marking", `"enable-ecn":true`, `"enable-ecn":false`, codes.Unimplemented,
			`path="/qos/queue-management-profiles/queue-management-profile[name=w]" why="` + wred + `config/enable-ecn: false`,
			0},
		{"a threshold beyond all memory", `"2000"`, `"18446744073709551615"`, codes.InvalidArgument,
			wred + "config/max-threshold: 18446744073709551615", 0},
		{"a reference to nothing", `"queue-management-profile":"w"`, `"queue-management-profile":"v"`, codes.InvalidArgument,
			`msg="stored, a reference to nothing" path="/qos/interfaces/interface[interface-id=Ethernet1/1.0]/output/queues/queue[name=AF3]/config/queue-management-profile" ` +
				`why="\"v\": want a value that /qos/queue-management-profiles/queue-management-profile/config/name has"`, 0},
		{"an interface of the second unit", `"subinterface":0`, `"subinterface":1`, codes.InvalidArgument,
			"interface[interface-id=Ethernet1/1.0]: subinterface 1 of Ethernet1/1", 0},
		{"a node that is in no model", `"queues":{"queue":[{"name":"AF3",`,
			`"queues":{"vendor:colour":"red","queue":[{"name":"AF3",`, codes.InvalidArgument,
			`msg="not stored, not in the models of this switch" path=/qos/queues/vendor:colour`, all},
	} {
		t.Run(test.name, func(t *testing.T) {
			text := strings.Replace(named, test.old, test.new, 1)
			strict, asic, _ := easy(t, false)
			_, err := strict.Set(t.Context(), replaceQoS(t, text))
			require.Equal(t, test.code, status.Code(err), "%v", err)
			if test.code != codes.OK {
				require.Empty(t, registers(t, asic))
			}

			s, asic, log := easy(t, true)
			for range 2 {
				_, err = s.Set(t.Context(), replaceQoS(t, text))
				require.NoError(t, err)
			}
			require.Contains(t, log.String(), test.warning)
			require.Equal(t, test.warning == "", log.Len() == 0)
			require.Equal(t, 1, max(strings.Count(log.String(), test.warning), 1), "said once")
			require.Len(t, registers(t, asic), test.left)
			if test.new != "" && !strings.Contains(test.new, "colour") {
				require.Contains(t, get(t, s, "/qos", gpb.GetRequest_CONFIG), test.new[strings.LastIndex(test.new, `":`)+2:],
					"stored")
			}
		})
	}
}

// What follows from a thing that is not acted on is not told as another: a curve
// without its end is none, and the queue's profile says nothing.
func TestLenientTellsTheReason(t *testing.T) {
	s, _, log := easy(t, true)
	_, err := s.Set(t.Context(), replaceQoS(t, strings.Replace(named, `"2000"`, `"18446744073709551615"`, 1)))
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSpace(log.String()), "\n")
	require.Len(t, lines, 2, log)
	require.Contains(t, lines[0], `path="/qos/queue-management-profiles/queue-management-profile[name=w]" why="`+wred+
		`config/max-threshold: 18446744073709551615: want 0 to`)
	require.Contains(t, lines[1], `path="/qos/interfaces/interface[interface-id=Ethernet1/1.0]/output/queues/queue[name=AF3]/config/queue-management-profile"`)
}

// State repeats what nothing acts on, and tells what the device holds of the rest.
func TestLenientState(t *testing.T) {
	s, _, _ := easy(t, true)
	_, err := s.Set(t.Context(), replaceQoS(t, strings.Replace(named, `"enable-ecn":true`, `"enable-ecn":true,"weight":3`,
		1)))
	require.NoError(t, err)
	require.Equal(t, `3`, get(t, s, wred+"state/weight", gpb.GetRequest_STATE))
	require.Equal(t, `"832"`, get(t, s, wred+"state/min-threshold", gpb.GetRequest_STATE), "4 cells")

	_, err = s.Set(t.Context(), replaceQoS(t, strings.Replace(named, `"enable-ecn":true`, `"enable-ecn":false`, 1)))
	require.NoError(t, err)
	require.Equal(t, `"1000"`, get(t, s, wred+"state/min-threshold", gpb.GetRequest_STATE),
		"repeated, for nothing acts on it")
}

// A client can know that a switch is lenient.
func TestLenientIsListed(t *testing.T) {
	for _, lenient := range []bool{false, true} {
		s, _, _ := easy(t, lenient)
		answer, err := s.Capabilities(t.Context(), &gpb.CapabilityRequest{})
		require.NoError(t, err)
		var listed bool
		for _, m := range answer.GetSupportedModels() {
			listed = listed || m.GetName() == "cellwarden-lenient"
		}
		require.Equal(t, lenient, listed)
	}
}

// Leniency gives no memory that is not there, reads nothing that is no JSON, and does not take state for configuration.
func TestLenientRefuses(t *testing.T) {
	s, asic, log := easy(t, true)
	for name, test := range map[string]struct {
		req  *gpb.SetRequest
		code codes.Code
	}{
		"memory":  {replaceQoS(t, strings.Replace(plan, `"1000"`, `"1000000"`, 1)), codes.ResourceExhausted},
		"no JSON": {replaceQoS(t, `{"queues":`), codes.InvalidArgument},
		"type":    {replaceQoS(t, strings.Replace(named, `:5`, `:"five"`, 1)), codes.InvalidArgument},
		"state": {replaceQoS(t, strings.Replace(named, `"config":{"name":"AF3","queue-id":5}`, `"state":{"queue-id":5}`,
			1)), codes.InvalidArgument},
		"path":       {update(t, "/qos/colour", ietf(`"red"`)), codes.NotFound},
		"two values": {replaceQoS(t, `{} {}`), codes.InvalidArgument},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := s.Set(t.Context(), test.req)
			require.Equal(t, test.code, status.Code(err), "%v", err)
			require.NotContains(t, log.String(), "stored")
			require.Empty(t, registers(t, asic))
		})
	}
}

// A refusal by the device names the paths as the client does.
func TestRefusalInTheClientsNames(t *testing.T) {
	s, _, _ := easy(t, false)
	unit := strings.ReplaceAll(plan, `"interface-id":"Ethernet1/1"`, `"interface-id":"Ethernet1/1.0"`)
	_, err := s.Set(t.Context(), replaceQoS(t, strings.Replace(unit, `"1000"`, `"208000000"`, 1)))
	require.Error(t, err)
	require.Equal(t, []string{leafOf + "dedicated-buffer",
		"/qos/interfaces/interface[interface-id=Ethernet1/1.0]" + bound},
		fields(t, err))
}
