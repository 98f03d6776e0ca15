package devicetree

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

// No text of the three files makes their readers fail otherwise than by an error, and what they read is JSON.
func FuzzPorts(f *testing.F) {
	f.Add("# name lanes speed\nEthernet0 1,2 50000", `{"interfaces": {"Ethernet0": {"index": "1", "lanes": "1",
		"breakout_modes": {"1x10G": ["a"]}}}}`, `{"interfaces": {"Ethernet0": {"default_brkout_mode": "1x10G"}}}`)
	f.Add("#name\na b", `{"interfaces": {"Ethernet0": {"lanes": "1,2", "index": "",
		"breakout_modes": {"2x10G(0)": []}}}}`,
		`{"interfaces": {"Ethernet0": {"default_brkout_mode": "2x10G(0)"}}}`)
	f.Add("# # name name\na b", `{"interfaces": []}`, `{"interfaces": {"Ethernet0": 1}}`)
	f.Fuzz(func(t *testing.T, config, platform, modes string) {
		check := func(ports []Port, err error) {
			if err != nil {
				return
			}
			require.LessOrEqual(t, len(ports), mostPorts)
			for i := range ports {
				require.Positive(t, ports[i].Line)
			}
			all := Ports{"", ports}
			require.True(t, json.Valid(all.JSON()))
			folder := Folder{}
			for _, v := range folder.Variants(all) {
				require.True(t, json.Valid(folder.Context(all, v)))
			}
		}
		check(readPortConfig("port_config.ini", []byte(config)))
		check(readPlatform("platform.json", []byte(platform), "hwsku.json", []byte(modes)))
	})
}
