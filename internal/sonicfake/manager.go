package sonicfake

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Row is a row of pg_profile_lookup.ini, or the result of the plug-in for headroom. All
// values are texts, as in the file.
type Row struct{ Size, XON, XOFF, Threshold, XONOffset string }

// Manager is the buffer manager of a switch, buffermgrd: it acts on CONFIG_DB and says what the switch applies. It was
// written from sonic-swss at e6b0c5b5d, cfgmgr/buffermgr.cpp (the traditional model), cfgmgr/buffermgrdyn.cpp and
// cfgmgr/buffer_pool_mellanox.lua (the dynamic one). DEVICE_METADATA says which of the two a switch runs.
//
// Not here: warm restarts, auto-negotiation, gearboxes, ports of eight lanes, zero profiles
// of ports that are down, and percentages of pools.
type Manager struct {
	Vendor string // ASIC_VENDOR: mellanox, barefoot, broadcom
	// Rows are the rows of pg_profile_lookup.ini by speed and cable: "100000", "40m".
	Rows map[[2]string]Row
	// Headroom is the dynamic model's plug-in, or nil.
	Headroom func(speed, cable, mtu string) Row
	// The dynamic model: mmu_size, the pipeline latency, the default alpha, and the limit of
	// a port's headroom (max_headroom_size; 0: none), in bytes.
	MMU, Latency, MaxHeadroom int64

	Log []string // its errors

	cable, speed, status, pfc map[string]string // by port, as it has read them
}

func (m *Manager) complain(format string, args ...any) {
	m.Log = append(m.Log, fmt.Sprintf(format, args...))
}

func dynamic(db DB) bool { return db["DEVICE_METADATA"]["localhost"]["buffer_model"] == "dynamic" }

// boot has the manager read a configuration from the beginning.
func (m *Manager) boot(db DB) {
	m.cable, m.speed, m.status, m.pfc = map[string]string{}, map[string]string{}, map[string]string{}, map[string]string{}
	m.notice(db)
}

// notice has the manager read what has changed: cables, ports and PFC, in this order.
func (m *Manager) notice(db DB) {
	if dynamic(db) {
		return // it writes nothing to CONFIG_DB: see Applied
	}
	for _, list := range slices.Sorted(maps.Keys(db["CABLE_LENGTH"])) {
		for _, port := range slices.Sorted(maps.Keys(db["CABLE_LENGTH"][list])) {
			if length := db["CABLE_LENGTH"][list][port]; m.cable[port] != length {
				m.cable[port] = length
				m.bind(db, port)
			}
		}
	}
	for _, port := range slices.Sorted(maps.Keys(db["PORT"])) {
		speed, status := db["PORT"][port]["speed"], db["PORT"][port]["admin_status"]
		if status == "" {
			status = "down"
		}
		if speed != m.speed[port] || status != m.status[port] {
			m.speed[port], m.status[port] = speed, status
			m.bind(db, port)
		}
	}
	for _, port := range slices.Sorted(maps.Keys(db["PORT_QOS_MAP"])) {
		pfc, there := db["PORT_QOS_MAP"][port]["pfc_enable"]
		if old, known := m.pfc[port]; there && (!known || old != pfc) {
			m.pfc[port] = pfc
			m.bind(db, port)
		}
	}
}

// bind is doSpeedUpdateTask: it binds the lossless groups of a port to the profile of its
// speed and cable, and creates a missing profile.
func (m *Manager) bind(db DB, port string) {
	cable, known := m.cable[port]
	if !known || cable == "0m" || m.status[port] == "" {
		return
	}
	pfc, known := m.pfc[port]
	if !known {
		return
	}
	name := "pg_lossless_" + m.speed[port] + "_" + cable + "_profile"
	ids := ranges(pfc)
	if m.status[port] == "down" && (m.Vendor == "mellanox" || m.Vendor == "barefoot") {
		for _, id := range ids {
			if db["BUFFER_PG"][port+"|"+id]["profile"] == name {
				delete(db["BUFFER_PG"], port+"|"+id)
			}
		}
		return
	}
	row, there := m.Rows[[2]string{m.speed[port], cable}]
	if !there {
		m.complain("Unable to create/update PG profile for port %s. No PG profile configured for speed %s and cable length %s",
			port, m.speed[port], cable)
		return
	}
	if db["BUFFER_PROFILE"][name] == nil {
		mode := db["BUFFER_POOL"]["ingress_lossless_pool"]["mode"]
		if mode == "" {
			return
		}
		e := map[string]string{"pool": "ingress_lossless_pool", "xon": row.XON, "xoff": row.XOFF, "size": row.Size,
			mode + "_th": row.Threshold}
		if row.XONOffset != "" {
			e["xon_offset"] = row.XONOffset
		}
		db.put("BUFFER_PROFILE", name, e)
	}
	for _, id := range ids {
		if db["BUFFER_PG"][port+"|"+id]["profile"] != name {
			db.put("BUFFER_PG", port+"|"+id, map[string]string{"profile": name})
		}
	}
}

