package web_test

import (
	"context"
	"encoding/json"
	"flag"
	"net/http"
	"os"
	"path"
	"reflect"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/answers"
)

// This file describes the API, from the types of the questions and answers. The description is a file in the program:
// what makes it would cost every command the time of its start.

var rewrite = flag.Bool("rewrite", false, "write openapi.json anew")

// The file is what the types give, and has every operation.
func TestDescriptionIsOfTheTypes(t *testing.T) {
	config := huma.DefaultConfig("cellwarden", "VERSION")
	config.DocsPath, config.SchemasPath, config.CreateHooks = "", "", nil // no page of others, and documents as published
	config.Info.Description = apiText
	config.Components.Schemas = huma.NewMapRegistry("#/components/schemas/", schemaName)
	api := humago.New(http.NewServeMux(), config)
	describeAPI(api)
	text, err := json.MarshalIndent(api.OpenAPI(), "", " ")
	require.NoError(t, err)
	text = append(text, '\n')
	if *rewrite {
		require.NoError(t, os.WriteFile("openapi.json", text, 0o600))
	}
	have, err := os.ReadFile("openapi.json")
	require.NoError(t, err)
	require.Equal(t, string(text), string(have), "run go test ./internal/web -run TestDescriptionIsOfTheTypes -rewrite")
	for path := range answers.Questions {
		require.Equal(t, strings.HasPrefix(path, "/v1/"), api.OpenAPI().Paths[path] != nil, path)
	}
}

// schemaName names the schema of a type by its package too: several packages have a type of the same name.
func schemaName(t reflect.Type, hint string) string {
	name := huma.DefaultSchemaNamer(t, hint)
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	if pkg := path.Base(t.PkgPath()); pkg != "." && pkg != "web_test" && pkg != "answers" && pkg != "huma" {
		return strings.ToUpper(pkg[:1]) + pkg[1:] + name
	}
	if t.Kind() == reflect.Struct && t.Name() == "" {
		return name + fieldNames(t)
	}
	return name
}

// fieldNames tells structs without a name apart, which several documents have, under one name in their lists.
func fieldNames(t reflect.Type) string {
	var names strings.Builder
	for field := range t.Fields() {
		names.WriteString(field.Name)
	}
	return names.String()
}

const apiText = "Plans the packet buffer of lossless switches, and audits configurations. A topology is text " +
	"(YAML or JSON) or an object, with " +
	"the keys of docs/topology.md. A plan that does not fit is an answer with the status 200 and the verdict " +
	"does-not-fit; a topology that is malformed is refused with the status 422, and every complaint."

// Body is the body of an answer.
type Body[T any] struct{ Body T }

// topologyText is how the API describes a topology: docs/topology.md has the keys.
type topologyText string

// Schema describes it.
func (topologyText) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{
		Description: "a topology as text (YAML or JSON), or as an object; docs/topology.md lists the keys",
		OneOf:       []*huma.Schema{{Type: huma.TypeString, MinLength: new(1)}, {Type: huma.TypeObject}},
	}
}

