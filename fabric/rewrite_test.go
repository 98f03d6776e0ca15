package fabric

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Rules that change priorities break circles: Tagger's at the switch where frames bounce (CoNEXT 2017), and those of a
// pair of ToRs for frames that one sends to the other (SONiC's tunnel_dscp_remapping). Frames that become lossy wait
// for nothing.
func TestRewrites(t *testing.T) {
	const pair = "switches: [U, T1, A, B]\ncables: [[U, T1], [T1, A], [T1, B]]\n"
	const twice = `routes: {paths: [U T1 A T1 B, U T1 B T1 A], priority: 3}` + "\n"
	const broken = "generate: {leaf-spine: {leaves: 4, spines: 2}}\nroutes: {rule: shortest, between: [leaf*], priority: 3}\ndown: [[leaf1, spine1], [leaf4, spine2]]\n"
	for _, c := range []struct{ name, text, cycle string }{
		{"bounces in a Clos", clos + `routes: {paths: ["` + bouncing + `"], priority: 3}`, "L1>S2 S2>L3 L3>S1 S1>L1"},
		{"another tag from the bounce on", clos + `routes: {paths: ["` + bouncing + `"], priority: 3}` +
			"\nrewrites: [{at: L*, from: S*, to: S*, priority: 3, becomes: 4}]", ""},
		{"at another switch", clos + `routes: {paths: ["` + bouncing + `"], priority: 3}` +
			"\nrewrites: [{at: L4, from: S*, to: S*, priority: 3, becomes: 4}]", "L1>S2 S2>L3 L3>S1 S1>L1"},
		{"two ToRs", pair + twice, "A>T1 T1>B B>T1 T1>A"},
		{"two ToRs with remapping", pair + twice + "rewrites: [{at: [A, B], from: T1, to: T1, priority: 3, becomes: 2}]", ""},
		{"leaf-spine", broken, "leaf2>spine2 spine2>leaf3 leaf3>spine1 spine1>leaf2"},
		{"leaf-spine with tags", broken + "rewrites: [{at: leaf*, from: spine*, to: spine*, priority: 3, becomes: 4}]", ""},
		{"leaf-spine, bounces lossy", broken + "rewrites: [{at: leaf*, from: spine*, to: spine*, priority: 3, becomes: lossy}]", ""},
	} {
		d := answer(t, c.text)
		require.Equal(t, c.cycle, circle(d), c.name)
		for _, p := range d.Priorities {
			if c.cycle == "" {
				require.Equal(t, "ranks, checked independently", p.Proof, c.name)
			}
		}
	}
}

// A flood of the switch at the end of two ways makes a circle that no route has (Guo et al., SIGCOMM 2016): without it
// none.
func TestFlood(t *testing.T) {
	const text = `hosts: [S1, S2, S3, S4]
switches: [T0, T1, La, Lb]
cables: [[S1, T0], [S2, T0], [S3, T1], [S4, T1], [T0, La], [T0, Lb], [T1, La], [T1, Lb]]
routes:
- {paths: [S1 T0 La T1 S3, S4 T1 Lb T0 S2], priority: 3}
`
	require.Equal(t, noCycle, answer(t, text).Verdict)
	d := answer(t, text+"- {flood: [T1], priority: 3}\n")
	require.Equal(t, noCycle, d.Verdict)
	require.Equal(t, "ranks, checked independently", d.Priorities[0].Proof)
	d = answer(t, text+"- {flood: [T0, T1], priority: 3}\n")
	require.Equal(t, "La>T1 T1>Lb Lb>T0 T0>La", circle(d))
	var because []string
	for _, h := range d.Priorities[0].Cycle {
		because = append(because, h.From+" "+h.Because)
	}
	require.ElementsMatch(t, []string{"T0 path S1 T0 La T1 S3, line 5", "T1 path S4 T1 Lb T0 S2, line 5", "La T1 floods frames",
		"Lb T0 floods frames"}, because)
}
