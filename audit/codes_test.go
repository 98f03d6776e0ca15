package audit_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/audit"
	"github.com/cellwarden/cellwarden/finding"
	"github.com/cellwarden/cellwarden/internal/auditcode"
	"github.com/cellwarden/cellwarden/nos/sonic"
	"github.com/cellwarden/cellwarden/thresholds/table"
)

// alone makes the codes fire that need no configuration, more than one, or a text that is none.
var alone = map[finding.Code]func(*testing.T) []finding.Finding{
	"duplicate-key": func(t *testing.T) []finding.Finding {
		return document(t, `{"BUFFER_POOL": {"a": {"size": "1"}, "a": {"size": "2"}}}`)
	},
	"not-config-db": func(t *testing.T) []finding.Finding { return document(t, `{"BUFFER_POOL": {"b": 5}}`) },
	"row-unreadable": func(*testing.T) []finding.Finding {
		rows, bad := table.Scan("pg_profile_lookup.ini", strings.NewReader(lookup+"100000 40m 1248 2288 many 0 2288\n"))
		return table.Lint(rows, bad, 0)
	},
	"table-unknown": func(t *testing.T) []finding.Finding {
		s := base().source(t, "")
		s.NoTable = false
		return audit.Run(s).Findings
	},
	"peer-cable":      func(t *testing.T) []finding.Finding { return peer(t, "CABLE_LENGTH|AZURE|Ethernet8=5m") },
	"peer-priorities": func(t *testing.T) []finding.Finding { return peer(t, "PORT_QOS_MAP|Ethernet8|pfc_enable=3") },
	"peer-speed":      func(t *testing.T) []finding.Finding { return peer(t, "PORT|Ethernet8|speed=40000") },
	// What templates say is found by package internal/devicetree, and its tests make it fire.
	auditcode.RenderError:    func(*testing.T) []finding.Finding { return rendering(auditcode.RenderError) },
	auditcode.RenderNotJSON:  func(*testing.T) []finding.Finding { return rendering(auditcode.RenderNotJSON) },
	auditcode.CommentRefused: func(*testing.T) []finding.Finding { return rendering(auditcode.CommentRefused) },
}

// document audits a text.
func document(t *testing.T, text string) []finding.Finding {
	t.Helper()
	read, err := sonic.System.Read("f", []byte(text), audit.Chip{})
	require.NoError(t, err)
	return audit.Run(audit.Source{File: "f", Reading: read}).Findings
}

// peer compares the base with a switch that differs from it, at the other end of one link.
func peer(t *testing.T, edit string) []finding.Finding {
	t.Helper()
	here, there := base(), base()
	here.set(t, "DEVICE_NEIGHBOR|Ethernet0|name=leaf2", "DEVICE_NEIGHBOR|Ethernet0|port=Ethernet8")
	there.set(t, "DEVICE_METADATA|localhost|hostname=leaf2", edit)
	links, why, found := audit.Peers(audit.Run(here.source(t, lookup)), audit.Run(there.source(t, lookup)))
	require.Equal(t, 1, links)
	require.Empty(t, why)
	return found
}

func rendering(code finding.Code) []finding.Finding {
	return []finding.Finding{audit.Codes().New(code, finding.Place{File: "f"}, "qos.json.j2", "no template")}
}

// TestEveryCodeFires compares the registry with the tests: every code has a configuration in which it is found.
func TestEveryCodeFires(t *testing.T) {
	fires := map[finding.Code]bool{}
	for _, m := range mistakes { // TestFindsEachMistake finds them
		fires[m.code] = true
	}
	for code, find := range alone {
		require.False(t, fires[code], code)
		found := of(find(t), code)
		require.Len(t, found, 1, code)
		require.Equal(t, audit.Codes().About(code).Repair, found[0].Repair, code)
		fires[code] = true
	}
	for code := range ofSystems { // TestEverySystemCodeFires finds them
		require.False(t, fires[code], code)
		fires[code] = true
	}
	var codes []string
	for code := range fires {
		codes = append(codes, string(code))
	}
	slices.Sort(codes)
	require.Equal(t, audit.Codes().Codes(), codes)
}

// TestMeanings: every code says when it is found, what the switch does then, and what to do.
func TestMeanings(t *testing.T) {
	for _, m := range audit.Codes().All() {
		for _, text := range []string{m.Rule, m.Effect} {
			require.True(t, strings.HasSuffix(text, "."), "%s: %s", m.Code, text)
		}
		require.NotEmpty(t, m.Repair, m.Code)
		require.Contains(t, finding.Severities(), m.Severity)
	}
}

// TestPublicPools are pools that were published: those of Tomahawk 2 on a switch with a Tomahawk, and those of a
// Tomahawk 6 before and after a change whose reviewers asked whether they are for the worst case of all ports.
func TestPublicPools(t *testing.T) {
	for name, c := range map[string]struct {
		platform, size, xoff string
		code                 finding.Code
		severity             finding.Severity
		over                 string
	}{
		"QFX5200": {"x86_64-juniper_qfx5200-r0", "33329088", "7827456", "pool-over-chip", finding.Error, "16551808"},
		"NH-4210": {"x86_64-nexthop_4210-r0021", "258035400", "81553920", "pool-plus-xoff-over-chip", finding.Warning,
			"72392460"},
		"NH-4210 after 29565": {"x86_64-nexthop_4210-r0021", "249964680", "120825600", "pool-plus-xoff-over-chip",
			finding.Warning, "103593420"},
	} {
		d := base()
		d.set(t, "DEVICE_METADATA|localhost|platform="+c.platform, "BUFFER_POOL|ingress_lossless_pool|size="+c.size,
			"BUFFER_POOL|ingress_lossless_pool|xoff="+c.xoff)
		found := of(d.run(t, lookup), c.code)
		require.Len(t, found, 1, name)
		require.Equal(t, c.severity, found[0].Severity, name)
		require.Contains(t, found[0].Message, "by "+c.over+" bytes", name)
	}
}
