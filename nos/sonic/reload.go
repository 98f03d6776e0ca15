package sonic

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/nos"
)

// judge decides for each change whether it can be made now: first by the updater's
// rules, then by the changes that it depends on.
func (d *differ) judge() {
	for i := range d.out {
		if c := &d.out[i]; c.why == "" {
			c.why = d.rule(c)
		}
	}
	d.waitTogether("BUFFER_POOL")
	d.waitTogether("BUFFER_PROFILE")
	d.waitTogether("WRED_PROFILE")
	ports := d.waitingPorts()
	for i := range d.out {
		if c := &d.out[i]; c.why == "" {
			c.why = d.dependence(c, ports)
		}
	}
}

// rule says why the updater refuses a change by itself; empty: it accepts it.
func (d *differ) rule(c *change) string {
	missing := d.now != nil && len(d.now[c.table]) == 0
	switch {
	case c.table == "BUFFER_POOL" && c.field == "" && d.now != nil:
		return "the updater adds no pool"
	case c.table == "BUFFER_POOL" && c.field == "":
		return cmp.Or(d.updater.pool(c.key, "size"), "the updater adds no pool, and the switch's configuration is unknown")
	case c.table == "BUFFER_POOL":
		return d.updater.pool(c.key, c.field)
	case c.table == "BUFFER_PROFILE" && missing:
		return "the updater does not add the first profile to an empty table"
	case c.table == "BUFFER_PROFILE" && c.field == "":
		if d.now != nil && d.now["BUFFER_POOL"][c.after["pool"]] == nil {
			return "the switch has no pool " + c.after["pool"]
		}
		return d.updater.wholeProfile()
	case c.table == "PORT_QOS_MAP" && c.field == "pfc_enable" && c.after == nil:
		return d.keepsPFC(c.key)
	case c.table == "PFC_WD":
		return d.updater.watchdog()
	case c.table == "BUFFER_PROFILE" && (c.before == nil && c.field != discardAction || c.after == nil):
		return "the updater does not add or remove fields of a profile"
	case c.table == "BUFFER_PROFILE":
		if others := d.otherUsers(c.key); len(others) > 0 {
			return "ports that are not in the plan also use it: " + strings.Join(others, ", ")
		}
		return d.updater.field(c.key, c.field)
	case c.table == "WRED_PROFILE":
		return d.updater.wholeProfile()
	}
	return ""
}

// otherUsers lists ports outside the plan whose groups or queues use a profile.
func (d *differ) otherUsers(profile string) []string {
	var out []string
	for _, name := range []string{"BUFFER_PG", "BUFFER_QUEUE"} {
		for _, key := range slices.Sorted(maps.Keys(d.now[name])) {
			s, ok := scopeOf(key)
			if !ok || d.now[name][key]["profile"] != profile {
				continue
			}
			for _, p := range s.ports {
				if d.want["PORT_QOS_MAP"][p] == nil && !slices.Contains(out, p) {
					out = append(out, p)
				}
			}
		}
	}
	return out
}

// waitTogether makes all changed fields of an entry wait if one of them waits: half of a
// profile would be another profile.
func (d *differ) waitTogether(name string) {
	d.waits[name] = map[string]string{}
	for _, c := range d.out {
		if c.table == name && c.why != "" && d.waits[name][c.key] == "" {
			d.waits[name][c.key] = c.why
		}
	}
	for i := range d.out {
		if c := &d.out[i]; c.table == name && c.why == "" && d.waits[name][c.key] != "" {
			c.why = "all fields of the entry wait together: " + d.waits[name][c.key]
		}
	}
}

// waitingPorts maps each port with a lossless group whose profile waits to that profile.
func (d *differ) waitingPorts() map[string]string {
	out := map[string]string{}
	for _, key := range slices.Sorted(maps.Keys(d.want["BUFFER_PG"])) {
		s, _ := scopeOf(key)
		profile := d.want["BUFFER_PG"][key]["profile"]
		if d.waits["BUFFER_PROFILE"][profile] != "" && d.want["BUFFER_PROFILE"][profile]["xoff"] != "" {
			out[s.ports[0]] = profile
		}
	}
	return out
}

// dependence says which waiting change this one needs, although it could be made by itself; empty: none.
func (d *differ) dependence(c *change, ports map[string]string) string {
	switch c.table {
	case "BUFFER_PG", "BUFFER_QUEUE":
		if p := c.after["profile"]; d.waits["BUFFER_PROFILE"][p] != "" {
			return "it needs profile " + p + ", which needs a reload"
		}
		if p := ports[portOf(c.key)]; c.after == nil && p != "" {
			return "it belongs to the port's lossless groups, which need profile " + p
		}
	case "QUEUE":
		if p := c.after["wred_profile"]; d.waits["WRED_PROFILE"][p] != "" {
			return "it needs profile " + p + ", which needs a reload"
		}
	case "CABLE_LENGTH", "PORT_QOS_MAP", "PFC_WD":
		port := c.key
		if c.table == "CABLE_LENGTH" {
			port = c.field
		}
		for _, name := range slices.Sorted(maps.Keys(ports)) {
			if p := ports[name]; name == port || c.field == "" && c.after[name] != "" {
				return "it belongs to the port's lossless groups, which need profile " + p
			}
		}
	}
	return ""
}

func portOf(key string) string {
	port, _, _ := strings.Cut(key, "|")
	return port
}

// reload is the configuration that has to be merged before a reload. It has the cables that have to be changed before
// anything else as well: without them the buffer manager would bind the groups again when the switch has loaded it.
func reload(changes []change) Database {
	out := Database{}
	waits := slices.ContainsFunc(changes, func(c change) bool { return c.why != "" })
	for _, c := range changes {
		first := waits && c.phase() == cablesFirst
		if (c.why != "" || first) && c.after != nil {
			out.Set(c.table, c.key, c.after)
		}
	}
	return out
}

// waiting lists the changes that need a reload.
func waiting(changes []change) []nos.Waiting {
	var out []nos.Waiting
	for _, c := range changes {
		if c.why == "" {
			continue
		}
		w := nos.Waiting{Path: nos.Text(Path(c.path()...)), Why: c.why, Critical: c.critical()}
		if c.before != nil {
			w.From = string(nos.Compact((&change{field: c.field, after: c.before}).value()))
		}
		if c.after != nil {
			w.To = string(nos.Compact(c.value()))
		}
		out = append(out, w)
	}
	return out
}

// critical tells whether lossless groups need a change. They do not need marking,
// nor the profiles of lossy groups and queues.
func (c *change) critical() bool {
	switch c.table {
	case "WRED_PROFILE", "QUEUE", "SCHEDULER", "PFC_WD", trimmings:
		return false
	case "BUFFER_PROFILE":
		return !strings.HasPrefix(c.key, ownLossy) && !strings.HasPrefix(c.key, ownQueue+"LOSSY_")
	case "BUFFER_PG":
		return !strings.HasPrefix(c.after["profile"], ownLossy)
	case "BUFFER_QUEUE":
		return !strings.HasPrefix(c.after["profile"], ownQueue+"LOSSY_")
	}
	return true
}

// byHand names the entries that have to be deleted by hand before a reload, because a merge deletes nothing.
func byHand(changes []change) []string {
	var gone []string
	for _, c := range changes {
		if c.why != "" && c.after == nil {
			gone = append(gone, pointer(c.path()...))
		}
	}
	if len(gone) == 0 {
		return nil
	}
	return []string{"remove these entries by hand before the reload: " + strings.Join(gone, ", ")}
}
