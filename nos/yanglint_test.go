package nos_test

import (
	"cmp"
	"encoding/json"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/nos"
	"github.com/cellwarden/cellwarden/nos/sonic"
	"github.com/cellwarden/cellwarden/unit"
)

// howToGetModels says what the test of the published models needs.
const howToGetModels = `YANG_DIR names no folder with the published models. To get them:
  apt-get install libyang2-tools
  git clone -b v25.3.1 --depth 1 https://github.com/nokia/srlinux-yang-models $YANG_DIR/srlinux
  git clone --depth 1 https://github.com/aristanetworks/yang /tmp/arista && cp -r /tmp/arista/EOS-4.36.1F $YANG_DIR/eos
  git clone --depth 1 https://github.com/openconfig/public /tmp/public && cp -r /tmp/public/third_party/ietf $YANG_DIR/eos/ietf
  git clone --depth 1 https://github.com/sonic-net/sonic-buildimage /tmp/sonic && cp -r /tmp/sonic/src/sonic-yang-models $YANG_DIR/sonic
  cp -r $YANG_DIR/eos/ietf $YANG_DIR/sonic/ietf
  git clone --depth 1 https://github.com/Juniper/yang /tmp/juniper && mkdir $YANG_DIR/junos &&
    cp /tmp/juniper/24.4/24.4R1/native/conf-and-rpcs/{junos-qfx/conf,common}/models/*.yang $YANG_DIR/junos
interop/models.sh does all of this and runs the test`

// published is how yanglint reads a dialect's models.
var published = map[string]struct {
	modules []string
	options []string
	convert func(t *testing.T, file string, data []byte) []byte // to the form of RFC 7951
}{
	"srlinux": {modules: []string{"srl_nokia-features.yang", "srl_nokia-qos.yang"},
		options: []string{"-F", "srl_nokia-features:*"}},
	"eos":   {modules: []string{"openconfig-qos.yang", "arista-qos-augments.yang"}},
	"junos": {modules: []string{"junos-qfx-conf-root@*.yang", "junos-qfx-conf-class-of-service@*.yang"}},
	"sonic": {modules: []string{"sonic-device_metadata.yang", "sonic-port.yang", "sonic-buffer-pool.yang",
		"sonic-buffer-profile.yang", "sonic-buffer-pg.yang", "sonic-buffer-queue.yang", "sonic-cable-length.yang",
		"sonic-port-qos-map.yang", "sonic-tc-priority-group-map.yang", "sonic-wred-profile.yang", "sonic-queue.yang",
		"sonic-scheduler.yang", "sonic-dscp-tc-map.yang", "sonic-pfcwd.yang", "sonic-tc-queue-map.yang",
		"sonic-pfc-priority-queue-map.yang"}, convert: configDB},
}

// TestPublishedModels has yanglint check every rendering against the vendor's
// own models, and refuse one that was broken on purpose.
func TestPublishedModels(t *testing.T) {
	root := os.Getenv("YANG_DIR")
	lint, err := exec.LookPath("yanglint")
	if root == "" || err != nil {
		t.Skip(howToGetModels)
	}
	for _, r := range renderers {
		t.Run(r.name, func(t *testing.T) {
			p, has := published[r.name]
			if !has {
				t.Skip("no model: the rendering is commands, which package nos/registry reads back")
			}
			dir := filepath.Join(root, r.name)
			if _, err := os.Stat(dir); err != nil {
				t.Skip(howToGetModels)
			}
			data := r.render(planned(t, scheduled(r.ports...))).Files[0].Content
			args := arguments(t, readable(t, templates(t, dir)), p.modules, append(p.options, "-t", "config"))
			if r.name == "sonic" {
				require.Empty(t, complaints(t, lint, args, p.convert(t, dir, onASwitch(t, r.ports, sonic.Dynamic))))
				folder, err := os.ReadFile("../internal/hwsku/testdata/folder/config_db.json")
				require.NoError(t, err)
				require.Empty(t, complaints(t, lint, args, p.convert(t, dir, folder)))
				data = p.convert(t, dir, onASwitch(t, r.ports, sonic.Traditional))
			}
			require.Empty(t, complaints(t, lint, args, data))
			if r.name == "junos" { // the one document with groups of queues
				groups := r.render(planned(t, groupedIntent(r.ports...))).Files[0].Content
				require.Empty(t, complaints(t, lint, args, groups))
				broken := strings.Replace(string(groups), `"guaranteed-rate"`, `"guaranteed-rates"`, 1)
				require.NotEqual(t, string(groups), broken)
				require.NotEmpty(t, complaints(t, lint, args, []byte(broken)))
			}
			broken := strings.NewReplacer(`"pfc-enable": true`, `"pfc-enable": "yes"`, `"18"`, `"no"`, `"type": "ingress"`,
				`"type": "inward"`, `"queue-num": 3`, `"queue-num": "third"`).Replace(string(data))
			require.NotEqual(t, string(data), broken)
			require.NotEmpty(t, complaints(t, lint, args, []byte(broken)))
		})
	}
}