// api registers the operations.
func describeAPI(api huma.API) {
	schemas := api.OpenAPI().Components.Schemas
	// A ratio is written as text: "4.10:1".
	schemas.RegisterTypeAlias(reflect.TypeFor[buffer.Ratio](), reflect.TypeFor[string]())
	schemas.RegisterTypeAlias(reflect.TypeFor[answers.Topology](), reflect.TypeFor[topologyText]())
	operation(api, "plan", "Plan a switch", "The document cellwarden.plan/v1: verdict, cells of every slice, groups, "+
		"refusals with what would make the plan fit.", answers.Plan)
	operation(api, "verify", "Simulate the worst case of every lossless group",
		"The document cellwarden.verify/v1. A plan that does not fit is refused: some of its ports have no registers.",
		answers.Verify)
	operation(api, "headroom", "Size the headroom of one link", "The document cellwarden.headroom/v1: cells and bytes, "+
		"term by term with their sources.", answers.Headroom)
	operation(api, "diff", "Compare two plans", "The document cellwarden.diff/v1: what changes in cells, refusals, and "+
		"the steps that a device needs.", answers.Diff)
	operation(api, "capacity", "How far a switch goes",
		"The document cellwarden.capacity/v1: longest cables, most ports, "+
			"largest frames, smallest pools, each with the limit that refuses the next step.", answers.Capacity)
	describeMore(api)
	huma.Register(api, huma.Operation{OperationID: "choices", Method: http.MethodGet, Path: "/v1/choices",
		Summary: "Chips, methods and examples"}, func(context.Context, *struct{}) (*Body[answers.Choices], error) {
		return nil, nil
	})
	huma.Register(api, huma.Operation{OperationID: "example", Method: http.MethodGet, Path: "/v1/examples/{name}",
		Summary: "The text of an example"}, func(context.Context, *struct {
		Name string `path:"name" maxLength:"100"`
	}) (*Body[answers.ExampleText], error) {
		return nil, nil
	})
	huma.Register(api, huma.Operation{OperationID: "health", Method: http.MethodGet, Path: "/health",
		Summary: "Whether the server answers"}, func(context.Context, *struct{}) (*Body[map[string]string], error) {
		return nil, nil
	})
	describe(api)
}

// more registers the operations that ask more of a topology than its plan, and those about configurations and links.
func describeMore(api huma.API) {
	operation(api, "burst", "How long incasts are absorbed", "The document cellwarden.burst/v1: until the ports pause, "+
		"until ECN marks, until the headroom is full. A plan that does not fit is refused: its pool is not known.",
		answers.Burst)
	operation(api, "explain", "Where the numbers of a port come from", "The document cellwarden.explain/v1: terms, "+
		"sources, lines of the topology, and what was rounded.", answers.Explain)
	operation(api, "sweep", "Plan a topology at every point of a grid", "The documents cellwarden.answer/v1, one for "+
		"each point in the order of the grid. More than 1,000 points are refused, and a grid without a point that can be "+
		"planned.", answers.Sweep)
	operation(api, "audit", "What a switch's configuration means in cells, and what is wrong with it",
		"The document cellwarden.audit/v1. The configuration is a text in the question.", answers.Audit)
	operation(api, "risk", "How likely a shared headroom pool overflows", "The document cellwarden.risk/v1: of the "+
		"switch and of each pool, and the ratio that the accepted risk allows. One behaviour is accepted: paused; pauses "+
		"and pause_time; congested and fan_in; or watermarks. Pools whose sums take too much work are refused.",
		answers.Risk)
	operation(api, "ecn", "Whether a queue marks (ECN) before its groups pause (PFC)",
		"The document cellwarden.ecn/v1: the verdict for the congestion, the largest number of congested groups and the "+
			"largest kmin; with rtt advice, "+
			"with rate and flows what DCQCN settles at. A plan that does not fit is refused: its pool is not known. Without a "+
			"topology the question says pool, cell or chip, limit and kmin; or junos.", answers.ECN)
	operation(api, "link", "Compare the two ends of links", "The document cellwarden.link/v1: differences of PFC, "+
		"credits, classes, frames, bandwidths, speed and cable, each with its consequence and repair, and what an end does "+
		"not say. The question has a and b, which are named a:PORT and b:PORT; or fabric and topologies; or lldp; or "+
		"lldp_pcap. Nothing is simulated.", answers.Link)
}

// operation describes POST /v1/NAME: a question as JSON, and its answer.
func operation[Q, A any](api huma.API, name, summary, text string, _ func(context.Context, *Q) (A, error)) {
	huma.Register(api, huma.Operation{OperationID: name, Method: http.MethodPost, Path: "/v1/" + name, Summary: summary,
		Description: text, MaxBodyBytes: 1 << 20, Errors: []int{http.StatusRequestEntityTooLarge,
			http.StatusUnprocessableEntity, http.StatusServiceUnavailable}},
		func(context.Context, *Body[Q]) (*Body[A], error) { return nil, nil })
}

