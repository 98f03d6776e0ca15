package nos_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/nos"
	"github.com/cellwarden/cellwarden/nos/sonic"
)

// CONFIG_DB files are read with all that is found in them.
func TestReadConfigDB(t *testing.T) {
	db, err := sonic.ReadConfigDB([]byte(`{"PORT":{"Ethernet0":{"speed":100000,"up":true,"adv@":["1","2"]}},
		"BUFFER_POOL":{"ingress_lossless_pool":{"size":"6217728 "}},
		"BUFFER_PG":{"Ethernet0|3-4":{"profile":"[BUFFER_PROFILE|pg_lossless_100000_40m_profile]"}},
		"BUFFER_PORT_INGRESS_PROFILE_LIST":{"Ethernet0":{"profile_list":"[BUFFER_PROFILE|a],[BUFFER_PROFILE|b]"}},
		"MADE_UP":[[1]]}`))
	require.NoError(t, err)
	require.Equal(t, sonic.Database{
		"PORT":        {"Ethernet0": {"speed": "100000", "up": "true", "adv": "1,2"}},
		"BUFFER_POOL": {"ingress_lossless_pool": {"size": "6217728"}},
		"BUFFER_PG":   {"Ethernet0|3-4": {"profile": "pg_lossless_100000_40m_profile"}},

		"BUFFER_PORT_INGRESS_PROFILE_LIST": {"Ethernet0": {"profile_list": "a,b"}},
	}, db)
	for text, want := range map[string]string{`{`: "CONFIG_DB: ",
		`{"BUFFER_PG":{"x":{"y":{"z":1}}}}`: "CONFIG_DB: BUFFER_PG: x: y: map[z:1]: want texts",
		`{"BUFFER_PG":[]}`:                  "CONFIG_DB: BUFFER_PG: "} {
		_, err := sonic.ReadConfigDB([]byte(text))
		require.ErrorContains(t, err, want)
	}
	for _, text := range []string{"202405", "20240510.22", "master", "SONiC.20240510.22", "SONiC.master.1-2"} {
		_, err := sonic.ParseRelease(text)
		require.NoError(t, err)
	}
	for _, text := range []string{"", "new", "2024", "202413", "999912", "123456789012"} {
		_, err := sonic.ParseRelease(text)
		require.ErrorContains(t, err, "want such as 202405")
	}
	require.Len(t, sonic.ASICs(), 21)
}

// FuzzReadConfigDB reads files of switches: it never panics, what it reads it
// reads again, and a plan is compared with anything.
func FuzzReadConfigDB(f *testing.F) {
	f.Add(nos.JSON(shipped()))
	f.Add([]byte(`{"BUFFER_PG":{"Ethernet0|3-":{"profile":null}}}`))
	f.Add([]byte(`{"BUFFER_PG":{"Ethernet0,Ethernet4|99-3":{"profile":"[]"}},"QUEUE":{"|":{}}}`))
	f.Add([]byte(`{"BUFFER_PROFILE":{"":{"dynamic_th":-0}},"CABLE_LENGTH":{"":{}}}`))
	f.Add([]byte(`{"BUFFER_QUEUE":{"Ethernet0|0-15":{"profile":"CW_QUEUE_"}},
		"BUFFER_PROFILE":{"egress_lossless_profile":{"size":1e9}}}`))
	plan := planned(f, intent("Ethernet0", "Ethernet4", "Ethernet8"))
	f.Fuzz(func(t *testing.T, data []byte) {
		db, err := sonic.ReadConfigDB(data)
		if err != nil {
			return
		}
		again, err := sonic.ReadConfigDB(nos.JSON(db))
		require.NoError(t, err)
		require.Equal(t, db, again)
		for _, asic := range []string{"th", "spc1"} {
			for _, model := range []sonic.Model{sonic.Unknown, sonic.Traditional, sonic.Dynamic} {
				o := sonic.Options{ASIC: asic, Release: "202511", Current: db, Model: model}
				require.Equal(t, o.Render(plan), o.Render(plan))
			}
		}
	})
}