func (db DB) put(table, key string, e map[string]string) {
	if db[table] == nil {
		db[table] = map[string]map[string]string{}
	}
	db[table][key] = e
}

// ranges turns "3,4,6" into "3-4" and "6" (generateIdListFromMap).
func ranges(list string) []string {
	on := [9]bool{}
	for text := range strings.SplitSeq(list, ",") {
		if n, err := strconv.Atoi(text); err == nil && n >= 0 && n < 8 {
			on[n] = true
		}
	}
	var out []string
	for first := 0; first < 8; first++ {
		if !on[first] {
			continue
		}
		last := first
		for on[last+1] {
			last++
		}
		id := strconv.Itoa(first)
		if last > first {
			id += "-" + strconv.Itoa(last)
		}
		out, first = append(out, id), last
	}
	return out
}

// Boot starts the switch's buffer manager, as a reload or a restart does.
func (s *Switch) Boot() {
	s.mu.Lock()
	defer s.mu.Unlock()
	db := clone(s.db)
	s.Manager.boot(db)
	s.write(db)
}

// SetPort takes a port down or up, as config interface shutdown and startup do, or gives
// another field of it another value.
func (s *Switch) SetPort(port, field, value string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	db := clone(s.db)
	db["PORT"][port][field] = value
	s.Manager.notice(db)
	s.write(db)
}

// changed makes the differences between two configurations on the switch, as the updater does: ports are down while
// their groups, queues or PFC change. The manager acts at every step.
func (s *Switch) changed(before, after DB) DB {
	if s.Manager == nil {
		return after
	}
	db := clone(before)
	down := map[string]string{}
	for port := range touched(before, after) {
		if e := db["PORT"][port]; e["admin_status"] == "up" {
			down[port] = e["admin_status"]
			e["admin_status"] = "down"
		}
	}
	s.Manager.notice(db)
	for name := range union(before, after) {
		for key := range union(before[name], after[name]) {
			if maps.Equal(before[name][key], after[name][key]) {
				continue
			}
			if after[name][key] == nil {
				delete(db[name], key)
			} else {
				db.put(name, key, maps.Clone(after[name][key]))
			}
		}
		if after[name] == nil {
			delete(db, name)
		}
	}
	s.Manager.notice(db)
	for port, status := range down {
		db["PORT"][port]["admin_status"] = status
	}
	s.Manager.notice(db)
	return db
}

func union[V any](a, b map[string]V) map[string]bool {
	out := map[string]bool{}
	for name := range a {
		out[name] = true
	}
	for name := range b {
		out[name] = true
	}
	return out
}

// Applied is what the manager gives the chip: BUFFER_POOL, BUFFER_PROFILE and BUFFER_PG of
// APPL_DB. The traditional model copies them from CONFIG_DB; the dynamic one computes the
// headroom of groups without a profile, and the pools without a size.
func (s *Switch) Applied() DB {
	db := s.Config()
	out := clone(DB{"BUFFER_POOL": db["BUFFER_POOL"], "BUFFER_PROFILE": db["BUFFER_PROFILE"],
		"BUFFER_PG": db["BUFFER_PG"]})
	if !dynamic(db) {
		return out
	}
	m := s.Manager
	m.profiles(out)
	for _, key := range slices.Sorted(maps.Keys(out["BUFFER_PG"])) {
		m.group(db, out, key)
	}
	m.limits(out)
	m.pools(db, out)
	return out
}

// profiles drops the profiles whose threshold is of another mode than their pool's.
func (m *Manager) profiles(out DB) {
	for _, name := range slices.Sorted(maps.Keys(out["BUFFER_PROFILE"])) {
		e := out["BUFFER_PROFILE"][name]
		mode := out["BUFFER_POOL"][e["pool"]]["mode"]
		for _, other := range []string{"static", "dynamic"} {
			if e[other+"_th"] != "" && mode != "" && mode != other {
				m.complain("Buffer profile %s's mode %s_th doesn't align with buffer pool %s", name, other, e["pool"])
				delete(out["BUFFER_PROFILE"], name)
			}
		}
	}
}

