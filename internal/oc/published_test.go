package oc

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/openconfig/goyang/pkg/yang"
	"github.com/stretchr/testify/require"
)

// dataModules are the modules which hold data; the others hold what they import.
var dataModules = []string{"openconfig-qos", "openconfig-interfaces", "openconfig-if-ethernet"}

// TestAgainstPublishedModels compares our modules with a checkout of the published ones.
func TestAgainstPublishedModels(t *testing.T) {
	checkout := os.Getenv("OPENCONFIG_YANG")
	if checkout == "" {
		t.Skip("set OPENCONFIG_YANG to a checkout of github.com/openconfig/public to compare our modules with it")
	}
	ours := parseOurs(t, nil)
	published := yang.NewModules()
	published.AddPath(filepath.Join(checkout, "release", "models", "..."), filepath.Join(checkout, "third_party", "ietf"))
	for name := range moduleNames(ours) {
		require.NoError(t, published.Read(name))
	}
	require.Empty(t, published.Process())

	differences, compared := compareModules(ours, published)
	require.Empty(t, differences)
	t.Logf("%d nodes compared", compared)

	for name := range moduleNames(ours) {
		requirePublishedRevision(t, ours.Modules[name], published.Modules[name])
	}
}

// TestComparison changes our modules one place at a time and expects the comparison with the unchanged ones to find it,
// so that a passing TestAgainstPublishedModels means something.
func TestComparison(t *testing.T) {
	published := parseOurs(t, nil)

	same, compared := compareModules(parseOurs(t, nil), published)
	require.Empty(t, same)
	require.Equal(t, countDataNodes(), compared, "the comparison walks the nodes the generated structs have")

	tests := []struct {
		name, module, old, new string
		want                   string // what the report says
	}{
		{"leaf renamed", "openconfig-qos", "leaf queue-id {", "leaf queue-number {", "queue-number: not published"},
		{"container renamed", "openconfig-qos", "container wred {", "container red {", "red: not published"},
		{"leaf made a leaf-list", "openconfig-interfaces", "leaf mtu {", "leaf-list mtu {", "kind"},
		{"other type", "openconfig-qos", "type uint8;", "type uint16;", "type"},
		{"other type name", "openconfig-qos", "type oc-yang:counter64;", "type uint64;", "type name"},
		{"other range", "openconfig-types", "0..100", "0..99", "range"},
		{"other type of a leaf-list", "openconfig-packet-match", "leaf-list dscp-set {\n      type oc-inet:dscp;",
			"leaf-list dscp-set {\n      type uint8;", "type name"},
		{"number of an enumeration", "openconfig-qos", "value 4;", "value 5;", "enumeration"},
		{"enumeration renamed", "openconfig-qos", "enum FWD_GROUP {", "enum GROUP {", "enumeration"},
		{"identity of a scheduler", "openconfig-qos-types", "identity ONE_RATE_TWO_COLOR {", "identity ONE_RATE {",
			"identity openconfig-qos-types:ONE_RATE"},
		{"other leafref", "openconfig-qos", "../queues/queue/config/name", "../queues/queue/name", "leafref"},
		{"other identity base", "openconfig-interfaces", "base ietf-if:interface-type;", "base OTHER;", "identity base"},
		{"unknown identity", "openconfig-qos", "identity STATIC {", "identity FIXED {", "identity openconfig-qos:FIXED"},
		{"other key", "openconfig-interfaces", `key "index";`, `key "state";`, "key"},
		{"state made config", "openconfig-qos", "config false;", "config true;", "config"},
		{"other default", "openconfig-qos", `default "false";`, `default "true";`, "default"},
		{"other units", "openconfig-qos", `units "bytes";`, `units "cells";`, "units"},
		{"no longer mandatory", "openconfig-interfaces", "mandatory true;", "", "mandatory"},
		{"other namespace", "openconfig-if-ethernet", "interfaces/ethernet", "ethernet", "namespace"},
		{"other prefix", "openconfig-if-ethernet", `prefix "oc-eth";`, `prefix "eth";`, "prefix"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			changed := parseOurs(t, func(module, text string) string {
				if module != test.module {
					return text
				}
				require.Contains(t, text, test.old)
				text = strings.ReplaceAll(text, test.old, test.new)
				if strings.Contains(test.new, "OTHER") {
					text = strings.Replace(text, "grouping ", "identity OTHER;\n  grouping ", 1)
				}
				return text
			})
			differences, _ := compareModules(changed, published)
			require.Contains(t, strings.Join(differences, "\n"), test.want)
		})
	}
}

// parseOurs parses the modules in the folder yang. If change is not nil, what
// it returns is parsed in place of a module's text.
func parseOurs(t *testing.T, change func(module, text string) string) *yang.Modules {
	t.Helper()
	files, err := filepath.Glob("yang/*.yang")
	require.NoError(t, err)
	require.NotEmpty(t, files)

	modules := yang.NewModules()
	for _, file := range files {
		content, err := os.ReadFile(file)
		require.NoError(t, err)
		text := string(content)
		if change != nil {
			text = change(strings.TrimSuffix(filepath.Base(file), ".yang"), text)
		}
		require.NoError(t, modules.Parse(text, file))
	}
	require.Empty(t, modules.Process())
	return modules
}

// moduleNames returns the names of modules. The map of goyang also has each module under its name with a revision.
func moduleNames(modules *yang.Modules) map[string]bool {
	names := map[string]bool{}
	for _, module := range modules.Modules {
		names[module.Name] = true
	}
	return names
}

// countDataNodes counts the nodes of the schema which the generated structs were made with.
func countDataNodes() int {
	var count func(*yang.Entry) int
	count = func(entry *yang.Entry) int {
		nodes := 1
		for _, child := range entry.Dir {
			nodes += count(child)
		}
		return nodes
	}
	return count(SchemaTree()["Root"]) - 1 // the root itself is in no module
}

