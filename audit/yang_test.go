package audit_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/audit"
	"github.com/cellwarden/cellwarden/finding"
	"github.com/cellwarden/cellwarden/internal/treetest"
	"github.com/cellwarden/cellwarden/nos/sonic"
)

// yangCase is a case of the tests of SONiC's YANG models, as CONFIG_DB: sonic-buildimage 086b03bd,
// src/sonic-yang-models/tests/yang_model_tests/tests and tests_config, and yang_model_pytests; the set is the name of
// the file there.
type yangCase struct {
	Set, Name string
	Finding   finding.Code // of what the models reject; "": they accept it
	Tables    map[string]map[string]map[string]string
}

// parts are the cases that are good as a part of a configuration: QUEUE without PORT is what the template of QoS
// renders. The audit says of them that it does not know.
var parts = []string{"QUEUE_PORT_NOT_EXIST"}

// TestAgreesWithYANG audits the public cases of SONiC's YANG models of buffers and QoS: what the models accept has no
// error, and what they reject has the finding, an error that is certain.
func TestAgreesWithYANG(t *testing.T) {
	data, err := os.ReadFile("testdata/yang.json")
	require.NoError(t, err)
	var cases []yangCase
	require.NoError(t, json.Unmarshal(data, &cases))
	accepted, rejected := 0, 0
	for _, c := range cases {
		text, err := json.Marshal(c.Tables)
		require.NoError(t, err)
		reading, err := sonic.System.Read("config_db.json", text, audit.Chip{})
		require.NoError(t, err, c.Name)
		result := audit.Run(audit.Source{File: "config_db.json", Reading: reading, Part: true})
		wrong := slices.DeleteFunc(result.Findings, func(f finding.Finding) bool {
			return f.Severity != finding.Error
		})
		if slices.Contains(parts, c.Name) {
			require.True(t, slices.ContainsFunc(result.Unknown, func(what string) bool {
				return strings.HasPrefix(what, "there is no PORT: ")
			}), c.Name)
		}
		if c.Finding == "" || slices.Contains(parts, c.Name) {
			require.Empty(t, wrong, c.Name)
		} else {
			require.True(t, slices.ContainsFunc(wrong, func(f finding.Finding) bool {
				return f.Code == c.Finding && f.Certain
			}), "%s: %+v", c.Name, wrong)
		}
		if c.Finding == "" {
			accepted++
		} else {
			rejected++
		}
	}
	require.Equal(t, []int{60, 96}, []int{accepted, rejected})
}

// TestHasAllCasesOfYANG compares the cases with those of a checkout: all of the sets that have a table which an audit
// reads, but for ports and the switch itself, and each is accepted or rejected as there.
func TestHasAllCasesOfYANG(t *testing.T) {
	root := filepath.Join(treetest.Root(t), "src/sonic-yang-models/tests/yang_model_tests")
	data, err := os.ReadFile("testdata/yang.json")
	require.NoError(t, err)
	var cases []yangCase
	require.NoError(t, json.Unmarshal(data, &cases))
	got := map[string]bool{} // whether it is rejected
	for _, c := range cases {
		if !strings.HasSuffix(c.Set, ".py") {
			got[c.Set+" "+c.Name] = c.Finding != ""
		}
	}
	files, err := filepath.Glob(root + "/tests/*.json")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	want := map[string]bool{}
	for _, file := range files {
		var tests, configs map[string]map[string]json.RawMessage
		for path, into := range map[string]any{file: &tests, root + "/tests_config/" + filepath.Base(file): &configs} {
			text, err := os.ReadFile(path)
			if errors.Is(err, os.ErrNotExist) { // fine-grained-ecmp.json has another name there
				continue
			}
			require.NoError(t, err)
			require.NoError(t, json.Unmarshal(text, into), path)
		}
		set := strings.TrimSuffix(filepath.Base(file), ".json")
		if concerns(t, configs) && !slices.Contains(besides, set) {
			for name, test := range tests {
				want[set+" "+name] = test["eStr"] != nil || test["eStrKey"] != nil
			}
		}
	}
	require.Equal(t, want, got)
}

// besides are sets whose subject is another: what is measured of ports and queues, and the addresses of a tunnel that
// has maps.
var besides = []string{"high_frequency_telemetry", "tunnel"}

// concerns tells whether a set has a table of buffers or QoS.
func concerns(t *testing.T, configs map[string]map[string]json.RawMessage) bool {
	t.Helper()
	for _, modules := range configs {
		for _, module := range modules {
			var tables map[string]json.RawMessage
			if json.Unmarshal(module, &tables) != nil {
				continue
			}
			for name := range tables {
				_, table, _ := strings.Cut(name, ":")
				if slices.Contains(sonic.AuditTables(), table) && table != "PORT" && table != "DEVICE_METADATA" &&
					table != "DEVICE_NEIGHBOR" {
					return true
				}
			}
		}
	}
	return false
}
