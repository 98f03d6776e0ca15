package sonic

import (
	_ "embed"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/cellwarden/cellwarden/audit"
	"github.com/cellwarden/cellwarden/finding"
	"github.com/cellwarden/cellwarden/internal/configdb"
	"github.com/cellwarden/cellwarden/internal/csvcell"
	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/internal/grouped"
	"github.com/cellwarden/cellwarden/internal/once"
)

// This file has what SONiC's YANG models of buffers and QoS accept: sonic-buildimage 086b03bd,
// src/sonic-yang-models/yang-models. Sizes in bytes, the numbers of groups and queues, weights, thresholds in order and
// names that lead nowhere are checked where they are read.

// modelTable has the fields that a model wants or bounds, as its first lines describe.
//
//go:embed models.csv
var modelTable string

// modelled is a field of a table and what its model accepts.
type modelled struct {
	table, name string
	needed      bool     // mandatory
	texts       []string // nil: it is a number
	low, high   int64
}

// models are the fields of each table.
var models = once.Value(func() [][]modelled {
	all := grouped.Each(csvcell.Rows(modelTable), func(row []string) modelled {
		m := modelled{table: row[0], name: row[1], needed: row[2] == "needed", low: math.MinInt64, high: math.MaxInt64}
		if _, err := fmt.Sscanf(row[3], "%d..%d", &m.low, &m.high); err != nil && row[3] != "number" {
			m.texts = strings.Fields(row[3])
		}
		return m
	})
	return grouped.Lists(all, func(m modelled) string { return m.table })
})

// most32 is the largest number of uint32.
const most32 = 1<<32 - 1

// refused finds the values that SONiC's models reject.
func (r *reading) refused() {
	for _, fields := range models() {
		for _, e := range r.db.Table(fields[0].table).All() {
			for _, f := range fields {
				r.accepts(e, f.table+"|"+e.Key, f)
			}
		}
	}
	r.names()
	r.percentages()
	r.rates()
	r.watchdog()
	r.withoutPort()
}

// accepts checks a field of an entry.
func (r *reading) accepts(e *configdb.Entry, object string, m modelled) {
	f := e.Field(m.name)
	if f == nil {
		if m.needed {
			r.FindAt("field-missing", e.At, object, "there is no %s", m.name)
		}
		return
	}
	if m.texts != nil {
		if slices.Contains(m.texts, f.Value) {
			return
		}
		r.FindAt("value-refused", f.At, object, "%s is %s: want %s", m.name, fielderr.Quote(f.Value),
			strings.Join(m.texts, ", "))
		return
	}
	n := r.number(e, object, m.name)
	if n.Given && (n.Value < m.low || n.Value > m.high) {
		r.FindAt("value-refused", n.At, object, "%s is %d: want %d to %d", m.name, n.Value, m.low, m.high)
	}
}

// named are the tables whose entries have names of at most 32 letters, digits, - and _. They begin with a letter or a
// digit (the pattern of the key in their models).
var named = []string{"WRED_PROFILE", "DEFAULT_LOSSLESS_BUFFER_PARAMETER", "LOSSLESS_TRAFFIC_PATTERN", "CABLE_LENGTH",
	"MPLS_TC_TO_TC_MAP", "DSCP_TO_FC_MAP", "EXP_TO_FC_MAP", "DSCP_TO_TC_MAP", "DOT1P_TO_TC_MAP", "TC_TO_DSCP_MAP",
	"TC_TO_QUEUE_MAP", "TC_TO_PRIORITY_GROUP_MAP", "MAP_PFC_PRIORITY_TO_QUEUE", "PFC_PRIORITY_TO_PRIORITY_GROUP_MAP"}

// mostName is the length of the longest name of an entry.
const mostName = 32

// names checks the names of entries.
func (r *reading) names() {
	for _, table := range named {
		for _, e := range r.db.Table(table).All() {
			if e.Key == "" || len(e.Key) > mostName || strings.ContainsFunc(e.Key, notInName) ||
				strings.ContainsAny(e.Key[:1], "-_") {
				r.FindAt("value-refused", e.At, table+"|"+e.Key, "the name is %s: want at most %d letters, digits, - and _",
					fielderr.Quote(e.Key), mostName)
			}
		}
	}
}