// compareModules looks each node of our modules up in the published ones. It
// returns what differs, and the number of nodes compared.
func compareModules(ours, published *yang.Modules) (differences []string, compared int) {
	for _, name := range dataModules {
		our := yang.ToEntry(ours.Modules[name])
		their := yang.ToEntry(published.Modules[name])
		found, n := compareChildren(our, their)
		differences = append(differences, found...)
		compared += n
	}
	return differences, compared
}

// compareChildren compares the nodes below two nodes.
func compareChildren(our, their *yang.Entry) (differences []string, compared int) {
	for _, name := range slices.Sorted(maps.Keys(our.Dir)) {
		ourChild, theirChild := our.Dir[name], their.Dir[name]
		compared++
		if theirChild == nil {
			differences = append(differences, ourChild.Path()+": not published")
			continue
		}
		differences = append(differences, compareNode(ourChild, theirChild)...)
		found, n := compareChildren(ourChild, theirChild)
		differences = append(differences, found...)
		compared += n
	}
	return differences, compared
}

// compareNode compares two nodes, without what is below them.
func compareNode(our, their *yang.Entry) []string {
	var differences []string
	ourFacts, theirFacts := nodeFacts(our), nodeFacts(their)
	for _, fact := range slices.Sorted(maps.Keys(ourFacts)) {
		if ourFacts[fact] != theirFacts[fact] {
			differences = append(differences, fmt.Sprintf("%s: %s is %q, published %q",
				our.Path(), fact, ourFacts[fact], theirFacts[fact]))
		}
	}
	theirIdentities := identities(their)
	for _, identity := range identities(our) {
		if !slices.Contains(theirIdentities, identity) {
			differences = append(differences, fmt.Sprintf("%s: identity %s is not published", our.Path(), identity))
		}
	}
	return differences
}

// nodeFacts returns what a node of ours must have in common with the published one, by name. Descriptions are not among
// it, nor what a newer revision may add.
func nodeFacts(entry *yang.Entry) map[string]string {
	facts := map[string]string{
		"kind":      entryKind(entry),
		"namespace": entry.Namespace().Name,
		"prefix":    entry.Prefix.Name,
		"config":    fmt.Sprint(!entry.ReadOnly()),
		"key":       entry.Key,
		"mandatory": entry.Mandatory.String(),
		"default":   strings.Join(entry.DefaultValues(), " "),
		"units":     units(entry),
	}
	if entry.ListAttr != nil {
		facts["ordered by user"] = fmt.Sprint(entry.ListAttr.OrderedByUser)
	}
	if entry.Type != nil {
		maps.Copy(facts, typeFacts(entry.Type))
	}
	return facts
}

// entryKind says what an entry is. goyang's own kind does not tell a list from a container.
func entryKind(entry *yang.Entry) string {
	switch {
	case entry.IsList():
		return "list"
	case entry.IsLeafList():
		return "leaf-list"
	default:
		return entry.Kind.String() + " " + entry.Node.Kind()
	}
}

// units returns the units of a leaf. goyang keeps them in the statement only.
func units(entry *yang.Entry) string {
	leaf, ok := entry.Node.(*yang.Leaf)
	if !ok || leaf.Units == nil {
		return ""
	}
	return leaf.Units.Name
}

// prefixes matches the prefixes of names in a path. They are local to a file.
var prefixes = regexp.MustCompile(`[\w.-]+:`)

// typeFacts returns what a leaf's type must have in common with the published one.
func typeFacts(typ *yang.YangType) map[string]string {
	facts := map[string]string{
		"type":      typ.Kind.String(),
		"type name": prefixes.ReplaceAllString(typ.Name, ""),
		"range":     typ.Range.String(),
		"length":    typ.Length.String(),
		"pattern":   strings.Join(typ.Pattern, " "),
		"leafref":   strings.Join(strings.Fields(prefixes.ReplaceAllString(typ.Path, "")), ""),
	}
	if typ.Enum != nil {
		facts["enumeration"] = fmt.Sprint(typ.Enum.NameMap())
	}
	if typ.IdentityBase != nil {
		facts["identity base"] = identityName(typ.IdentityBase)
	}
	return facts
}

// identities returns the identities a leaf may hold, each with its module.
func identities(entry *yang.Entry) []string {
	if entry.Type == nil || entry.Type.IdentityBase == nil {
		return nil
	}
	var names []string
	for _, identity := range entry.Type.IdentityBase.Values {
		names = append(names, identityName(identity))
	}
	return names
}

// identityName returns an identity in the form in which it goes over the wire.
func identityName(identity *yang.Identity) string {
	file := yang.RootNode(identity)
	module := file.Name
	if file.BelongsTo != nil { // a submodule
		module = file.BelongsTo.Name
	}
	return module + ":" + identity.Name
}

// requirePublishedRevision requires that the revision which a module of ours
// says it restates is one of the published module.
func requirePublishedRevision(t *testing.T, ours, published *yang.Module) {
	t.Helper()
	require.Len(t, ours.Revision, 1, "%s: one revision, the one restated", ours.Name)
	revision := ours.Revision[0]
	at := slices.IndexFunc(published.Revision, func(r *yang.Revision) bool { return r.Name == revision.Name })
	require.NotEqual(t, -1, at, "%s: revision %s is not published", ours.Name, revision.Name)

	for _, extension := range ours.Extensions {
		if extension.Keyword == "oc-ext:openconfig-version" {
			require.Equal(t, revision.Reference.Name, extension.Argument, ours.Name)
			require.Equal(t, published.Revision[at].Reference.Name, extension.Argument, ours.Name)
		}
	}
}
