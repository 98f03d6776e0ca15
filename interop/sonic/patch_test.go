package sonic

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// operation is one of a JSON patch.
type operation struct {
	Op    string
	Path  string
	Value any
}

// names are the elements of a pointer (RFC 6901).
func (o operation) names() []string {
	out := strings.Split(strings.TrimPrefix(o.Path, "/"), "/")
	for i := range out {
		out[i] = strings.NewReplacer("~1", "/", "~0", "~").Replace(out[i])
	}
	return out
}

// document is a database as JSON: tables of entries of fields.
func document(all hashes) map[string]any {
	out := map[string]any{}
	for key, fields := range all {
		table, name, _ := strings.Cut(key, "|")
		if out[table] == nil {
			out[table] = map[string]any{}
		}
		entry := map[string]any{}
		for field, value := range fields {
			if list, is := strings.CutSuffix(field, "@"); is {
				entry[list] = strings.Split(value, ",")
			} else {
				entry[field] = value
			}
		}
		out[table].(map[string]any)[name] = entry
	}
	return out
}

// lookup is the value at a pointer; nil: there is none.
func lookup(doc any, names []string) any {
	for _, name := range names {
		object, _ := doc.(map[string]any)
		doc = object[name]
	}
	return doc
}

// patches renders a plan for what CONFIG_DB has now, and follows the patches for a running switch in the order in which
// they are named. It returns the operations, and what they make of CONFIG_DB.
func (l *lab) patches(t *testing.T) (all []operation, after map[string]any) {
	t.Helper()
	after = document(l.config(t))
	dir, said := l.rendered(t, after)
	for _, part := range regexp.MustCompile(`(?m)^part (\S+\.json): (.*)$`).FindAllStringSubmatch(said, -1) {
		if !strings.Contains(part[2], "apply-patch") {
			continue
		}
		data, err := os.ReadFile(filepath.Join(dir, part[1]))
		require.NoError(t, err)
		var patch []operation
		require.NoError(t, json.Unmarshal(data, &patch), part[1])
		for _, o := range patch {
			names := o.names()
			parent, is := lookup(after, names[:len(names)-1]).(map[string]any)
			require.True(t, is, "%s: %s %s: its parent is not there", part[1], o.Op, o.Path)
			if last := names[len(names)-1]; o.Op == "remove" {
				delete(parent, last)
			} else {
				parent[last] = o.Value
			}
		}
		all = append(all, patch...)
	}
	return all, after
}

// rendered renders the plan for what CONFIG_DB has, into a folder, and returns what render says.
func (l *lab) rendered(t *testing.T, has map[string]any) (dir, said string) {
	t.Helper()
	data, err := json.Marshal(has)
	require.NoError(t, err)
	dir = t.TempDir()
	now := filepath.Join(dir, "config_db.now")
	require.NoError(t, os.WriteFile(now, data, 0o600))
	code, said := l.run(t, append([]string{"render", l.plan, "--dialect", "sonic", "--current", now, "--dir", dir},
		l.release()...)...)
	require.Zero(t, code, said)
	return dir, said
}

// release is the flag of the switch's release; none: it is not known.
func (l *lab) release() []string {
	if l.pretended {
		return []string{"--sonic-release", "202511"}
	}
	if release := os.Getenv("CELLWARDEN_SONIC_RELEASE"); release != "" {
		return []string{"--sonic-release", release}
	}
	return nil
}

// pushedAsPatched compares what a push has made with what the patches would make.
func (l *lab) pushedAsPatched(t *testing.T, all []operation, after map[string]any) {
	t.Helper()
	has := document(l.config(t))
	for _, o := range all {
		want, err := json.Marshal(lookup(after, o.names()))
		require.NoError(t, err)
		got, err := json.Marshal(lookup(has, o.names()))
		require.NoError(t, err)
		require.JSONEq(t, string(want), string(got), "%s %s", o.Op, o.Path)
	}
	t.Logf("the push made what %d operations of the patches make, in their order", len(all))
}
