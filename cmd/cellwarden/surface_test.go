package main

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/effort"
)

// This file tests the surface of the command line: every flag of every verb, and the help.

// verbs are all commands that do something, with their subcommands.
func verbs(root *cobra.Command) (out []*cobra.Command) {
	for _, c := range root.Commands() {
		if c.Hidden || c.Name() == "completion" {
			continue
		}
		if c.Runnable() {
			out = append(out, c)
		}
		out = append(out, verbs(c)...)
	}
	return out
}

// sayMore are the flags whose sentence differs between verbs, and why the meaning is the same.
var sayMore = map[string]string{
	"allow-disruption": "resume has no default of its own: it keeps what the push was allowed to stop",
	"cable":            "a length of cable: each verb says whose, and in place of what",
	"cell":             "the size of a cell: each verb says in place of what",
	"chip":             "a name or a chip file: each verb says what it takes of the chip, and what it knows without it",
	"compare":          "every method side by side: of one link, or of a plan",
	"current":          "the configuration that a SONiC switch has: apply reads it for --to-file alone",
	"delays":           "how the delays of both ends add up: the default of a proof is the larger sum",
	"dialect":          "the language of a switch's configuration: apply writes those that it can also push",
	"dry-run":          "print and send nothing: resume prints what remains",
	"frame":            "the size of frames: each verb has its own default",
	"from":             "where something begins: a range of cable lengths, or the pauses of a fabric",
	"insecure":         "no TLS: of the side that the verb is",
	"listen":           "address and port: the default differs",
	"lldp":             "what lldpd hears: the far ends of links, or the ports of a switch",
	"native":           "native configuration of the switch: pushed by apply, compared by drift",
	"output":           "a format: findings have two more, sweep has lines, import has two",
	"phases":           "one Set for each phase: the default of resume is that of the push",
	"plot":             "a picture in a file: each verb draws its own",
	"seed":             "seed of random numbers: a scenario has its own",
	"sonic-release":    "a switch reports its release; render has none",
	"speed":            "speed of a port: init has a default",
	"strict":           "refuse what the switch would not keep: apply sends nothing, render writes nothing",
	"timeout":          "the longest time for an answer: of a switch, or of the server",
	"tls-ca":           "certificate authorities: of the side that the verb is",
	"tls-cert":         "a certificate: of the side that the verb is",
	"tls-key":          "a key: of the side that the verb is",
	"verify":           "simulate the worst case: of a plan on a page, or of what audit read",
	"write":            "what the verb makes, as a file: a chip, or a topology",
}

// One flag has one meaning: one type and one sentence, on whichever verb.
func TestOneFlagHasOneMeaning(t *testing.T) {
	types, usages := map[string]map[string]bool{}, map[string]map[string][]string{}
	for _, c := range verbs(rootCommand()) {
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if f.Name == "help" {
				return
			}
			if types[f.Name] == nil {
				types[f.Name], usages[f.Name] = map[string]bool{}, map[string][]string{}
			}
			types[f.Name][f.Value.Type()+" -"+f.Shorthand] = true
			usages[f.Name][f.Usage] = append(usages[f.Name][f.Usage], c.CommandPath())
		})
	}
	for _, name := range slices.Sorted(maps.Keys(usages)) {
		require.Len(t, types[name], 1, "--%s has several types", name)
		if reason, listed := sayMore[name]; listed {
			require.Greater(t, len(usages[name]), 1, "--%s has one sentence: it needs no reason", name)
			require.NotEmpty(t, reason, name)
			continue
		}
		require.Len(t, usages[name], 1, "--%s says %v", name, usages[name])
	}
}

