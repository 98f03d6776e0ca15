package qos

import (
	"fmt"
	"strconv"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/internal/oc"
)

// ECN marking of an egress queue is a queue management profile that the queue is bound to:
//
// 	"queue-management-profile": [{"name": "cellwarden-ecn-0a1b2c3d4e5f", "wred": {"uniform": {
// 	  "config": {
// 	    "enable-ecn": true,
// 	    "min-threshold": "102336",
// 	    "max-threshold": "409552",
// 	    "max-drop-probability-percent": 5
// 	  }}}}]
//
// With enable-ecn the probability is that of a mark; the leaf has its name from WRED.

// ocCurve is a queue management profile in openconfig-qos.
type ocCurve = oc.OpenconfigQos_Qos_QueueManagementProfiles_QueueManagementProfile

// curve is the ECN marking of an egress queue: the content of a queue management profile. The zero curve marks nothing.
type curve struct {
	low, high int64 // cells
	percent   uint8 // probability of a mark at high
}

func (c curve) name(t target) string {
	if c == (curve{}) {
		return ""
	}
	low, high := t.bytes(buffer.QueueECNMin, c.low), t.bytes(buffer.QueueECNMax, c.high)
	return prefixCurve + digest(fmt.Sprintf("%d to %d bytes, %d%%\n", low, high, c.percent))
}

// write leaves out a probability of 0.
func (c curve) write(qos *oc.OpenconfigQos_Qos, name string, t target) {
	profile := qos.GetOrCreateQueueManagementProfiles().GetOrCreateQueueManagementProfile(name)
	profile.GetOrCreateConfig().Name = &name
	config := profile.GetOrCreateWred().GetOrCreateUniform().GetOrCreateConfig()
	config.EnableEcn = new(true)
	config.MinThreshold = new(uint64(t.bytes(buffer.QueueECNMin, c.low)))
	config.MaxThreshold = new(uint64(t.bytes(buffer.QueueECNMax, c.high)))
	if c.percent > 0 {
		config.MaxDropProbabilityPercent = new(c.percent)
	}
}

// readCurve reads a profile. One that does not enable ECN drops packets and marks
// none: it gives no registers. Thresholds round down to cells.
func (t target) readCurve(name string, from *ocCurve, bad *fielderr.List) (c curve) {
	config := from.GetWred().GetUniform().GetConfig()
	if config == nil || !isTrue(config.EnableEcn) {
		return c
	}
	path := pathText(pathCurve, name)
	const accepted = "bytes where enable-ecn is true; percents of a queue are not read"
	if config.MinThreshold == nil {
		bad.Add(path+"/min-threshold", "none", accepted)
	}
	if config.MaxThreshold == nil {
		bad.Add(path+"/max-threshold", "none", accepted)
	}
	c.low = int64(t.cell.Within(readBytes(config.MinThreshold, path+"/min-threshold", bad)))
	c.high = int64(t.cell.Within(readBytes(config.MaxThreshold, path+"/max-threshold", bad)))
	if percent := config.MaxDropProbabilityPercent; percent != nil {
		if c.percent = *percent; *percent > 100 {
			bad.Add(path+"/max-drop-probability-percent", strconv.Itoa(int(*percent)), "0 to 100")
		}
	}
	return c
}
