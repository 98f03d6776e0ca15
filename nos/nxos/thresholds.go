package nxos

import (
	"github.com/cellwarden/cellwarden/audit"
	"github.com/cellwarden/cellwarden/internal/statements"
)

// mostSize is the largest number of a size that a policy may name: more than any switch has in bytes, of memory beside
// the chip, too.
const mostSize = 1 << 40

// units are the units of sizes in a queuing policy. Packets and times are no number of bytes: 0.
var units = map[string]int64{"bytes": 1, "kbytes": 1 << 10, "mbytes": 1 << 20, "packets": 0, "ms": 0, "us": 0,
	"nanoseconds": 0}

// queuing reads an action of a queuing class.
func (r *reader) queuing(c *policyClass, a *statements.Statement, object string) {
	words := a.After(1)
	switch a.Word(0) {
	case "bandwidth":
		c.shares = true
		switch {
		case words.Take("percent"):
			c.percent = r.Int(words.Next(), a.Line, object, "bandwidth percent", 0, 100)
		case words.Take("remaining", "percent"):
			c.service.Percent = r.Int(words.Next(), a.Line, object, "bandwidth remaining percent", 0, 100)
		default:
			r.rate(words, a, object, "bandwidth")
		}
	case "priority":
		c.shares, c.service.Strict = true, true
		if words.Take("level") {
			c.service.Level = r.Int(words.Next(), a.Line, object, "priority level", 1, 8)
		}
	case "pause":
		r.pauses(c, words, a, object)
	case "random-detect":
		r.detect(c, words, a, object)
		return
	case "queue-limit":
		r.queueLimit(words, a, object)
	case "shape":
		for words.Left() && words.Any("min", "max", "average", "percent") != "" {
			r.rate(words, a, object, "shape")
		}
	case "afd":
		if words.Take("queue-desired") {
			r.rate(words, a, object, "queue-desired")
			words.Take("ecn")
		}
	case "set":
		if words.Take("cos") {
			r.Int(words.Next(), a.Line, object, "cos", 0, 7)
		}
	case "description":
		words.Rest()
	default:
		return
	}
	words.End()
}

// rate reads a number and the unit behind it.
func (r *reader) rate(words *statements.Cursor, a *statements.Statement, object, what string) {
	r.Int(words.Next(), a.Line, object, what, 0, 1<<40)
	words.Any("bps", "kbps", "mbps", "gbps", "pps", "bytes", "kbytes", "mbytes", "percent")
}

// queueLimit reads what is behind queue-limit: 30000 bytes, dynamic 5, percent 10.
func (r *reader) queueLimit(words *statements.Cursor, a *statements.Statement, object string) {
	switch {
	case words.Take("dynamic"):
		r.Int(words.Next(), a.Line, object, "queue-limit dynamic", 0, 10)
	case words.Take("percent"):
		r.Int(words.Next(), a.Line, object, "queue-limit percent", 0, 100)
	default:
		r.Int(words.Next(), a.Line, object, "queue-limit", 0, mostSize)
		words.Any("packets", "bytes", "kbytes", "mbytes", "ms", "us")
	}
}

// size returns where one of the three sizes of a buffer belongs.
func (c *policyClass) size(what string) *audit.Number {
	switch what {
	case "buffer-size":
		return &c.buffer
	case "pause-threshold":
		return &c.xoff
	}
	return &c.xon
}

// pauses reads buffer-size B pause-threshold P resume-threshold R, in bytes.
func (r *reader) pauses(c *policyClass, words *statements.Cursor, a *statements.Statement, object string) {
	for {
		switch what := words.Any("buffer-size", "pause-threshold", "resume-threshold", "pfc-cos"); what {
		case "":
			return
		case "pfc-cos":
			r.Int(words.Next(), a.Line, object, what, 0, 7)
		default:
			*c.size(what) = r.Int(words.Next(), a.Line, object, what, 0, mostSize)
		}
	}
}

// thresholds checks that resume, pause and size of a class ascend.
func (r *reader) thresholds(c *policyClass, object string) {
	object += " class " + c.name
	switch {
	case !c.buffer.Given:
		return
	case !c.xoff.Given || !c.xon.Given:
		r.Find("pause-thresholds", c.buffer.At.Line, object,
			"buffer-size without pause-threshold and resume-threshold: want all three")
	case c.xon.Value > c.xoff.Value:
		r.Find("pause-thresholds", c.xon.At.Line, object,
			"resume-threshold %d is above pause-threshold %d", c.xon.Value, c.xoff.Value)
	case c.xoff.Value > c.buffer.Value:
		r.Find("pause-thresholds", c.xoff.At.Line, object,
			"pause-threshold %d is above buffer-size %d", c.xoff.Value, c.buffer.Value)
	case c.xoff.Value == c.buffer.Value:
		r.Find("no-drop-no-headroom", c.xoff.At.Line, object, "pause-threshold %d is the whole buffer-size: nothing "+
			"is left for packets that arrive after the pause", c.xoff.Value)
	}
	if c.shares {
		r.Find("pause-thresholds", c.buffer.At.Line, object, "pause buffer-size beside bandwidth or priority: an "+
			"input queuing policy has one of the two (Cisco's guide)").Suspect("a policy that is applied for output alone")
	}
}

// detect reads random-detect minimum-threshold 150 kbytes maximum-threshold 3000 kbytes drop-probability 7 weight 0
// ecn. Probabilities are percents, which is inferred from public configurations, with 7 to 100.
func (r *reader) detect(c *policyClass, words *statements.Cursor, a *statements.Statement, object string) {
	var bounds [2]audit.Number // the two thresholds as they are compared
	s := audit.Service{DetectAt: r.At(a.Line)}
	read := len(a.Words) > 1
	for read && words.Left() {
		switch what := words.Next(); what {
		case "minimum-threshold":
			bounds[0], s.Min = r.threshold(words, a, object, what)
		case "maximum-threshold":
			bounds[1], s.Max = r.threshold(words, a, object, what)
		case "drop-probability":
			s.Probability = r.Int(words.Next(), a.Line, object, what, 0, 100)
		case "weight":
			r.Int(words.Next(), a.Line, object, what, 0, 15)
		case "threshold":
			read = words.Any("burst-optimized", "mesh-optimized") != ""
		case "ecn":
			s.Marks = true
		default:
			read = false
		}
	}
	if !read || !words.End() {
		return
	}
	s.Drops = !s.Marks
	if s.Min.Given == s.Max.Given { // both in bytes, or both in a unit of their own
		r.AddMarking(object, a.Line, bounds[0], bounds[1])
	}
	to := &c.service
	to.Min, to.Max, to.Probability = s.Min, s.Max, s.Probability
	to.Marks, to.Drops, to.DetectAt = s.Marks, s.Drops, s.DetectAt
}

// threshold reads a threshold with its unit, as it is compared with the other one of the statement, and in bytes.
func (r *reader) threshold(words *statements.Cursor, a *statements.Statement, object, what string) (own,
	bytes audit.Number) {
	own = r.Int(words.Next(), a.Line, object, what, 0, mostSize)
	scale, named := units[words.Peek()]
	if named {
		words.Next()
	}
	if bytes = own; named {
		bytes.Value *= scale
		if bytes.Given = own.Given && scale > 0; bytes.Given {
			own = bytes
		}
	}
	return own, bytes
}
