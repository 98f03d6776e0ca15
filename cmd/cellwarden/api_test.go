package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/internal/effort"
	"github.com/cellwarden/cellwarden/internal/web"
)

// asked asks the API of serve, and requires an answer.
func asked(t *testing.T, operation string, question map[string]any) string {
	t.Helper()
	body, err := json.Marshal(question)
	require.NoError(t, err)
	r := httptest.NewRequest(http.MethodPost, "http://127.0.0.1/v1/"+operation, strings.NewReader(string(body)))
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	web.New(web.Options{}).ServeHTTP(w, r)
	require.Equal(t, http.StatusOK, w.Code, w.Body.String())
	return w.Body.String()
}

// compact is JSON without the blanks that are for people.
func compact(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, json.Compact(&b, []byte(text)))
	return b.String()
}

// The API answers with the documents that the verbs print, byte for byte but for blanks. The files of the verbs have
// the names by which the API calls the texts of a question.
func TestAPIAnswersAsTheVerbs(t *testing.T) {
	effort.Alone(t)
	examples, err := filepath.Abs(filepath.Join("..", "..", "examples"))
	require.NoError(t, err)
	systems, err := filepath.Abs(filepath.Join("..", "..", "nos"))
	require.NoError(t, err)
	read := func(parts ...string) string {
		text, err := os.ReadFile(filepath.Join(parts...))
		require.NoError(t, err)
		return string(text)
	}
	lldpd, err := os.ReadFile(filepath.Join("..", "..", "internal", "observed", "testdata", "lldpd.pcap"))
	require.NoError(t, err)
	t.Chdir(t.TempDir())
	leaf, table := read(examples, "leaf-400g.yaml"), read(examples, "arista-7060cx-32s.ini")
	eos, nxos := read(systems, "eos", "testdata", "leaf1.cfg"), read(systems, "nxos", "testdata", "leaf1.cfg")
	set := []string{"ports[1].cable=500m"}
	ratio, marks := []string{"pool.shared_headroom_ratio=2"}, "port,group,cells\nEthernet1,3,7\nEthernet1,3,700\n"
	marking := []string{"classes[0].ecn.kmin=400000B", "classes[0].ecn.kmax=1600000B", "classes[0].ecn.pmax=5%"}
	kmin := "--set " + strings.Join(marking, " --set ")
	old := read(examples, "ets-groups.yaml")
	cables := "a,b\nleaf:Ethernet1,old:Ethernet4\nleaf:Ethernet64,leaf:Ethernet63\n"
	host := strings.Replace(leaf, `range: Ethernet1-48`, `name: eth0`, 1)
	require.NotEqual(t, leaf, host)
	capture := string(lldpd)
	// What eth0 of a host hears, and the port of a leaf at the other end, each with its PFC.
	said := `{"lldp": {"interface": {%q: {"chassis": {"id": {"type": "local", "value": %q}}, "port": {"id": ` +
		`{"type": "ifname", "value": %q}, "ttl": "120"}, "unknown-tlvs": {"unknown-tlv": ` +
		`{"oui": "00,80,C2", "subtype": "11", "len": "2", "value": %q}}}}}}`
	heard := fmt.Sprintf(said, "eth0", "leaf1", "Ethernet7", "08,18")
	hears := fmt.Sprintf(said, "Ethernet7", "host7", "eth0", "08,20")
	end := func(topology, port string) map[string]any { return map[string]any{"topology": topology, "port": port} }
	for i, x := range []struct {
		operation string
		question  map[string]any
		files     map[string]string
		args      string // of the verb
	}{
		{"burst", map[string]any{"topology": leaf}, nil, "capacity --burst topology"},
		{"burst", map[string]any{"topology": leaf, "set": set, "incast": []int{2, 8, 4000}, "frame": "1500B"}, nil,
			"capacity --burst topology --set ports[1].cable=500m --incast 2,8,4000 --frame 1500B"},
		{"explain", map[string]any{"topology": leaf, "port": "Ethernet1"}, nil, "explain topology Ethernet1"},
		{"explain", map[string]any{"topology": leaf, "set": set, "port": "Ethernet1", "items": []string{"headroom", "alpha"}},
			nil, "explain topology Ethernet1 headroom alpha --set ports[1].cable=500m"},
		{"audit", map[string]any{"configuration": eos}, map[string]string{"configuration": eos}, "audit configuration"},
		{"audit", map[string]any{"configuration": nxos, "headroom_table": table, "peer": eos, "cable": "40m",
			"certain": true},
			map[string]string{"configuration": nxos, "headroom_table": table, "peer": eos},
			"audit configuration --headroom-table headroom_table --peer peer --cable 40m --certain"},
		{"audit", map[string]any{"configuration": nxos, "system": "nxos"}, map[string]string{"configuration": nxos},
			"audit configuration --system nxos"},
		{"risk", map[string]any{"topology": leaf}, nil, "risk topology"},
		{"risk", map[string]any{"topology": leaf, "set": ratio}, nil, "risk topology --set pool.shared_headroom_ratio=2"},
		{"risk", map[string]any{"topology": leaf, "set": ratio, "paused": "0.1%", "accepted_risk": 1e-9, "trials": 1000,
			"seed": 7}, nil, "risk topology --set pool.shared_headroom_ratio=2 --paused 0.1% --accepted-risk 1e-9 " +
			"--trials 1000 --seed 7"},
		{"risk", map[string]any{"topology": leaf, "set": ratio, "pauses": 100, "pause_time": "20us"}, nil,
			"risk topology --set pool.shared_headroom_ratio=2 --pauses 100 --pause-time 20us"},
		{"risk", map[string]any{"topology": leaf, "set": ratio, "congested": "1%", "fan_in": 8}, nil,
			"risk topology --set pool.shared_headroom_ratio=2 --congested 1% --fan-in 8"},
		{"risk", map[string]any{"topology": leaf, "set": ratio, "watermarks": marks},
			map[string]string{"watermarks": marks}, "risk topology --set pool.shared_headroom_ratio=2 --watermarks watermarks"},
		{"ecn", map[string]any{"topology": leaf, "set": marking}, nil, "ecn topology " + kmin},
		{"ecn", map[string]any{"topology": leaf, "set": marking, "class": "rdma", "groups": 40, "feeding": 3, "rtt": "8us"},
			nil, "ecn topology --class rdma --groups 40 --feeding 3 --rtt 8us " + kmin},
		{"ecn", map[string]any{"topology": leaf, "set": marking, "rate": "400G", "flows": 8, "loop_delay": "4us"}, nil,
			"ecn topology --rate 400G --flows 8 --loop-delay 4us " + kmin},
		{"ecn", map[string]any{"pool": "10875072B", "slices": 4, "cell": "208B", "alpha": "1", "reserved": "1248B",
			"kmin": "250000B", "feeding": 1}, nil,
			"ecn --pool 10875072B --slices 4 --cell 208B --alpha 1 --reserved 1248B --kmin 250000B --feeding 1"},
		{"ecn", map[string]any{"pool": "10875072B", "chip": "tomahawk", "dynamic_th": 0, "kmin": "5000B", "kmax": "200000B",
			"pmax": "1%", "rate": "40G", "flows": 8, "loop_delay": "4us", "groups": 16}, nil, "ecn --pool 10875072B --chip " +
			"tomahawk --dynamic-th 0 --kmin 5000B --kmax 200000B --pmax 1% --rate 40G --flows 8 --loop-delay 4us --groups 16"},
		{"ecn", map[string]any{"pool": "1MiB", "cell": "256B", "static": "256000B", "kmin": "200000B", "groups": 6,
			"rtt": "8us", "rate": "100G"}, nil,
			"ecn --pool 1MiB --cell 256B --static 256000B --kmin 200000B --groups 6 --rtt 8us --rate 100G"},
		{"ecn", map[string]any{"junos": "qfx3500,lossless=66%,lossless-headroom=24%,lossy=10%", "kmin": "50%",
			"queue_limit": "3MiB", "feeding": 2, "alpha": "8"}, nil, "ecn --junos qfx3500,lossless=66%,lossless-headroom=24%," +
			"lossy=10% --kmin 50% --queue-limit 3MiB --feeding 2 --alpha 8"},
		{"ecn", map[string]any{"junos": "qfx3500", "kmin": "50%", "feeding": 2}, nil,
			"ecn --junos qfx3500 --kmin 50% --feeding 2"},
		{"link", map[string]any{"a": end(leaf, "Ethernet1"), "b": end(leaf, "Ethernet64")},
			map[string]string{"a": leaf, "b": leaf}, "link a:Ethernet1 b:Ethernet64"},
		{"link", map[string]any{"a": end(leaf, "Ethernet1"), "b": end(old, "Ethernet4")},
			map[string]string{"a": leaf, "b": old}, "link a:Ethernet1 b:Ethernet4"},
		{"link", map[string]any{"fabric": cables, "topologies": map[string]any{"leaf": leaf, "old": old}},
			map[string]string{"fabric": cables, "leaf": leaf, "old": old}, "link --fabric fabric"},
		{"link", map[string]any{"lldp_pcap": []byte(capture)}, map[string]string{"lldp_pcap": capture},
			"link --lldp-pcap lldp_pcap"},
		{"link", map[string]any{"a": end(host, "eth0"), "lldp_pcap": []byte(capture)},
			map[string]string{"a": host, "lldp_pcap": capture}, "link a:eth0 --lldp-pcap lldp_pcap"},
		{"link", map[string]any{"a": map[string]any{"topology": host}, "lldp": []string{heard}},
			map[string]string{"a": host, "lldp[0]": heard}, "link a --lldp lldp[0]"},
		{"link", map[string]any{"a": end(host, "eth0"), "lldp": []string{heard}},
			map[string]string{"a": host, "lldp[0]": heard}, "link a:eth0 --lldp lldp[0]"},
		{"link", map[string]any{"lldp": []string{heard, hears}}, map[string]string{"lldp[0]": heard, "lldp[1]": hears},
			"link --lldp lldp[0] --lldp lldp[1]"},
		{"audit", map[string]any{"configuration": table}, map[string]string{"configuration": table}, "audit configuration"},
	} {
		t.Run(fmt.Sprint(i, " ", x.operation), func(t *testing.T) {
			require.NoError(t, os.WriteFile("topology", []byte(leaf), 0o600))
			for name, text := range x.files {
				require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
			}
			_, want, bad := cellwarden(t, append(strings.Fields(x.args), "-o", "json")...)
			require.NotEmpty(t, want, bad)
			require.Equal(t, compact(t, want), strings.TrimSpace(asked(t, x.operation, x.question)))
		})
	}
	vary := []string{"cable=5m..40km:4", "chip=tomahawk4,tomahawk5,no-chip"}
	_, lines, bad := cellwarden(t, "sweep", "topology", "--vary", vary[0], "--vary", vary[1], "-o", "jsonl")
	require.NotEmpty(t, lines, bad)
	var got struct{ Answers []json.RawMessage }
	require.NoError(t, json.Unmarshal([]byte(asked(t, "sweep", map[string]any{"topology": leaf, "vary": vary})), &got))
	want := strings.Split(strings.TrimSpace(lines), "\n")
	require.Len(t, got.Answers, len(want))
	for i := range want {
		require.JSONEq(t, want[i], string(got.Answers[i]))
	}
}