// onASwitch is a SONiC switch with a plan that has minima of queues, a port that the buffer
// manager leaves alone, and the PFC watchdog, as far as the tables go that are written.
func onASwitch(t *testing.T, ports []string, model sonic.Model) []byte {
	t.Helper()
	in := intent(ports...)
	in.Classes[0].QueueReserved, in.Ports[1].Extra = 508, unit.Microsecond
	o := sonic.Options{ASIC: "th5", Release: "202511", Current: shipped(), Model: model}
	o.Current["PFC_WD"] = sonic.Table{ports[0]: {"action": "drop", "detection_time": "200", "restoration_time": "400"}}
	o.Current["BUFFER_PROFILE"]["egress_lossy_profile"]["packet_discard_action"] = "trim"
	if model == sonic.Dynamic {
		delete(o.Current["BUFFER_POOL"]["ingress_lossless_pool"], "size")
	}
	db := reloaded(t, o.Current, o.Render(planned(t, in)))
	for name, table := range db {
		if slices.Contains([]string{"PORT", "DEVICE_METADATA"}, name) || strings.HasSuffix(name, "_LIST") {
			delete(db, name)
		}
		for key, e := range table {
			delete(e, "dscp_to_tc_map")
			if delete(e, "scheduler"); name == "QUEUE" && len(e) == 0 {
				delete(table, key)
			}
		}
	}
	require.NotEmpty(t, db["BUFFER_QUEUE"])
	return nos.JSON(db)
}

// arguments gives yanglint all folders with models, and the modules by path.
func arguments(t *testing.T, dir string, modules, options []string) []string {
	t.Helper()
	folders, found := map[string]bool{}, map[string]string{}
	require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".yang") {
			folders[filepath.Dir(path)] = true
			for _, m := range modules {
				if ok, _ := filepath.Match(m, filepath.Base(path)); ok {
					found[m] = path
				}
			}
		}
		return err
	}))
	out := slices.Clone(options)
	for _, f := range slices.Sorted(maps.Keys(folders)) {
		out = append(out, "-p", f)
	}
	for _, m := range modules {
		require.NotEmpty(t, found[m], "%s has no %s", dir, m)
		out = append(out, found[m])
	}
	return out
}

// complaints runs yanglint and returns its errors without its warnings, which are about the models.
func complaints(t *testing.T, lint string, args []string, data []byte) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "data.json")
	require.NoError(t, os.WriteFile(file, data, 0o600))
	out, err := exec.CommandContext(t.Context(), lint, append(slices.Clone(args), file)...).CombinedOutput()
	if err == nil {
		return ""
	}
	var bad []string
	for line := range strings.Lines(string(out)) {
		if strings.Contains(line, "libyang err") {
			bad = append(bad, line)
		}
	}
	return strings.Join(bad, "") + err.Error()
}

var cvl = regexp.MustCompile(`(?s)\{% if yang_model_type == "cvl" %\}.*?\{% else %\}(.*?)\{% endif %\}`)

// templates returns a folder in which SONiC's templates of models are models. Without templates it is the same folder.
func templates(t *testing.T, dir string) string {
	t.Helper()
	all := map[string]string{}
	require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".yang.j2") {
			return err
		}
		text, err := os.ReadFile(path)
		all[strings.TrimSuffix(filepath.Base(path), ".j2")] = cvl.ReplaceAllString(string(text), "$1")
		return err
	}))
	if len(all) == 0 {
		return dir
	}
	out := t.TempDir()
	require.NoError(t, os.CopyFS(out, os.DirFS(dir)))
	for name, text := range all {
		require.NoError(t, os.WriteFile(filepath.Join(out, name), []byte(text), 0o600))
	}
	return out
}

