package qos_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/backend/gnmi/qos"
	"github.com/cellwarden/cellwarden/internal/effort"
	"github.com/cellwarden/cellwarden/internal/oc"
)

// scheduled is a port that is bound to a policy of these schedulers.
func scheduled(schedulers string) string {
	return `{"queues":{"queue":[{"name":"1"},{"name":"3"},{"name":"NC1","config":{"name":"NC1","queue-id":7}},{"name":"AF4","config":{"name":"AF4","queue-id":6}},
		{"name":"5","config":{"name":"5","queue-id":2}},{"name":"4","config":{"name":"4","queue-id":9}},{"name":"NC2","config":{"name":"NC2","queue-id":7}},{"name":"BE","config":{"name":"BE"}}]},
		"interfaces":{"interface":[{"interface-id":"e1","output":{"scheduler-policy":{"config":{"name":"s"}}}}]},
		"scheduler-policies":{"scheduler-policy":[{"name":"s","config":{"name":"s"},"schedulers":{"scheduler":[` + schedulers + `]}}]}}`
}

// scheduler is one of a policy; inputs are queue and weight.
func scheduler(sequence, more string, inputs ...string) string {
	var all []string
	for i := 0; i < len(inputs); i += 2 {
		weight := ""
		if inputs[i+1] != "" {
			weight = `,"weight":"` + inputs[i+1] + `"`
		}
		all = append(all, `{"id":"i`+inputs[i]+`","config":{"id":"i`+inputs[i]+`","input-type":"QUEUE","queue":"`+inputs[i]+
			`"`+weight+`}}`)
	}
	return `{"sequence":` + sequence + `,"config":{"sequence":` + sequence + more + `},"inputs":{"input":[` +
		strings.Join(all, ",") + `]}}`
}

// classified is a port with two classifiers of these terms.
func classified(four, six string) string {
	return `{"queues":{"queue":[{"name":"3"},{"name":"NC1","config":{"name":"NC1","queue-id":7}},{"name":"BE","config":{"name":"BE"}},{"name":"9","config":{"name":"9","queue-id":9}}]},
		"forwarding-groups":{"forwarding-group":[{"name":"g3","config":{"name":"g3","output-queue":"3"}},{"name":"g7","config":{"name":"g7","output-queue":"NC1"}},
			{"name":"be","config":{"name":"be","output-queue":"BE"}},{"name":"g9","config":{"name":"g9","output-queue":"9"}},{"name":"uni","config":{"name":"uni","unicast-output-queue":"3"}}]},
		"classifiers":{"classifier":[{"name":"c4","config":{"name":"c4","type":"IPV4"},"terms":{"term":[` + four + `]}},
			{"name":"c6","config":{"name":"c6","type":"IPV6"},"terms":{"term":[` + six + `]}}]},
		"interfaces":{"interface":[{"interface-id":"e1","input":{"classifiers":{"classifier":[
			{"type":"IPV4","config":{"type":"IPV4","name":"c4"}},{"type":"IPV6","config":{"type":"IPV6","name":"c6"}}]}}}]}}`
}

func term(id, version, conditions, group string) string {
	return `{"id":"` + id + `","config":{"id":"` + id + `"},"conditions":{"` + version + `":{"config":{` + conditions +
		`}}},"actions":{"config":{"target-group":"` + group + `"}}}`
}

