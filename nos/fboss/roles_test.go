package fboss_test

import (
	"embed"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/internal/readertest"
	"github.com/cellwarden/cellwarden/nos/fboss"
)

// roleFiles are configurations of our own, in the structure of FBOSS' switch_config.thrift: a leaf with one lossless
// class, a spine with two, a leaf of an AI back end with memory beside the chip and a fabric port, and a storage switch
// with static limits and policies of single ports.
//
//go:embed testdata/leaf.conf testdata/spine.conf testdata/backend.conf testdata/storage.conf
var roleFiles embed.FS

// TestRoles finds every mistake by its code and line, and nothing in the same files without it.
func TestRoles(t *testing.T) {
	const leaf, spine, backend, storage = "leaf.conf", "spine.conf", "backend.conf", "storage.conf"
	files := map[string]string{}
	for _, name := range []string{leaf, spine, backend, storage} {
		data, err := roleFiles.ReadFile("testdata/" + name)
		require.NoError(t, err)
		files[name] = string(data)
	}
	plant := readertest.Plant
	readertest.Roles(t, fboss.System.Read, files, []readertest.Planted{
		plant(leaf, "pfc-class-drops", `"behavior": 0`, `"behavior": 1`, `"behavior": 0`),
		plant(leaf, "pfc-class-drops", `"pfcPriorityToPgId"`, `"pfcPriorityToPgId": {"2": 2}`,
			`"pfcPriorityToPgId": {"2": 5}`),
		plant(leaf, "pfc-class-drops", `"dscpMaps"`, `"internalTrafficClass": 2`, `"internalTrafficClass": 0`),
		plant(leaf, "pfc-class-drops", `"trafficClassToPgId"`, `"trafficClassToPgId": {"0": 0, "2": 2}`,
			`"trafficClassToPgId": {"0": 0, "2": 0}`),
		plant(leaf, "tc-lossless-lossy", `"trafficClassToQueueId"`, `"trafficClassToQueueId": {"0": 0, "2": 2}`,
			`"trafficClassToQueueId": {"0": 0, "2": 0}`),
		plant(leaf, "pfc-one-way", `"pfc": {`, `"rx": true`, `"rx": false`),
		plant(leaf, "pfc-one-way", `"pfc": {`, `"tx": true`, `"tx": false`),
		plant(leaf, "pfc-with-pause", `"pfc": {`, `"pause": {"tx": false`, `"pause": {"tx": true`),
		plant(leaf, "pfc-class-drops", `"pfc": {`, `"defaultQosPolicy": "roce"`, `"portIdToQosPolicy": {}`),
		plant(leaf, "name-missing", `"defaultQosPolicy"`, `"defaultQosPolicy": "roce"`, `"defaultQosPolicy": "rdma"`),
		plant(leaf, "pause-thresholds", `"resumeOffsetBytes": 60000000`, `"resumeOffsetBytes": 3556`,
			`"resumeOffsetBytes": 60000000`),
		plant(leaf, "wred-min-over-max", `"minimumLength": 2500000`, `"minimumLength": 150000`, `"minimumLength": 2500000`),
		plant(leaf, "pool-over-chip", `"sharedBytes": 99999880`, `"sharedBytes": 59999880`, `"sharedBytes": 99999880`),
		plant(leaf, "statement-unread", `"headroomLimitByte": 200000`, `"headroomLimitBytes": 200000`,
			`"headroomLimitByte": 200000`),

		plant(spine, "name-missing", `"portPgConfigName": "fabrik"`, `"portPgConfigName": "fabric"`,
			`"portPgConfigName": "fabrik"`),
		plant(spine, "name-missing", `"portQueueConfigName": "fabrik"`, `"portQueueConfigName": "fabric"`,
			`"portQueueConfigName": "fabrik"`),
		plant(spine, "pfc-class-drops", `"pfcPriorityToQueueId"`, `"pfcPriorityToQueueId": {"2": 2, "6": 6}`,
			`"pfcPriorityToQueueId": {"2": 2}`),
		plant(spine, "number-format", `"pfcPriorityToPgId"`, `"pfcPriorityToPgId": {"2": 2, "6": 6}`,
			`"pfcPriorityToPgId": {"2": 2, "6": 9}`),
		plant(spine, "profile-xoff-over-pool-xoff", `"headroomLimitBytes": 9600000`, `"headroomLimitBytes": 600000`,
			`"headroomLimitBytes": 9600000`),
		plant(spine, "no-drop-no-headroom", `"headroomLimitBytes": 600000`, `"headroomBytes": 9326940`,
			`"headroomBytes": 0`),
		plant(spine, "number-format", `"fromDscpToTrafficClass": [64]`, `"fromDscpToTrafficClass": [34]`,
			`"fromDscpToTrafficClass": [64]`),
		plant(spine, "dscp-no-tc", `"dscpMaps"`, `"fromDscpToTrafficClass": [34]`, `"fromDscpToTrafficClass": []`),

		plant(backend, "number-format", `"sramScalingFactor": 13`, `"sramScalingFactor": 6`, `"sramScalingFactor": 13`),
		plant(backend, "pause-thresholds", `"minSramXoffThresholdBytes": 30000000`, `"minSramXoffThresholdBytes": 262144`,
			`"minSramXoffThresholdBytes": 30000000`),
		plant(backend, "pause-thresholds", `"resumeOffsetBytes": 2000000000`, `"resumeOffsetBytes": 1048576,`,
			`"resumeOffsetBytes": 2000000000,`),
		plant(backend, "name-missing", `"id": 2`, `"bufferPoolName": "global"`, `"bufferPoolName": "local"`),
		plant(backend, "number-format", `"scheduling": 7`, `"scheduling": 1000`, `"scheduling": 7`),
		plant(backend, "number-format", `"id": 8`, `"id": 2`, `"id": 8`),

		plant(storage, "pause-thresholds", `"resumeBytes": 4008890`, `"resumeBytes": 2000000`, `"resumeBytes": 4008890`),
		plant(storage, "pause-thresholds", `"resumeBytes": 2000000`, `"resumeBytes": 2000000`,
			`"resumeBytes": 2000000, "resumeOffsetBytes": 1`),
		plant(storage, "pfc-class-drops", `"rules"`, `"1": "nvme"`, `"1": "default"`),
		plant(storage, "number-format", `"queueId"`, `[0, 1, 2, 3, 4, 5`, `[], "x": [0, 1, 2, 3, 4, 5`),
		plant(storage, "duplicate-key", `"staticLimitBytes": 4000000`, `"staticLimitBytes": 4000000`,
			`"staticLimitBytes": 1, "staticLimitBytes": 4000000`),
	})
}
