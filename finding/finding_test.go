package finding_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/finding"
)

// found is a finding of the only code about an object.
func found(object string) finding.Finding {
	return codes.New("pool-over-chip", finding.Place{File: "f.json", Line: 3}, object, "too large")
}

// A key has what a finding is about and the values that were compared, and neither the line nor what was measured.
func TestKey(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*finding.Finding)
		same   bool
	}{
		"line":     {func(f *finding.Finding) { f.Line = 9 }, true},
		"message":  {func(f *finding.Finding) { f.Message = "other words" }, true},
		"evidence": {func(f *finding.Finding) { f.Evidence = []finding.Number{{Name: "drops", Value: 1}} }, true},
		"bytes":    {func(f *finding.Finding) { f.Bytes = map[string]int64{"size": 4} }, false},
		"values":   {func(f *finding.Finding) { f.Values = "3 and 4" }, false},
		"object":   {func(f *finding.Finding) { f.Object = "q" }, false},
		"folder":   {func(f *finding.Finding) { f.Folder = "d" }, false},
		"topology": {func(f *finding.Finding) { f.Topology = "t0" }, false},
	} {
		one, other := found("p"), found("p")
		c.change(&other)
		require.Equal(t, c.same, one.Key() == other.Key(), name)
	}
}

// A place is a file, its line, the line of the template that printed it, and a folder that the file is not in.
func TestPlace(t *testing.T) {
	f := finding.Finding{File: "a/buffers.json"}
	require.Equal(t, "a/buffers.json", f.Place())
	f.Line = 4
	require.Equal(t, "a/buffers.json:4", f.Place())
	f.Template, f.TemplateLine = "a/buffers.json.j2", 2
	f.Folder = "a"
	require.Equal(t, "a/buffers.json:4 (a/buffers.json.j2:2)", f.Place())
	f.Folder = "b"
	require.Equal(t, "a/buffers.json:4 (a/buffers.json.j2:2) of b", f.Place())
}

// Numbers are printed with their units, and hundredths of a percent as percent.
func TestNumbers(t *testing.T) {
	numbers := []finding.Number{{Name: "drops", Value: 12, Unit: "frames"}, {Name: "use", Value: 4520, Unit: "bp"}}
	require.Equal(t, "drops 12 frames, use 45.20%", finding.Texts(numbers))
	f := finding.Finding{Bytes: map[string]int64{"xoff": 2, "size": 1}}
	require.Equal(t, "size 1, xoff 2", f.Numbers())
	f.Certain, f.Message = true, "a"
	f.Suspect("b")
	require.Equal(t, finding.Finding{Message: "a; b", Bytes: f.Bytes}, f)
}

// Findings are sorted by file, topology and line.
func TestSort(t *testing.T) {
	all := []finding.Finding{{File: "b"}, {File: "a", Line: 2}, {File: "a", Line: 1, Code: "y"},
		{File: "a", Line: 1, Code: "x", Topology: "t1"}, {File: "a", Line: 1, Code: "x"}}
	finding.Sort(all)
	require.Equal(t, []finding.Finding{{File: "a", Line: 1, Code: "x"}, {File: "a", Line: 1, Code: "y"},
		{File: "a", Line: 2}, {File: "a", Line: 1, Code: "x", Topology: "t1"}, {File: "b"}}, all)
}

// A level counts the severities above it; certain counts no notes.
func TestLevels(t *testing.T) {
	warning, note := finding.Finding{Severity: finding.Warning}, finding.Finding{Severity: finding.Note, Certain: true}
	for level, want := range map[finding.Level][2]bool{"error": {}, "warning": {true, false}, "note": {true, true},
		"certain": {}, "never": {}} {
		require.NoError(t, level.Validate())
		require.Equal(t, want, [2]bool{level.Fails([]finding.Finding{warning}), level.Fails([]finding.Finding{note})}, level)
	}
	warning.Certain = true
	require.True(t, finding.Level("certain").Fails([]finding.Finding{warning}))
	require.EqualError(t, finding.Level("all").Validate(), `"all" (want error, warning, note, certain, never)`)
}

// What is new since an older set is counted by keys: a finding that is there twice was there once.
func TestSince(t *testing.T) {
	p, q, r := found("p"), found("q"), found("r")
	fresh, were, mended := finding.Since([]finding.Finding{p, p, q}, []finding.Finding{p, r, r})
	require.Equal(t, []finding.Finding{r, r}, fresh)
	require.Equal(t, [2]int{2, 1}, [2]int{were, mended})
}