// example are arguments with which each verb runs. $ stands for the folder of the examples.
var example = map[string][]string{
	"plan":      {"$/arista-7060cx-32s.yaml"},
	"capacity":  {"$/arista-7060cx-32s.yaml", "--only", "cable"},
	"diff":      {"$/arista-7060cx-32s.yaml", "--set", "ports[0].cable=5m"},
	"init":      {"--chip", "tomahawk"},
	"sweep":     {"$/arista-7060cx-32s.yaml", "--vary", "cable=5m,300m"},
	"calibrate": {"$/measured/arista-7260cx3.yaml"},
	"probe":     {"$/probe-tomahawk.yaml"},
	"identify":  {"$/probe-tomahawk.yaml", "--practise", "7"},
	"risk":      {"$/arista-7060cx-32s.yaml", "--paused", "1%"},
	"sim":       {"$/scenarios/incast-absorbed.yaml"},
	"verify":    {"$/leaf-400g.yaml"},
	"apply":     {"$/arista-7060cx-32s.yaml", "--dry-run", "--profile", "arista"},
	"drift":     {"$/arista-7060cx-32s.yaml", "--target", "127.0.0.1:1", "--timeout", "1ms"},
	"render":    {"$/arista-7060cx-32s.yaml", "--dialect", "eos"},
	"target":    {"--chip", "tomahawk", "--listen", "127.0.0.1:0"},
	"audit":     {"$/arista-7060cx-32s.ini"},
	"import":    {"$/arista-7060cx-32s.yaml"},
	"watch":     {"$/arista-7060cx-32s.yaml", "--counters", "$/counters/arista-show.txt"},
	"ecn":       {"--pool", "10875072B", "--slices", "4", "--cell", "208B", "--kmin", "250000B"},
	"headroom":  {"--speed", "100G", "--cable", "300m", "--chip", "tomahawk"},
	"link":      {"$/leaf-400g.yaml:Ethernet1", "$/leaf-400g.yaml:Ethernet2"},
	"show":      {"tomahawk"},
	"explain":   {"$/arista-7060cx-32s.yaml", "Ethernet1/5"},
	"serve":     {"--listen", "127.0.0.1:0"},
}

// anyText are flags whose value is any text, or one that only a switch refuses.
var anyText = []string{"measured-by", "name", "metrics", "username", "tls-server-name", "prefix-target",
	"election-role"}

// raw are texts of Go and of the libraries, which no message has.
var raw = regexp.MustCompile(`strconv|invalid argument|invalid syntax|parsing "|time: (invalid|missing|unknown)|` +
	`pflag|flag needs|unknown flag|flag\(s\)|(^|[^.])json: `)

// wanted is what every refusal of a value has. The catalogue and alpha have texts of their own.
var wanted = regexp.MustCompile(`\(want |the catalogue has |it must be |: want a `)

// typed are the types of flags that the library converts.
var typed = []string{"bool", "int", "int64", "uint64", "float64", "duration", "intSlice"}

// shouted are words in capitals that are no abbreviation of the field.
var shouted = regexp.MustCompile(`\b(FILE|FOLDER|NAME|PATH|HOST|ADDRESS|DUMP|TOPOLOGY|JOURNAL|VALUE|KEY|LIMIT|HIGH|` +
	`LOW|PASSWORD|ROLE)\b`)

// A wrong value of any flag of any verb is refused with the flag, the value and what is wanted.
func TestEveryFlagSaysWhatItWants(t *testing.T) {
	effort.Alone(t)
	examples, err := filepath.Abs(filepath.Join("..", "..", "examples"))
	require.NoError(t, err)
	const wrong = "wrong value!"
	for _, c := range verbs(rootCommand()) {
		c.InheritedFlags() // adds those of the root to the flags
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if f.Name == "help" || slices.Contains(anyText, f.Name) {
				return
			}
			t.Run(c.Name()+" --"+f.Name, func(t *testing.T) {
				t.Chdir(t.TempDir())
				ctx, stop := context.WithTimeout(t.Context(), time.Second)
				defer stop()
				args := strings.Fields(strings.TrimPrefix(c.CommandPath(), "cellwarden "))
				for _, a := range example[c.Name()] {
					args = append(args, strings.Replace(a, "$", examples, 1))
				}
				var out, bad bytes.Buffer
				code := run(ctx, append(args, "--"+f.Name+"="+wrong), strings.NewReader(""), &out, &bad)
				if code == cli.ExitFine {
					return // any text is a value, as the name of a file is
				}
				text := bad.String()
				require.NotRegexp(t, raw, text)
				require.NotRegexp(t, shouted, text)
				// What was refused because of the value repeats it and says what is wanted.
				if strings.Contains(text, wrong) && !strings.Contains(text, "no such file") {
					require.Regexp(t, wanted, text)
				}
				if slices.Contains(typed, f.Value.Type()) {
					require.Equal(t, cli.ExitUsage, code)
					require.Contains(t, text, "--"+f.Name+`: "`+wrong+`" (want `)
				}
			})
		})
	}
}

