package registry_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"hash/fnv"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/audit"
	"github.com/cellwarden/cellwarden/finding"
	"github.com/cellwarden/cellwarden/nos/registry"
)

// publicFolder names a folder with clones of public repositories, each called OWNER+NAME (a bare one may be a folder
// "repo" in it): those of sources.
const publicFolder = "PUBLIC_CONFIGURATIONS"

var rewrite = flag.Bool("rewrite", false, "write what was counted into testdata/public.json; then judge what is new "+
	"there")

// sources are the public files of each system: the repository and its commit, which paths, and words of which a file
// has one. None of the files is in this repository.
var sources = []struct {
	system, repository, commit string
	paths, words               *regexp.Regexp
}{
	{"junos", "Juniper/jvd", "005ab344", regexp.MustCompile(`/(conf|set)/[^/]+\.(conf|set)$|/snips/[a-z]+/cos/[^/]+\.conf$`),
		regexp.MustCompile(`class-of-service`)},
	{"junos", "batfish/batfish", "cba18733", regexp.MustCompile(`/grammar/juniper/testconfigs/`),
		regexp.MustCompile(`class-of-service`)},
	{"fboss", "facebook/fboss", "14ec47ec", regexp.MustCompile(`^fboss/oss/(link_test|hw_test|hw_bench)_configs/.*JSON$|` +
		`^fboss/agent/configs/.*\.json$|^fboss-sim/docker/runtime/mono\.conf$`), regexp.MustCompile(`logicalID|sw`)},
	{"nxos", "batfish/batfish", "cba18733", regexp.MustCompile(`/cisco_nxos/grammar/(.*/)?(test)?configs/|/configs/nxos/`), qosOfCisco},
	{"nxos", "batfish/lab-validation", "dbe21f08", regexp.MustCompile(`^snapshots/[^/]*nxos[^/]*/configs/`), qosOfCisco},
	{"eos", "aristanetworks/avd", "3cac535c", regexp.MustCompile(`/intended/configs/[^/]+\.cfg$`), qosOfArista},
	{"eos", "batfish/batfish", "cba18733", regexp.MustCompile(`/arista/grammar/(.*/)?(test)?configs/`), qosOfArista},
	{"eos", "batfish/lab-validation", "dbe21f08", regexp.MustCompile(`^snapshots/[^/]*eos[^/]*/configs/`), qosOfArista},
}

var (
	qosOfCisco  = regexp.MustCompile(`(?m)^\s*(policy-map|class-map|service-policy|priority-flow-control|system qos|flowcontrol)`)
	qosOfArista = regexp.MustCompile(`(?m)^\s*(policy-map|class-map|service-policy|service-profile|qos |priority-flow-control|` +
		`traffic-class|random-detect|tx-queue|uc-tx-queue)`)
)

// public is what the audit says of the public files of a system.
type public struct {
	System       string
	Repositories []string
	Files, Read  int
	// Refused has how often files were refused, by the end of the message.
	Refused map[string]int
	// Statements about buffers or QoS.
	Understood, NotUnderstood int
	// Findings by code, without statements that are not understood.
	Codes []publicCode
	// Drawn are findings that a seed has drawn, and what people say of them.
	Drawn []drawn
}

// publicCode counts the findings of a code.
type publicCode struct {
	Code                             finding.Code
	Errors, Warnings, Notes, Certain int
}

// drawn is a finding that was judged.
type drawn struct {
	Where    string // repository, file and line
	Code     finding.Code
	Severity finding.Severity
	Certain  bool
	Message  string
	// Right is the judgement: "yes", "no", or "" if nobody has judged it; Why is its reason.
	Right, Why string
}

// mostDrawn is the number of findings that are judged of each system. Seed decides which.
const mostDrawn, seed = 25, 32

// TestPublicConfigurations audits public configurations and compares the counts with those that docs/audit.md has.
// Findings that are certain are right, and of the others four of five are.
func TestPublicConfigurations(t *testing.T) {
	const golden = "testdata/public.json"
	data, err := os.ReadFile(golden)
	require.NoError(t, err)
	var known []public
	require.NoError(t, json.Unmarshal(data, &known))
	for i := 0; i < len(known) && !*rewrite; i++ {
		known[i].judged(t)
	}
	folder := os.Getenv(publicFolder)
	if folder == "" {
		t.Skip("set " + publicFolder + " to a folder with clones of public repositories, each called OWNER+NAME: " +
			"Juniper+jvd, facebook+fboss, batfish+batfish, batfish+lab-validation, aristanetworks+avd")
	}
	var now []public
	for _, system := range []string{"junos", "fboss", "nxos", "eos"} {
		was := public{}
		if i := slices.IndexFunc(known, func(p public) bool { return p.System == system }); i >= 0 {
			was = known[i]
		}
		now = append(now, countPublic(t, folder, system, was.Drawn))
	}
	text, err := json.MarshalIndent(now, "", "  ")
	require.NoError(t, err)
	if *rewrite {
		require.NoError(t, os.WriteFile(golden, append(text, '\n'), 0o644))
		return
	}
	require.Equal(t, string(data), string(text)+"\n", "go test ./nos/registry -run PublicConfigurations -rewrite, and "+
		"judge")
}

