package web

import "github.com/danielgtaylor/huma/v2"

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