// TestDecodeQueuing reads scheduler policies and classifiers that others wrote, as a switch has to.
func TestDecodeQueuing(t *testing.T) {
	effort.SkipShort(t, "it reads many trees")
	strict := `,"priority":"STRICT"`
	sched := `/qos/scheduler-policies/scheduler-policy[name=s]/schedulers/scheduler`
	terms := `/qos/classifiers/classifier[name=c4]/terms/term`
	three := term("0", "ipv4", `"dscp-set":[24,26]`, "g3")
	for name, test := range map[string]struct{ json, want string }{
		"strict by rank, then weights": {scheduled(scheduler("0", strict, "AF4", "100", "NC1", "200") + "," +
			scheduler("1", "", "3", "32", "1", "1")),
			"e1 queue 1 weight 1; e1 queue 3 weight 32; e1 queue 6 weight strict; e1 queue 7 weight strict"},
		"a scheduler for every strict queue": {scheduled(scheduler("9", "", "3", "100") + "," +
			scheduler("1", strict, "NC1", "") + "," + scheduler("5", strict, "AF4", "1")),
			"e1 queue 3 weight 100; e1 queue 6 weight strict; e1 queue 7 weight strict"},
		"queue-id before name": {scheduled(scheduler("0", "", "5", "7")), "e1 queue 2 weight 7"},
		"none":                 {scheduled(""), ""},
		"a scheduler that serves nobody": {scheduled(scheduler("0", "") + "," + scheduler("1", strict, "3", "")),
			"e1 queue 3 weight strict"},

		"above 100": {scheduled(scheduler("1", "", "3", "101")),
			sched + "[sequence=1]/inputs/input[id=i3]/config/weight: 101: want 1 to 100"},
		"no weight": {scheduled(scheduler("1", "", "3", "")), "/config/weight: none: want 1 to 100"},
		"weight 0":  {scheduled(scheduler("1", "", "3", "0")), "/config/weight: 0: want 1 to 100"},
		"lower first": {scheduled(scheduler("0", strict, "AF4", "200", "NC1", "100")),
			`[sequence=0]/inputs/input[id=iNC1]/config/queue: "NC1": want a queue below 6`},
		"same rank": {scheduled(scheduler("0", strict, "AF4", "", "NC1", "")), "weights that differ"},
		"two that share": {scheduled(scheduler("0", "", "1", "1") + "," + scheduler("1", "", "3", "1")),
			sched + "[sequence=1]: a scheduler after one that is not strict"},
		"queue of no number": {scheduled(scheduler("0", "", "BE", "1")),
			`[id=iBE]/config/queue: "BE": want a queue with a number, 0 to 7`},
		"digit of no number": {scheduled(scheduler("0", "", "2", "1")), `[id=i2]/config/queue: "2": want`},
		"ninth queue": {scheduled(scheduler("0", "", "4", "1")),
			`[id=i4]/config/queue: "4": want a queue with a number, 0 to 7`},
		"number of another": {scheduled(scheduler("0", "", "NC2", "1")),
			`[id=iNC2]/config/queue: "NC2": want a queue with a number, 0 to 7`},
		"two rates": {scheduled(scheduler("0", `,"type":"TWO_RATE_THREE_COLOR"`, "3", "1")),
			sched + "[sequence=0]/config/type: TWO_RATE_THREE_COLOR: want none: cellwarden limits no rates"},
		"a rate": {scheduled(strings.Replace(scheduler("0", "", "3", "1"), `"inputs"`,
			`"one-rate-two-color":{"config":{"cir":"9"}},"inputs"`, 1)),
			sched + "[sequence=0]/one-rate-two-color/config"},
		"pir": {scheduled(strings.Replace(scheduler("0", "", "3", "1"), `"inputs"`,
			`"two-rate-three-color":{"config":{"pir":"9"}},"inputs"`, 1)), "/two-rate-three-color/config"},
		"to a child": {scheduled(strings.Replace(scheduler("0", "", "3", "1"), `"inputs"`,
			`"output":{"config":{"output-type":"SCHEDULER"}},"inputs"`, 1)),
			"/output/config/output-type: SCHEDULER: want INTERFACE"},
		"from a parent": {scheduled(strings.Replace(scheduler("0", "", "3", "1"), `"QUEUE"`, `"IN_PROFILE"`, 1)),
			"/config/input-type: IN_PROFILE: want QUEUE"},
		"an empty input": {scheduled(`{"sequence":3,"inputs":{"input":[{"id":"x"}]}}`),
			sched + "[sequence=3]/inputs/input[id=x]/config/input-type: none: want QUEUE"},
		"queue twice": {scheduled(scheduler("0", strict, "3", "1") + "," + scheduler("1", "", "3", "1")),
			`"3": want a queue that is no other input`},

		"both versions": {classified(three+","+term("1", "ipv4", `"dscp":48`, "g7"),
			term("a", "ipv6", `"dscp-set":[26,24]`, "g3")+","+term("b", "ipv6", `"dscp-set":[48]`, "g7")),
			"e1 priority 3 dscp 24,26; e1 priority 7 dscp 48"},
		"one after the other": {classified(three, ""), "e1 priority 3 dscp 24,26"},
		"two terms": {classified(three+","+term("1", "ipv4", `"dscp":48`, "g3"), ""),
			"e1 priority 3 dscp 24,26,48"},

		"versions differ": {classified(three, term("0", "ipv6", `"dscp-set":[26]`, "g7")),
			"classifier[type=IPV6]/config/name: DSCP 26 of IPv6 in priority 7: want priority 3"},
		"a DSCP twice": {classified(three+","+term("1", "ipv4", `"dscp":24`, "g7"), ""),
			terms + "[id=1]: 24: want DSCPs of no other term"},
		"dscp and set": {classified(term("0", "ipv4", `"dscp":1,"dscp-set":[2]`, "g3"), ""),
			terms + "[id=0]/conditions/ipv4/config/dscp: 1: want none beside dscp-set"},
		"everything": {classified(term("0", "ipv4", ``, "g3"), ""), "/dscp-set: none: want DSCPs"},
		"other version": {classified(term("0", "ipv6", `"dscp":1`, "g3"), ""),
			"conditions of the other version of IP"},
		"length": {classified(term("0", "ipv4", `"dscp":1,"length":5`, "g3"), ""),
			"/length: 5: want none"},
		"hop limit": {classified(term("0", "ipv4", `"dscp":1,"hop-limit":5`, "g3"), ""),
			"/hop-limit: 5: want none"},
		"no such DSCP": {classified(term("0", "ipv4", `"dscp-set":[64]`, "g3"), ""), "64"},
		"no such group": {classified(term("0", "ipv4", `"dscp":1`, "nobody"), ""),
			terms + `[id=0]/actions/config/target-group: "nobody": want`},
		"no number": {classified(term("0", "ipv4", `"dscp":1`, "be"), ""),
			`/qos/forwarding-groups/forwarding-group[name=be]/config/output-queue: "BE": want`},
		"ninth queue of a group": {classified(term("0", "ipv4", `"dscp":1`, "g9"), ""),
			`forwarding-group[name=g9]/config/output-queue: "9": want`},
		"unicast alone": {classified(term("0", "ipv4", `"dscp":1`, "uni"), ""), "for unicast and multicast alike"},
		"no group": {classified(strings.Replace(three, `"target-group":"g3"`, ``, 1), ""),
			"/target-group: none: want a forwarding group"},
		"remark": {classified(strings.Replace(three, `"actions":{`,
			`"actions":{"remark":{"config":{"set-dscp":1}},`, 1), ""), "/actions/remark/config: a remark"},
		"of another type": {strings.Replace(classified(three, ""), `"type":"IPV6"},"terms"`, `"type":"MPLS"},"terms"`, 1),
			"/qos/classifiers/classifier[name=c6]/config/type: MPLS: want IPV4 or IPV6"},
		"bound to another": {strings.Replace(classified(three, ""), `"type":"IPV6","name":"c6"`, `"type":"IPV6","name":"c4"`,
			1), `/input/classifiers/classifier[type=IPV6]/config/name: "c4": want a classifier of type IPV6`},
		"not listed": {strings.Replace(classified(three, ""), `"type":"IPV6","name":"c6"`, `"type":"IPV6","name":"c"`, 1),
			`"c": want the name of a profile that the switch lists`},
	} {
		t.Run(name, func(t *testing.T) {
			var root oc.Root
			require.NoError(t, oc.Unmarshal([]byte(test.json), root.GetOrCreateQos()))
			have, err := qos.Decode(&root, cell)
			if err != nil {
				require.ErrorContains(t, err, test.want)
				return
			}
			var all []string
			for _, s := range have {
				all = append(all, s.String())
			}
			require.Equal(t, test.want, strings.Join(all, "; "))

			again, err := qos.Encode(have, cell)
			require.NoError(t, err)
			back, err := qos.Decode(again, cell)
			require.NoError(t, err)
			require.Equal(t, have, back)
		})
	}
}