// A baseline that was written is read; other files are refused with the reason.
func TestBaselineFiles(t *testing.T) {
	p := found("p")
	p.Bytes, p.Values = map[string]int64{"size": 4}, "3 and 4"
	text, err := json.Marshal(finding.NewBaseline([]finding.Finding{p, p}))
	require.NoError(t, err)
	b, err := finding.ReadBaseline(text, codes)
	require.NoError(t, err)
	require.Len(t, b.Accepted, 1)
	fresh, accepted, gone := b.New([]finding.Finding{p, p})
	require.Empty(t, fresh)
	require.Equal(t, [2]int{2, 0}, [2]int{accepted, gone})
	_, _, gone = b.New(nil)
	require.Equal(t, 1, gone)
	for text, want := range map[string]string{
		`{`:                 "want what --write-baseline writes",
		`{"schema": "x"}`:   `schema "x": want cellwarden.audit-baseline/v1`,
		string(text) + `{}`: "text after the document",
		`{"more": 1}`:       "unknown field",
		`{"schema": "cellwarden.audit-baseline/v1", "accepted": [{"code": "x"}]}`: "accepted[0].code: \"x\": want " +
			"a code of audit --explain all",
	} {
		_, err := finding.ReadBaseline([]byte(text), codes)
		require.ErrorContains(t, err, want, text)
	}
}

// A code is explained by itself, and all are; a text that is no code is refused.
func TestExplain(t *testing.T) {
	r := finding.NewRegistry("link", "pool-over-chip\n\n"+mtu, codes)
	require.Equal(t, codes.All(), r.All()[:1])
	text, err := r.Explain("mtu")
	require.NoError(t, err)
	require.Equal(t, "mtu (error or warning, not certain)\n  when:   Longer frames.\n  effect: Frames are dropped.\n"+
		"  repair: set one length\n  shown:  run\n  shown:  other.yaml\n  not shown: often\n"+
		"  it was: sonic-buildimage abc (2026-01-01), mend: a length\n          it\n", text)
	all, err := r.Explain("all")
	require.NoError(t, err)
	require.Contains(t, all, "make it smaller\n\nmtu (")
	_, err = r.Explain("x")
	require.EqualError(t, err, `"x" (want all, mtu, pool-over-chip)`)
	require.PanicsWithValue(t, "finding: link has no such code: x", func() { r.New("x", finding.Place{}, "", "") })
}

// mtu is a code with each field.
const mtu = `# Lengths

mtu error or warning
  rule: Longer
    frames.
  effect: Frames are dropped.
  repair: set one length
  shown: run, other.yaml
  not shown: often
  mistake: abc 2026-01-01 mend: a
    length
  found: it
`

// The text of the codes is read in full, with line ends of either kind, and a wrong one is named.
func TestMeanings(t *testing.T) {
	want := []finding.Meaning{{Code: "mtu", Severity: finding.Error, Milder: finding.Warning, Rule: "Longer frames.",
		Effect: "Frames are dropped.", Repair: "set one length", Shown: []string{"run", "other.yaml"}, NotShown: "often",
		Mistakes: []finding.Mistake{{Commit: "abc", Date: "2026-01-01", Subject: "mend: a length", Found: "it"}}}}
	for _, text := range []string{mtu, strings.ReplaceAll(mtu, "\n", "\r\n"), strings.TrimSuffix(mtu, "\n")} {
		require.Equal(t, want, finding.NewRegistry("link", text).All())
	}
	require.True(t, finding.NewRegistry("link", "mtu note certain\n").About("mtu").Certain)
	for text, want := range map[string]string{
		mtu + "\n" + mtu:                 "two meanings of one code: mtu",
		"pool-over-chip\n":               "or a code of another registry",
		"mtu eror\n":                     "want CODE SEVERITY",
		"mtu error or eror\n":            "want CODE SEVERITY",
		"mtu error and more\n":           "want CODE SEVERITY",
		"certain\n":                      "want CODE SEVERITY",
		"  rule: a\n":                    "is of no code",
		"mtu note\n    more\n":           "continues no text",
		"mtu note\n  rules: a\n":         `"rules: a" of mtu: want rule`,
		"mtu note\n  found: a\n":         `"found: a" of mtu: want rule`,
		"mtu note\n  rule\n":             `"rule" of mtu`,
		"mtu note\n  mistake: a b\n":     "want mistake: COMMIT DATE SUBJECT",
		"mtu note\n  rule: a\n  rule: b": "each once",
	} {
		func() {
			defer func() { require.Contains(t, recover(), want, text) }()
			finding.NewRegistry("link", text).All()
		}()
	}
}

