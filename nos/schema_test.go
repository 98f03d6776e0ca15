package nos_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// shape is what a document may be: a pattern for texts, "#" for numbers, "?" for booleans, "0" for an empty leaf, a
// list of one shape, or keys, of which "*" stands for others. A key that begins with + must be there.
type shape any

type keys map[string]shape

// schemas are the published models in our words, as far as they are written: sonic-buffer-pool, -profile, -pg, -queue,
// sonic-wred-profile, sonic-port-qos-map, sonic-queue and sonic-cable-length; srl_nokia-qos 25.3.1;
// junos-qfx-conf-class-of-service 24.4R1; arista-qos-augments.
var schemas = map[string]shape{
	"sonic": keys{
		"+BUFFER_POOL": keys{"*": keys{"+type": `^(ingress|egress|both)$`, "+mode": `^(static|dynamic)$`, "+size": bytesText,
			"xoff": bytesText}},
		"+BUFFER_PROFILE": keys{`^[\w-]+$`: keys{"+pool": `^(in|e)gress_lossless_pool$`, "+size": bytesText,
			"dynamic_th": `^(-[1-8]|[0-7])$`, "static_th": bytesText,
			"xon": bytesText, "xoff": bytesText, "xon_offset": bytesText}},
		"+BUFFER_PG":    keys{pgRange: keys{"+profile": `^\w[\w-]*$`}},
		"BUFFER_QUEUE":  keys{pgRange: keys{"+profile": `^\w[\w-]*$`}},
		"+CABLE_LENGTH": keys{"AZURE": keys{sonicPort: `^[0-9]+m$`}},
		"+PORT_QOS_MAP": keys{sonicPort: keys{"+pfc_enable": `^([0-7](,[0-7])*)?$`, "tc_to_pg_map": `^\w+$`,
			"dscp_to_tc_map": `^\w+$`}},
		"DSCP_TO_TC_MAP":           keys{`^[a-zA-Z0-9][-a-zA-Z0-9_]{0,31}$`: keys{`^(6[0-3]|[1-5][0-9]?|[0-9])$`: `^[0-7]$`}},
		"SCHEDULER":                keys{`^\w+$`: keys{"+type": `^(DWRR|WRR|STRICT)$`, "weight": `^(100|[1-9][0-9]?)$`}},
		"TC_TO_PRIORITY_GROUP_MAP": keys{"*": keys{`^[0-7]$`: `^[0-7]$`}},
		"QUEUE":                    keys{pgRange: keys{"wred_profile": `^\w+$`, "scheduler": `^\w+$`}},
		"WRED_PROFILE": keys{`^[a-zA-Z0-9][-a-zA-Z0-9_]{0,31}$`: keys{"+ecn": `^ecn_all$`,
			`^(green|yellow|red)_(min|max)_threshold$`: bytesText, `^wred_(green|yellow|red)_enable$`: `^(true|false)$`,
			`^(green|yellow|red)_drop_probability$`: `^(100|[0-9]{1,2})$`}},
	},
	"srlinux": keys{"+srl_nokia-qos:qos": keys{
		"+queues": keys{"pfc-queue": []shape{keys{"+pfc-queue-name": `^pfc[0-7]$`, "queue-index": "#"}}},
		"+pfc-mapping-profile": []shape{keys{"+name": `^\S{1,255}$`, "+received-traffic": keys{"+unicast-mapping": keys{
			"+pfc-queue": []shape{keys{"+pfc-queue-name": `^pfc[0-7]$`, "+dot1p": []shape{"#"},
				"+pfc-pause-frame-priority": "#"}}}}}},
		"+buffer-management": keys{"buffer-allocation-profile": []shape{keys{"+name": `^\S{1,255}$`,
			"queues": keys{"pfc-queue": []shape{keys{"+pfc-queue-name": `^\S+$`, "maximum-pfc-reserved-share-bytes": "#"}}}}}},
		"+interfaces": keys{"interface": []shape{keys{"+interface-id": `^ethernet-\d+/\d+$`,
			"input": keys{"pfc-buffer-allocation-profile": `^\S+$`}, "+pfc": keys{"+pfc-enable": "?",
				"+pfc-mapping-profile": `^\S+$`}}}},
	}},
	"junos": keys{"+junos-qfx-conf-root:configuration": keys{"+junos-qfx-conf-class-of-service:class-of-service": keys{
		"congestion-notification-profile": []shape{keys{"+name": `^\S+$`,
			"input": keys{"cable-length": bytesText,
				"ieee-802.1": keys{"code-point": []shape{keys{"+name": `^[01]{3}$`, "+pfc": "0", "mru": bytesText, "xon": "#"}}},
				"dscp":       keys{"code-point": []shape{keys{"+name": `^[01]{6}$`, "+pfc": "0", "mru": bytesText, "xon": "#"}}}},
			"output": keys{"ieee-802.1": keys{"code-point": []shape{keys{"+name": `^[01]{3}$`,
				"flow-control-queue": []shape{"#"}}}}}}},
		"interfaces": keys{"interface": []shape{keys{"+name": `^[a-z]{2}-\d+/\d+/\d+$`,
			"congestion-notification-profile": `^\S+$`,
			"unit": []shape{keys{"+name": `^\*$`,
				"classifiers": keys{"dscp": []shape{keys{"+name": `^\S+$`}},
					"ieee-802.1": []shape{keys{"+name": `^\S+$`}}}}}}}},
		"forwarding-classes": keys{"class": []shape{keys{"+name": `^\S{1,64}$`, "+queue-num": "#", "no-loss": "0",
			"pfc-priority": "#"}}},
		"classifiers": keys{"dscp": classifiers(6), "ieee-802.1": classifiers(3)},
	}}},
	"eos": keys{"+openconfig-qos:qos": keys{"interfaces": keys{"interface": []shape{keys{"+interface-id": `^Ethernet\S+$`,
		"+config": keys{"+interface-id": `^Ethernet\S+$`},
		"output":  keys{"arista-qos-augments:pfc": keys{"config": keys{"priorities-no-drop": `^[0-9a-f]{1,2}$`}}}}}}}},
}