// badEscape is an escape of Juniper's models that YANG does not have in a text between
// double quotes (RFC 7950, 6.1.3); libyang refuses it.
var badEscape = regexp.MustCompile(`pattern "(\\\*)";`)

// readable returns a folder with the models in which that escape is right. Without such models it is the same folder.
func readable(t *testing.T, dir string) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, "junos-qfx-conf-class-of-service@*.yang"))
	require.NoError(t, err)
	if len(found) == 0 {
		return dir
	}
	out := t.TempDir()
	require.NoError(t, os.CopyFS(out, os.DirFS(dir)))
	for _, file := range found {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		fixed := badEscape.ReplaceAllString(string(text), "pattern '$1';")
		require.NoError(t, os.WriteFile(filepath.Join(out, filepath.Base(file)), []byte(fixed), 0o600))
	}
	return out
}

// configDB turns CONFIG_DB into the form of its YANG models: a list for each
// table, with the parts of the key as leaves.
func configDB(t *testing.T, _ string, data []byte) []byte {
	t.Helper()
	var db map[string]map[string]map[string]any
	require.NoError(t, json.Unmarshal(data, &db))
	keyLeaves := map[string][]string{"BUFFER_PG": {"port", "pg_num"}, "BUFFER_QUEUE": {"port", "qindex"},
		"PORT_QOS_MAP": {"ifname"}, "QUEUE": {"ifname", "qindex"}, "PFC_WD": {"ifname"}}
	inner := map[string][2]string{"CABLE_LENGTH": {"port", "length"}, "TC_TO_PRIORITY_GROUP_MAP": {"tc", "pg"},
		"DSCP_TO_TC_MAP": {"dscp", "tc"}, "TC_TO_QUEUE_MAP": {"tc", "qindex"},
		"MAP_PFC_PRIORITY_TO_QUEUE": {"pfc_priority", "qindex"}}
	modules := map[string]string{"MAP_PFC_PRIORITY_TO_QUEUE": "sonic-pfc-priority-queue-map"}
	out := map[string]any{}
	for name, table := range db {
		list := []map[string]any{}
		for _, key := range slices.Sorted(maps.Keys(table)) {
			entry := map[string]any{"name": key}
			if leaves := keyLeaves[name]; leaves != nil {
				entry = map[string]any{}
				for i, part := range strings.Split(key, "|") {
					entry[leaves[i]] = part
				}
			}
			if pair, nested := inner[name]; nested {
				var items []map[string]any
				for _, k := range slices.Sorted(maps.Keys(table[key])) {
					items = append(items, map[string]any{pair[0]: typed(pair[0], k), pair[1]: typed(pair[1], table[key][k])})
				}
				entry[name] = items
			} else {
				for k, v := range table[key] {
					entry[k] = typed(k, v)
				}
			}
			list = append(list, entry)
		}
		if name == "PFC_WD" { // its module and container have a name of their own
			out["sonic-pfcwd:sonic-pfcwd"] = map[string]any{name: map[string]any{name + "_LIST": list}}
			continue
		}
		module := cmp.Or(modules[name],
			"sonic-"+strings.ReplaceAll(strings.ToLower(strings.Replace(name, "_TO_", "_", 1)), "_", "-"))
		out[module+":"+module] = map[string]any{name: map[string]any{name + "_LIST": list}}
	}
	ports := []map[string]any{}
	for name := range db["PORT_QOS_MAP"] {
		if name == "global" {
			continue
		}
		ports = append(ports, map[string]any{"name": name, "lanes": "1", "speed": 100000})
	}
	out["sonic-port:sonic-port"] = map[string]any{"PORT": map[string]any{"PORT_LIST": ports}}
	text, err := json.MarshalIndent(out, "", "  ")
	require.NoError(t, err)
	return text
}

// typed is a field as RFC 7951 writes its type; CONFIG_DB has texts alone.
func typed(field string, v any) any {
	switch {
	case field == "dynamic_th", field == "tc", field == "weight", strings.HasSuffix(field, "tion_time"):
		return json.RawMessage(v.(string))
	case strings.HasSuffix(field, "_enable") && !strings.HasPrefix(field, "pfc"):
		return v == "true"
	}
	return v
}