// fieldTexts are the descriptions of fields that are too long for a tag: by the name of the type, then of the field.
var fieldTexts = map[string]map[string]string{
	"VerifyQuestion": {
		"frame":  "shortest of the frames that fill the headroom; by default the worst mixture of all frames",
		"delays": "delays of both ends; by default both-ends",
	},
	"HeadroomQuestion": {
		"headroom":     "the key headroom of a topology: the method with its options; by default that of IEEE 802.1Qbb",
		"lossless_mtu": "longest frame of the lossless class; by default the port's",
	},
	"BurstQuestion": {
		"incast": "numbers of senders; by default 2, 4, 8, 16, 32 and all ports of an entry",
	},
	"ExplainQuestion": {
		"items": "numbers to explain: headroom, xon, alpha, reserved, credits, shared, slice; by default all",
	},
	"SweepQuestion": {
		"vary": "keys and their values, KEY=VALUES: at most 1,000 points",
	},
	"SweepAnswers": {
		"answers": "the plan of each point in short; a point that cannot be planned has an error",
	},
	"AuditQuestion": {
		"configuration": "text of the configuration: CONFIG_DB of SONiC, agent.conf of FBOSS, NX-OS, EOS, Junos; or a " +
			"headroom table",
		"headroom_table": "text of the switch's headroom table (pg_profile_lookup.ini)",
		"peer":           "text of the configuration at the other end of links: both ends are compared",
		"chip":           "name of a chip of the catalogue; by default known by the configuration",
		"cable":          "length of the cables that the configuration does not give",
	},
	"RiskQuestion": {
		"congested":  "part of the time for which each egress port is congested",
		"watermarks": "text of CSV with the columns port, group and cells: measured headroom watermarks",
		"trials":     "also estimate the risk of paused, or of pauses, from this number of random trials",
	},
	"ECNQuestion": {
		"set": "with topology: changes, PATH=VALUE with a path as in the topology",
		"groups": "all congested groups; by default all lossless groups of the slice that pauses first, and 1 without " +
			"a topology",
		"rtt":         "round-trip time of the senders, for advice on kmin, kmax and pmax",
		"rate":        "speed of the bottleneck; with rtt by default of the fastest port of the class",
		"slices":      "without topology: slices that the pool is divided into; by default those of chip, or 1",
		"chip":        "without topology: name of a chip of the catalogue, whose cell and slices are used",
		"alpha":       "without topology: factor of the dynamic threshold; by default 1",
		"static":      "without topology: static limit of each group, in place of an alpha",
		"reserved":    "without topology: reserved part (PG-min) of each group; by default 0B",
		"kmin":        "without topology: depth above which the queue marks, or a fill level in percent of queue_limit",
		"kmax":        "without topology: depth above which everything is marked, or a fill level",
		"queue_limit": "without topology: limit of the queue, for a fill level",
		"junos":       "without topology: switch with Junos's default partitions, and changes of them",
	},
	"LinkEnd": {
		"port": "of the topology; with lldp by default all of them",
	},
	"LinkQuestion": {
		"fabric": "text of a list of at most 4,096 cables, CSV with a first line a,b: NAME:PORT,NAME:PORT, with names " +
			"of topologies",
		"topologies": "with fabric: the topologies, by the names of the list",
		"lldp": "texts of lldpcli -f json show neighbors details: one with a, what its ports hear; or two, of the " +
			"machines at both ends",
		"lldp_pcap": "capture of LLDP (pcap, pcapng) in base64: of two ports, or of the port that a hears",
	},
}

// describe puts fieldTexts into the description of the API.
func describe(api huma.API) {
	schemas := api.OpenAPI().Components.Schemas.Map()
	for name, fields := range fieldTexts {
		for field, text := range fields {
			schemas[name].Properties[field].Description = text
		}
	}
}