// classifiers are the classifiers of code points of some bits.
func classifiers(bits int) shape {
	return []shape{keys{"+name": `^\S{1,64}$`, "+import": "^default$", "forwarding-class": []shape{
		keys{"+name": `^\S{1,64}$`, "loss-priority": []shape{keys{"+name": "^low$",
			"code-points": []shape{fmt.Sprintf(`^[01]{%d}$`, bits)}}}}}}}
}

// conforms checks a document against a shape.
func conforms(s shape, v any, path string) error {
	switch s := s.(type) {
	case keys:
		return s.conforms(v, path)
	case []shape:
		items, ok := v.([]any)
		if !ok {
			return fmt.Errorf("%s: %v: want a list", path, v)
		}
		for i, item := range items {
			if err := conforms(s[0], item, fmt.Sprintf("%s[%d]", path, i)); err != nil {
				return err
			}
		}
		return nil
	}
	ok := false
	switch text, isText := v.(string); s {
	case "#":
		_, ok = v.(float64)
	case "?":
		_, ok = v.(bool)
	case "0":
		list, isList := v.([]any)
		ok = isList && len(list) == 1 && list[0] == nil
	default:
		ok = isText && regexp.MustCompile(s.(string)).MatchString(text)
	}
	if !ok {
		return fmt.Errorf("%s: %v: want %v", path, v, s)
	}
	return nil
}

// find returns the shape of a key: by name, by pattern, or of all others.
func (k keys) find(name string) (shape, bool) {
	for _, plain := range []string{name, "+" + name} {
		if s, ok := k[plain]; ok {
			return s, true
		}
	}
	for pattern, s := range k {
		if strings.HasPrefix(pattern, "^") && regexp.MustCompile(pattern).MatchString(name) {
			return s, true
		}
	}
	s, ok := k["*"]
	return s, ok
}

// The schemas refuse what is wrong.
func TestSchemasCanFail(t *testing.T) {
	for _, r := range renderers {
		if schemas[r.name] == nil { // commands have none
			continue
		}
		text := string(r.render(planned(t, intent(r.ports...))).Files[0].Content)
		for old, bad := range map[string]string{`"size": "1270"`: `"size": 1270`, `"dynamic_th": "-3"`: `"dynamic_th": "-9"`,
			`"pfc-enable": true`: `"pfc-enable": "yes"`,
			`"011"`:              `"3"`, `"18"`: `"3,4"`, r.ports[0]: "eth0", `"interface": [`: `"interfaces": [`} {
			if strings.Contains(text, old) {
				require.Error(t, conforms(schemas[r.name], document(t, []byte(strings.ReplaceAll(text, old, bad))), ""), "%s: %s",
					r.name, bad)
			}
		}
	}
}

var (
	bytesText = `^[0-9]+$`
	sonicPort = `^Ethernet[0-9]+$`
	pgRange   = `^Ethernet[0-9]+\|[0-7](-[0-7])?$`
)

func (k keys) conforms(v any, path string) error {
	object, ok := v.(map[string]any)
	if !ok {
		return fmt.Errorf("%s: %v: want an object", path, v)
	}
	for name := range k {
		if need, must := strings.CutPrefix(name, "+"); must && object[need] == nil {
			return fmt.Errorf("%s: no %s", path, need)
		}
	}
	for name, inner := range object {
		s, found := k.find(name)
		if !found {
			return fmt.Errorf("%s: %s is not in the schema", path, name)
		}
		if err := conforms(s, inner, path+"/"+name); err != nil {
			return err
		}
	}
	return nil
}