// SARIF has a rule for each code that was found, and the template's place where it is known.
func TestSARIF(t *testing.T) {
	p, q := found("p"), found("q")
	q.Template, q.TemplateLine = "f.j2", 7
	var out bytes.Buffer
	require.NoError(t, finding.WriteSARIF(&out, "v1", codes, []finding.Finding{p, q}))
	var log struct {
		Version string
		Runs    []struct {
			Tool struct {
				Driver struct{ Rules []struct{ ID string } }
			}
			Results []struct {
				RuleIndex int
				Locations []struct {
					PhysicalLocation struct {
						ArtifactLocation struct{ URI string }
						Region           struct{ StartLine int }
					}
				}
			}
		}
	}
	require.NoError(t, json.Unmarshal(out.Bytes(), &log))
	require.Equal(t, "2.1.0", log.Version)
	require.Len(t, log.Runs[0].Tool.Driver.Rules, 1)
	at := log.Runs[0].Results[1].Locations[0].PhysicalLocation
	require.Equal(t, "f.j2", at.ArtifactLocation.URI)
	require.Equal(t, 7, at.Region.StartLine)
}

// JUnit's XML has a failure for a finding, a test that was skipped for a note, and one test where nothing was found.
func TestJUnit(t *testing.T) {
	p, q := found("p"), found("q")
	q.Severity = finding.Note
	type suites struct {
		Tests    int `xml:"tests,attr"`
		Failures int `xml:"failures,attr"`
		Suites   []struct {
			Cases []struct {
				Name    string    `xml:"name,attr"`
				Skipped *struct{} `xml:"skipped"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	read := func(all ...finding.Finding) (out suites) {
		var text bytes.Buffer
		require.NoError(t, finding.WriteJUnit(&text, "audit", "1 configuration", all))
		require.NoError(t, xml.Unmarshal(text.Bytes(), &out))
		return out
	}
	two := read(p, q)
	require.Equal(t, [2]int{2, 1}, [2]int{two.Tests, two.Failures})
	require.NotNil(t, two.Suites[0].Cases[1].Skipped)
	none := read()
	require.Equal(t, [2]int{1, 0}, [2]int{none.Tests, none.Failures})
	require.Equal(t, "1 configuration", none.Suites[0].Cases[0].Name)
}

// FuzzBaseline reads any text as a baseline. What it accepts is written and read again, and accepts what it lists.
func FuzzBaseline(f *testing.F) {
	p := found("p")
	p.Bytes = map[string]int64{"size": 4}
	text, err := json.Marshal(finding.NewBaseline([]finding.Finding{p}))
	require.NoError(f, err)
	for _, seed := range []string{string(text), `{}`, `[`, `{"schema": "cellwarden.audit-baseline/v1", "accepted": null}`,
		`{"schema": "cellwarden.audit-baseline/v1", "accepted": [{}]}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		b, err := finding.ReadBaseline(data, codes)
		if err != nil {
			return
		}
		out, err := json.Marshal(b)
		require.NoError(t, err)
		again, err := finding.ReadBaseline(out, codes)
		require.NoError(t, err)
		require.Len(t, again.Accepted, len(b.Accepted))
		_, accepted, gone := b.New(nil)
		require.Zero(t, accepted)
		require.LessOrEqual(t, gone, len(b.Accepted))
	})
}

// The URI of a result leads to its file, also from a folder with an odd name.
func TestReferencesLeadToFiles(t *testing.T) {
	for _, file := range []string{"device/a/config_db.json", "dir %41 #x?y & <b>/f", "a:b/c",
		"\"q\"\\w/\x1b\u00e9", "../x"} {
		f := found("p")
		f.File = file
		var out strings.Builder
		require.NoError(t, finding.WriteSARIF(&out, "v1", codes, []finding.Finding{f}))
		var doc struct {
			Runs []struct {
				Results []struct {
					Locations []struct {
						PhysicalLocation struct {
							ArtifactLocation struct{ URI string }
						}
					}
				}
			}
		}
		require.NoError(t, json.Unmarshal([]byte(out.String()), &doc))
		u, err := url.Parse(doc.Runs[0].Results[0].Locations[0].PhysicalLocation.ArtifactLocation.URI)
		require.NoError(t, err)
		require.Empty(t, u.Scheme+u.Host+u.RawQuery+u.Fragment)
		require.Equal(t, file, strings.TrimPrefix(u.Path, "./"))
	}
}