// What is wrong with the flags and arguments themselves is said in the same way, whatever library finds it.
func TestUsageSaysWhatIsWanted(t *testing.T) {
	leaf := filepath.Join("..", "..", "examples", "leaf-400g.yaml")
	for text, args := range map[string][]string{
		`"plam" is no command of cellwarden (want plan; cellwarden --help lists all)`:           {"plam"},
		`"nothing" is no command of cellwarden (want those of cellwarden --help)`:               {"nothing"},
		`"lost" is no command of cellwarden asic (want list; cellwarden asic --help lists all)`: {"asic", "lost"},
		`"nothing" is no command and no topic (want one of cellwarden --help)`:                  {"help", "nothing"},
		"--colour is no flag of plan (want those of cellwarden plan --help)":                    {"plan", "--colour", leaf},
		"-x is no flag of plan (want those of cellwarden plan --help)":                          {"plan", "-x", leaf},
		"--jobs: no value (want a whole number)":                                                {"plan", leaf, "--jobs"},
		"-o: no value (want --output and its value: output format: ":                            {"plan", leaf, "-o"},
		"--=x (want --name=value)":                        {"plan", leaf, "--=x"},
		"init: no --chip (want it: chip of the catalogue": {"init"},
		"render: no --dialect (want it: ":                 {"render", leaf},
		"--compare and --verify (want one of them)":       {"plan", leaf, "--compare", "--verify"},
		"--sim and --target (want one of them)":           {"apply", leaf, "--sim", "--target", "x"},
		"verify: no argument (want verify <topology>)":    {"verify"},
		`version: argument "x" (want no arguments)`:       {"version", "x"},
		// A flag that has another name now says which.
		"--explain is no flag of headroom any more (want --all)":           {"headroom", "--explain"},
		"--csv-table is no flag of audit any more (want --table)":          {"audit", "--csv-table", "x"},
		"--report is no flag of import any more (want -o)":                 {"import", "--report", "json"},
		"--table is no flag of import any more (want --headroom-table)":    {"import", "--table", "x.ini"},
		"(want --headroom-table for the table of a vendor)":                {"audit", "x.json", "--table", "x.ini"},
		"(want table, json; --write names the file of the topology)":       {"import", "x.json", "-o", "leaf.yaml"},
		"--target is no flag of risk any more (want --accepted-risk)":      {"risk", leaf, "--target", "1e-6"},
		"--pcap is no flag of link any more (want --lldp-pcap)":            {"link", "--pcap", "x"},
		"--password-file is no flag of target any more (want --password-l": {"target", "--password-file", "x"},
		"report is no verb any more: cellwarden plan FILE -o html":         {"report", leaf},
		`--color: "red" (want auto, always, never)`:                        {"plan", leaf, "--color", "red"},
		`--output "xml" (want table, json, csv, md, html, xlsx)`:           {"plan", leaf, "-o", "xml"},
		`--units "both": of -o table alone (want cells, bytes, us)`:        {"plan", leaf, "-o", "csv", "--units", "both"},
		`--table "x" (want verdict, changes, differences, sent, rounded, n`: {"apply", leaf, "--sim", "-o", "csv",
			"--table", "x"},
	} {
		code, out, bad := cellwarden(t, args...)
		require.Equal(t, cli.ExitUsage, code, args)
		require.Empty(t, out, args)
		require.Contains(t, bad, text)
		require.NotRegexp(t, raw, bad)
	}
}

// The help of every verb begins with the question that it answers and an example; the exit codes are listed once.
func TestHelpBeginsWithTheQuestion(t *testing.T) {
	t.Setenv("COLUMNS", "")
	all := verbs(rootCommand())
	texts, err := os.ReadFile("../../internal/cli/help.txt")
	require.NoError(t, err)
	require.Equal(t, len(all)+3, strings.Count(string(texts), "\n== "), "every command, the root, and those of cobra: help and "+
		"completion")
	for _, c := range all {
		path := strings.Fields(c.CommandPath())
		code, out, bad := cellwarden(t, append(path[1:], "--help")...)
		require.Zero(t, code, bad)
		lines := strings.Split(out, "\n")
		require.Regexp(t, `^[A-Z].*\?$`, lines[0], path)
		require.Empty(t, lines[1], path)
		require.True(t, strings.HasPrefix(lines[2], "  cellwarden "+path[1]), "%v: %s", path, lines[2])
		require.NotContains(t, out, "wrong usage or bad input", path)
		require.Contains(t, out, "Usage:\n  cellwarden "+path[1], path)
	}
	_, out, _ := cellwarden(t, "--help")
	require.Contains(t, out, "cellwarden help exit-codes")
	require.Contains(t, out, "completion")
	require.NotContains(t, out, "wrong usage or bad input")
	_, width := widest(out)
	require.LessOrEqual(t, width, 100)
	code, out, _ := cellwarden(t, "help", "exit-codes")
	require.Zero(t, code)
	for n := range 9 {
		require.Contains(t, out, fmt.Sprintf("\n  %d  ", n))
	}
}
