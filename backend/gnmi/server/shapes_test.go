package server_test

import (
	"fmt"
	"strings"
	"testing"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/stretchr/testify/require"
)

// classes are queues as conformance suites of OpenConfig name and weigh them, by their queue-id.
var classes = []string{1: "BE1", "BE0", "AF1", "AF2", "AF3", "AF4", "NC1"}

// shape is a configuration as such suites write it: the queues with their numbers or without, a forwarding group and a
// classifier's term of four DSCPs for each, weights for five queues and strict turns, in the order of their weights,
// for two.
func shape(ids bool) string {
	var queues, groups, terms, weighted, strict, marked []string
	for id, name := range classes[1:] {
		number := ""
		if ids {
			number = fmt.Sprintf(`,"queue-id":%d`, id+1)
		}
		queues = append(queues, fmt.Sprintf(`{"name":%[1]q,"config":{"name":%[1]q%s}}`, name, number))
		groups = append(groups, fmt.Sprintf(`{"name":"group-%[1]s","config":{"name":"group-%[1]s","output-queue":%[1]q}}`,
			name))
		terms = append(terms, fmt.Sprintf(`{"id":"%[1]d","config":{"id":"%[1]d"},"actions":{"config":{"target-group":"group-%[3]s"}},
			"conditions":{"ipv4":{"config":{"dscp-set":[%[2]d,%[4]d]}}}}`, id, 8*id, name, 8*id+1))
		input := fmt.Sprintf(`{"id":%[1]q,"config":{"id":%[1]q,"input-type":"QUEUE","queue":%[1]q,"weight":"%[2]d"}}`, name,
			id+1)
		if id < 5 {
			weighted = append(weighted, input)
		} else {
			strict = append(strict, input)
		}
		marked = append(marked, fmt.Sprintf(`{"name":%[1]q,"config":{"name":%[1]q,"queue-management-profile":"w"}}`, name))
	}
	all := func(list []string) string { return strings.Join(list, ",") }
	return fmt.Sprintf(`{"queues":{"queue":[%s]},"forwarding-groups":{"forwarding-group":[%s]},
		"classifiers":{"classifier":[{"name":"c","config":{"name":"c","type":"IPV4"},"terms":{"term":[%s]}}]},
		"scheduler-policies":{"scheduler-policy":[{"name":"s","config":{"name":"s"},"schedulers":{"scheduler":[
			{"sequence":0,"config":{"sequence":0,"priority":"STRICT"},"inputs":{"input":[%s]}},
			{"sequence":1,"config":{"sequence":1},"inputs":{"input":[%s]}}]}}]},
		"queue-management-profiles":{"queue-management-profile":[{"name":"w","config":{"name":"w"},"wred":{"uniform":{"config":{
			"enable-ecn":true,"drop":false,"weight":0,"min-threshold":"80000","max-threshold":"80000","max-drop-probability-percent":100}}}}]},
		"interfaces":{"interface":[{"interface-id":"Ethernet1/1.0","config":{"interface-id":"Ethernet1/1.0"},
			"interface-ref":{"config":{"interface":"Ethernet1/1","subinterface":0}},
			"input":{"classifiers":{"classifier":[{"type":"IPV4","config":{"type":"IPV4","name":"c"}}]}},
			"output":{"scheduler-policy":{"config":{"name":"s"}},"queues":{"queue":[%s]}}}]}}`,
		all(queues), all(groups), all(terms), all(strict), all(weighted), all(marked))
}

// Where the queues have numbers, all of such a configuration is acted on, and state has it under the client's names.
func TestShapeOfSuites(t *testing.T) {
	s, asic, _ := easy(t, false)
	_, err := s.Set(t.Context(), replaceQoS(t, shape(true)))
	require.NoError(t, err)
	have := registers(t, asic)
	require.Len(t, have, 7*5)
	for _, want := range []string{"Ethernet1/1 queue 1 ecn kmin 384 cells", "Ethernet1/1 queue 7 ecn pmax 100.00%"} {
		require.Contains(t, have, want)
	}
	const policy = "/qos/scheduler-policies/scheduler-policy[name=s]/schedulers/scheduler"
	for where, want := range map[string]string{
		"/qos/forwarding-groups/forwarding-group[name=group-AF3]/state/output-queue":                               `"AF3"`,
		"/qos/classifiers/classifier[name=c]/terms/term[id=4]/conditions/ipv4/state/dscp-set":                      `[32,33]`,
		policy + "[sequence=1]/inputs/input[id=AF3]/state/queue":                                                   `"AF3"`,
		policy + "[sequence=1]/inputs/input[id=AF3]/state/weight":                                                  `"5"`,
		policy + "[sequence=0]/inputs/input[id=NC1]/state/weight":                                                  `"7"`,
		wred + "state/min-threshold":                                                                               `"79872"`,
		"/qos/interfaces/interface[interface-id=Ethernet1/1.0]/output/scheduler-policy/state/name":                 `"s"`,
		"/qos/interfaces/interface[interface-id=Ethernet1/1.0]/output/queues/queue[name=NC1]/state/name":           `"NC1"`,
		"/qos/interfaces/interface[interface-id=Ethernet1/1.0]/input/classifiers/classifier[type=IPV4]/state/name": `"c"`,
	} {
		require.Equal(t, want, get(t, s, where, gpb.GetRequest_STATE), where)
	}
}

// Without numbers none of it is acted on: refused, or stored and told.
func TestShapeWithoutNumbers(t *testing.T) {
	strict, _, _ := easy(t, false)
	_, err := strict.Set(t.Context(), replaceQoS(t, shape(false)))
	require.Error(t, err)

	s, asic, log := easy(t, true)
	_, err = s.Set(t.Context(), replaceQoS(t, shape(false)))
	require.NoError(t, err)
	require.Empty(t, registers(t, asic))
	for _, name := range classes[1:] {
		require.Contains(t, log.String(), "/output/queues/queue[name="+name+"]")
		require.Contains(t, log.String(), "/inputs/input[id="+name+"]")
	}
	require.Equal(t, `"80000"`, get(t, s, wred+"state/min-threshold", gpb.GetRequest_STATE), "repeated")
}