// judged requires that the judgement is complete and good enough.
func (p *public) judged(t *testing.T) {
	t.Helper()
	right, uncertain := 0, 0
	for _, d := range p.Drawn {
		require.Contains(t, []string{"yes", "no"}, d.Right, "%s: %s is not judged", p.System, d.Where)
		if d.Certain {
			require.Equal(t, "yes", d.Right, "%s: a certain finding: %s %s", p.System, d.Where, d.Message)
			continue
		}
		if uncertain++; d.Right == "yes" {
			right++
		}
	}
	require.GreaterOrEqual(t, 5*right, 4*uncertain, "%s: %d of %d findings that are not certain are right", p.System,
		right,
		uncertain)
}

// countPublic audits the files of a system.
func countPublic(t *testing.T, folder, system string, judged []drawn) public {
	t.Helper()
	out := public{System: system, Refused: map[string]int{}}
	byCode := map[finding.Code]*publicCode{}
	var all []drawn
	for _, s := range sources {
		if s.system != system {
			continue
		}
		out.Repositories = append(out.Repositories, s.repository+" "+s.commit)
		clone := openClone(t, folder, s.repository, s.commit)
		for _, path := range clone.files(s.paths) {
			text := clone.read(path)
			if !s.words.Match(text) {
				continue
			}
			out.Files++
			r, err := auditPublic(system, path, text)
			if err != nil {
				message := err.Error()
				out.Refused[message[strings.LastIndex(message, "want "):]]++
				continue
			}
			out.Read++
			statements := r.Source.Reading.Statements
			out.Understood, out.NotUnderstood = out.Understood+statements.Subject, out.NotUnderstood+statements.Unread
			for _, f := range r.Findings {
				if f.Code == "statement-unread" {
					continue
				}
				c := byCode[f.Code]
				if c == nil {
					c = &publicCode{Code: f.Code}
					byCode[f.Code] = c
				}
				c.add(&f)
				all = append(all, drawn{Where: fmt.Sprintf("%s %s:%d", s.repository, path, f.Line), Code: f.Code,
					Severity: f.Severity, Certain: f.Certain, Message: f.Message})
			}
		}
	}
	for _, c := range byCode {
		out.Codes = append(out.Codes, *c)
	}
	slices.SortFunc(out.Codes, func(a, b publicCode) int { return strings.Compare(string(a.Code), string(b.Code)) })
	out.Drawn = draw(all, judged)
	return out
}

// add counts a finding.
func (c *publicCode) add(f *finding.Finding) {
	switch f.Severity {
	case finding.Error:
		c.Errors++
	case finding.Warning:
		c.Warnings++
	default:
		c.Notes++
	}
	if f.Certain {
		c.Certain++
	}
}

// draw takes findings in the order of a hash of what they are, so that a new finding changes few of the others, and
// keeps their judgements.
func draw(all, judged []drawn) []drawn {
	order := func(d drawn) uint64 {
		h := fnv.New64a()
		fmt.Fprintf(h, "%d %s %s %s", seed, d.Where, d.Code, d.Message)
		return h.Sum64()
	}
	slices.SortFunc(all, func(a, b drawn) int { return cmp.Compare(order(a), order(b)) })
	all = all[:min(mostDrawn, len(all))]
	for i := range all {
		for _, j := range judged {
			if was := j; j.Where == all[i].Where && j.Code == all[i].Code && j.Message == all[i].Message &&
				j.Certain == all[i].Certain {
				all[i].Right, all[i].Why = was.Right, was.Why
			}
		}
	}
	return all
}

// auditPublic audits a text as what it says that it is. A text of no known system is read as what it is known to be.
func auditPublic(system, path string, text []byte) (*audit.Result, error) {
	of, err := registry.Of(text)
	if err != nil || of.Name != system {
		if of, err = registry.Reader(system); err != nil {
			return nil, err
		}
	}
	reading, err := of.Read(path, text, audit.Chip{})
	if err != nil {
		return nil, err
	}
	return audit.Run(audit.Source{File: path, Reading: reading}), nil
}

// clone is a clone of a public repository.
type clone struct {
	t              *testing.T
	folder, commit string
}

// openClone finds a clone, and skips the test without it.
func openClone(t *testing.T, folder, repository, commit string) *clone {
	t.Helper()
	at := filepath.Join(folder, strings.ReplaceAll(repository, "/", "+"))
	if _, err := os.Stat(filepath.Join(at, "repo")); err == nil {
		at = filepath.Join(at, "repo")
	}
	c := &clone{t, at, commit}
	if _, err := c.git("cat-file", "-e", commit+"^{commit}"); err != nil {
		t.Skipf("%s has no commit %s: clone github.com/%s there", at, commit, repository)
	}
	return c
}

// git runs git in the clone.
func (c *clone) git(args ...string) ([]byte, error) {
	return exec.CommandContext(c.t.Context(), "git", append([]string{"-C", c.folder}, args...)...).Output()
}

// files lists the paths of the commit that match.
func (c *clone) files(paths *regexp.Regexp) (out []string) {
	list, err := c.git("ls-tree", "-r", "-z", "--name-only", c.commit)
	require.NoError(c.t, err)
	for path := range bytes.SplitSeq(list, []byte{0}) {
		if paths.Match(path) {
			out = append(out, string(path))
		}
	}
	require.NotEmpty(c.t, out, "%s has no file %v", c.folder, paths)
	return out
}

// read returns a file of the commit.
func (c *clone) read(path string) []byte {
	text, err := c.git("show", c.commit+":"+path)
	if err != nil {
		return nil // a partial clone leaves out the largest files
	}
	return text
}