// notInName tells whether no name has the letter.
func notInName(c rune) bool {
	return (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '-' && c != '_'
}

// percentages checks the pools that are a part of what there is (sonic-buffer-pool.yang): the dynamic manager computes
// their size. The model has no limit for their sum.
func (r *reading) percentages() {
	for _, e := range r.db.Table("BUFFER_POOL").All() {
		f := e.Field("percentage")
		switch {
		case f == nil:
		case e.Field("size") != nil:
			r.FindAt("value-refused", f.At, "BUFFER_POOL|"+e.Key, "there are size and percentage: want one of them")
		case !r.sw.Dynamic && r.sw.Tables["DEVICE_METADATA"]:
			r.FindAt("value-refused", f.At, "BUFFER_POOL|"+e.Key, "percentage: want it with buffer_model dynamic alone")
		}
	}
}

// rates checks that the rates and bursts of a scheduler, and the thresholds of a marking profile, stand beside those
// that they need (sonic-scheduler.yang).
func (r *reading) rates() {
	for _, e := range r.db.Table("SCHEDULER").All() {
		for _, pair := range [][2]string{{"pir", "cir"}, {"cbs", "cir"}, {"pbs", "pir"}} {
			if e.Field(pair[0]) == nil {
				continue
			}
			if value, given := valueOf(e, pair[1]); !given || value == 0 {
				r.FindAt("value-refused", e.Field(pair[0]).At, "SCHEDULER|"+e.Key, "there is %s without %s", pair[0], pair[1])
			}
		}
		for _, pair := range [][2]string{{"pir", "cir"}, {"pbs", "cbs"}} {
			r.notBelow(e, "SCHEDULER|"+e.Key, pair[0], pair[1], e)
		}
	}
	for _, e := range r.db.Table("WRED_PROFILE").All() {
		for _, colour := range audit.Colours() {
			high, low := e.Field(colour+"_max_threshold"), e.Field(colour+"_min_threshold")
			if high != nil && low == nil { // the model compares with a threshold that is not there (sonic-wred-profile.yang)
				r.FindAt("value-refused", high.At, "WRED_PROFILE|"+e.Key, "there is %s without %s_min_threshold", high.Name, colour)
			}
		}
	}
}

// notBelow checks that a number is not below another one, which may be of another entry.
func (r *reading) notBelow(e *configdb.Entry, object, large, small string, of *configdb.Entry) {
	most, given := valueOf(e, large)
	least, other := valueOf(of, small)
	if given && other && most < least {
		r.FindAt("value-refused", e.Field(large).At, object, "%s is %d: want at least %d, the %s", large, most, least, small)
	}
}

// valueOf returns the number of a field; false: there is none.
func valueOf(e *configdb.Entry, name string) (int64, bool) {
	text, _ := e.Text(name)
	v, err := strconv.ParseInt(text, 10, 64)
	return v, err == nil
}

// The table of the watchdog of PFC, and the entry of the whole switch in it.
const (
	watchdogs = "PFC_WD"
	everyPort = "GLOBAL"
)

// watchdog compares the times of ports with the interval in which they are polled. The interval is of the whole switch,
// and the others are of ports (sonic-pfcwd.yang).
func (r *reading) watchdog() {
	global := r.db.Table(watchdogs).Entry(everyPort)
	for _, e := range r.db.Table(watchdogs).All() {
		object := watchdogs + "|" + e.Key
		for _, name := range []string{"action", "detection_time", "restoration_time", "pfc_stat_history", "POLL_INTERVAL"} {
			if f := e.Field(name); f != nil && (e == global) != (name == "POLL_INTERVAL") {
				r.FindAt("value-refused", f.At, object, "%s: want it in %s", name,
					map[bool]string{true: "the entries of ports", false: everyPort}[e == global])
			}
		}
		if e == global {
			continue
		}
		r.notBelow(e, object, "detection_time", "POLL_INTERVAL", global)
		r.notBelow(e, object, "restoration_time", "POLL_INTERVAL", global)
		if r.sw.Tables["PORT"] && r.KnownPort(e.Key) == nil {
			r.without(watchdogs, e.Key, e.At)
		}
	}
}

// absent are the ports that a table names and PORT does not have.
type absent struct {
	at    finding.Place // of the first
	ports []string
}

// without notes that PORT does not have a port that a table names.
func (r *reading) without(table, name string, at finding.Place) {
	once := [3]string{"port-missing", table, name}
	if r.told[once] {
		return
	}
	r.told[once] = true
	a := r.absent.Of(table)
	if len(a.ports) == 0 {
		a.at = at
	}
	a.ports = append(a.ports, name)
}

// withoutPort adds a finding for each table that names ports which are not there.
func (r *reading) withoutPort() {
	for table, a := range r.absent.All() {
		names := strings.Join(a.ports[:min(len(a.ports), 3)], ", ")
		if len(a.ports) > 3 {
			names = fmt.Sprintf("%s … %s (%d ports)", a.ports[0], a.ports[len(a.ports)-1], len(a.ports))
		}
		r.FindAt("port-missing", a.at, table, "it names ports that PORT does not have: %s", names)
	}
}