// group gives a group its profile: the one that it names, or that of its speed and cable. A
// profile of that name which is configured is taken as it is.
func (m *Manager) group(db, out DB, key string) {
	port, _, _ := strings.Cut(key, "|")
	e := out["BUFFER_PG"][key]
	if name := e["profile"]; name != "NULL" && name != "" {
		if out["BUFFER_PROFILE"][name] == nil {
			delete(out["BUFFER_PG"], key)
		}
		return
	}
	cable := ""
	for _, list := range db["CABLE_LENGTH"] {
		cable = max(cable, list[port])
	}
	if cable == "0m" || cable == "" {
		delete(out["BUFFER_PG"], key)
		return
	}
	speed, mtu := db["PORT"][port]["speed"], db["PORT"][port]["mtu"]
	name := "pg_lossless_" + speed + "_" + cable
	if mtu != "" && mtu != "9100" {
		name += "_mtu" + mtu
	}
	name += "_profile"
	if out["BUFFER_PROFILE"][name] == nil {
		row := m.Headroom(speed, cable, mtu)
		out.put("BUFFER_PROFILE", name, map[string]string{"pool": "ingress_lossless_pool", "size": row.Size, "xon": row.XON,
			"xoff": row.XOFF, "dynamic_th": "0"})
	}
	e["profile"] = name
}

// limits drops the groups of ports whose headroom exceeds max_headroom_size.
func (m *Manager) limits(out DB) {
	sums := map[string]int64{}
	for _, key := range slices.Sorted(maps.Keys(out["BUFFER_PG"])) {
		port, ids, _ := strings.Cut(key, "|")
		size, _ := strconv.ParseInt(out["BUFFER_PROFILE"][out["BUFFER_PG"][key]["profile"]]["size"], 10, 64)
		if sums[port] += size * width(ids); m.MaxHeadroom > 0 && sums[port] > m.MaxHeadroom {
			m.complain("Update speed and cable length for port %s failed, accumulative headroom size exceeds the limit", port)
			delete(out["BUFFER_PG"], key)
		}
	}
}

// width is the number of groups or queues of a key: 2 of "3-4".
func width(ids string) int64 {
	first, last, ranged := strings.Cut(ids, "-")
	if !ranged {
		return 1
	}
	from, _ := strconv.Atoi(first)
	to, _ := strconv.Atoi(last)
	return int64(to - from + 1)
}

// The constants of buffer_pool_mellanox.lua.
const (
	managementPool  = 256 * 1024
	mirrorHeadroom  = 10 * 1024
	privateHeadroom = 10 * 1024
)

// pools gives the pools without a size the rest of the memory; two ingress pools share it.
func (m *Manager) pools(db, out DB) {
	used := int64(managementPool)
	for _, e := range db["PORT"] {
		if e["admin_status"] == "up" {
			used += m.Latency + mirrorHeadroom
		}
	}
	lossless := map[string]bool{}
	count := func(key, profile string, group bool) {
		e := out["BUFFER_PROFILE"][profile]
		size, err := strconv.ParseInt(e["size"], 10, 64)
		port, ids, _ := strings.Cut(key, "|")
		if err != nil {
			return
		}
		if group && e["xoff"] == "" {
			size += m.Latency
		}
		lossless[port] = lossless[port] || group && e["xoff"] != ""
		used += size * width(ids)
	}
	for key, e := range out["BUFFER_PG"] {
		count(key, e["profile"], true)
	}
	for key, e := range db["BUFFER_QUEUE"] {
		count(key, e["profile"], false)
	}
	for _, list := range []string{"BUFFER_PORT_INGRESS_PROFILE_LIST", "BUFFER_PORT_EGRESS_PROFILE_LIST"} {
		for key, e := range db[list] {
			for name := range strings.SplitSeq(e["profile_list"], ",") {
				count(key, name, list == "BUFFER_PORT_INGRESS_PROFILE_LIST")
			}
		}
	}
	if xoff, err := strconv.ParseInt(db["BUFFER_POOL"]["ingress_lossless_pool"]["xoff"], 10, 64); err == nil && xoff > 0 {
		used += xoff
		for _, on := range lossless {
			if on {
				used += privateHeadroom
			}
		}
	}
	ingress := int64(0)
	for _, e := range out["BUFFER_POOL"] {
		if e["type"] == "ingress" && e["size"] == "" {
			ingress++
		}
	}
	size := m.MMU - used
	if ingress != 1 {
		size /= 2
	}
	for _, e := range out["BUFFER_POOL"] {
		if e["size"] == "" {
			e["size"] = strconv.FormatInt(size, 10)
		}
	}
}
