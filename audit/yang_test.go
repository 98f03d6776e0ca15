package audit_test

import (
	"encoding/json"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/audit"
	"github.com/cellwarden/cellwarden/finding"
	"github.com/cellwarden/cellwarden/nos/sonic"
)

// yangCase is a case of the tests of SONiC's YANG models, as CONFIG_DB: sonic-buildimage 086b03bd,
// src/sonic-yang-models/tests/yang_model_tests/tests and tests_config; the set is the name of the file there.
type yangCase struct {
	Set, Name string
	Finding   finding.Code // of what the models reject; "": they accept it
	Tables    map[string]map[string]map[string]string
}

// unseen are the cases that no audit can tell from a good one: QUEUE without PORT is what the template of QoS renders.
var unseen = []string{"QUEUE_PORT_NOT_EXIST"}

// beyond are the cases that the models accept and that have an error which is not certain: a profile whose xoff is
// above its size in a pool without shared headroom, and queues in a pool of the ingress.
var beyond = map[string]finding.Code{"BUFFER_PROFILE_CORRECT_XOFF_VALUE": "size-below-xoff",
	"BUFFER_QUEUE_CORRECT_PROFILE_VALUE": "profile-direction", "VOQ_BUFFER_QUEUE_CONFIG": "profile-direction"}

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
		found := audit.Run(audit.Source{File: "config_db.json", Reading: reading, Part: true}).Findings
		wrong := slices.DeleteFunc(found, func(f finding.Finding) bool {
			return f.Severity != finding.Error || !f.Certain && f.Code == beyond[c.Name]
		})
		if c.Finding == "" || slices.Contains(unseen, c.Name) {
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
	require.Equal(t, []int{53, 78}, []int{accepted, rejected})
}
