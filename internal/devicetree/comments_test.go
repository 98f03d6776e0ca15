package devicetree_test

import (
	"errors"
	"maps"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/internal/devicetree"
	"github.com/cellwarden/cellwarden/unit"
)

// TestComments: what a comment says decides where it is ambiguous, and nowhere else.
func TestComments(t *testing.T) {
	const yes, no = "{#- cellwarden: size-includes-headroom=true -#}", "{# cellwarden: size-includes-headroom=false #}"
	// Size and xoff are above the memory of a Tomahawk 5 together, and size alone is not.
	over := strings.NewReplacer("33329088", "164302948", "7827456", "17962880")
	const note, certain = "note pool-plus-xoff-over-chip", "certain pool-plus-xoff-over-chip"
	const refused = "certain comment-refused"
	th5 := strings.ReplaceAll(sku, "juniper_qfx5200-r0", "arista_7060x6_64pe_b")
	r, err := devicetree.StartRenderer(t.Context())
	if errors.Is(err, devicetree.ErrNoPython) {
		t.Skip(err)
	}
	require.NoError(t, err)
	t.Cleanup(r.Close)
	t0 := func(v devicetree.Variant) bool { return !v.Neighbours && v.Topology.Name == "t0" }
	for name, c := range map[string]struct {
		folder, text, more string
		flag               unit.Optional[bool]
		want               []string
	}{
		"none":                    {folder: th5, want: []string{note}},
		"size has xoff":           {folder: th5, text: yes},
		"two parts":               {folder: th5, text: no, want: []string{certain}},
		"in another file":         {folder: th5, more: "\n" + yes},
		"twice the same":          {folder: th5, text: yes, more: yes},
		"two that contradict":     {folder: th5, text: yes, more: no + yes, want: []string{refused, note}},
		"not understood":          {folder: th5, text: "{# cellwarden: size-includes-xoff #}", want: []string{refused, note}},
		"empty":                   {folder: th5, text: "{# cellwarden: #}", want: []string{refused, note}},
		"the flag is stronger":    {folder: th5, text: yes, flag: unit.Given(false), want: []string{certain}},
		"not so on a Tomahawk":    {folder: sku, text: yes, want: []string{refused, certain}},
		"two parts on a Tomahawk": {folder: sku, text: no, want: []string{certain}},
	} {
		t.Run(name, func(t *testing.T) {
			files := maps.Clone(smallFolder)
			for at, text := range smallFolder {
				delete(files, at)
				files[strings.Replace(at, sku, c.folder, 1)] = text
			}
			at := c.folder + "/buffers.json.j2"
			files[at] = c.text + over.Replace(files[at])
			if c.folder == sku {
				files[at] = c.text + strings.ReplaceAll(smallFolder[at], "33329088", "13329088")
			}
			files[c.folder+"/buffers_defaults_t0.j2"] = c.more
			root := t.TempDir()
			writeFolder(t, root, files)
			var found []string
			for _, one := range auditAll(t, root, devicetree.Options{Renderer: r, SizeIncludesHeadroom: c.flag, Wanted: t0}) {
				for _, f := range one.Findings {
					severity := string(f.Severity)
					if f.Certain {
						severity = "certain"
					}
					if f.Code == "comment-refused" || f.Code == "pool-plus-xoff-over-chip" {
						found = append(found, severity+" "+string(f.Code))
					}
				}
			}
			require.ElementsMatch(t, c.want, found)
		})
	}
}
