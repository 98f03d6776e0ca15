package sonic

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// The generic configuration updater refuses changes by table, field, chip and release. The rules in this file were read
// on 2026-11-22 from sonic-utilities at 691b1bbc (2026-07-23) and the tips of its branches 202305 to 202605:
// generic_config_updater/gcu_field_operation_validators.conf.json and field_operation_validators.py. Three rules are
// easily missed:
//
//   - The updater checks the difference between the configuration before and after, not
//     the patch that it was given. A profile that is replaced as a whole is therefore
//     judged by each field that differs (gu_common.py, validate_field_operation).
//   - A difference that deletes an object and adds an equal one under another name
//     becomes a move (python-json-patch), which every rule for profiles refuses. So
//     profiles that nothing points at are deleted in a Set of their own.
//   - The updater finds the chip by the switch's HwSKU. A SKU that is not in its lists
//     has no chip, and every change with a rule is refused.

// rules names the code that the rules are from, with its date.
const rules = "sonic-utilities 691b1bbc (2026-07-23)"

// release is a release of SONiC as a number, 202405; 0: not known.
type release int

// master stands for the main branch, which is newer than every release.
const master release = 999912

// wholeProfiles is the first release that accepts profiles as a whole, for buffers and for marking, and refuses every
// change of a pool. Releases before it accept single fields of pools.
const wholeProfiles release = 202511

// anyProfileName is the first release that finds the field of a profile whatever the
// profile's name is: it judges BUFFER_PROFILE by buffer_profile_config_update_validator. Before it,
// also in branch 202505, rdma_config_update_validator missed the fields of a profile without a digit in its name.
const anyProfileName release = 202511

// emptyPFC is the first release whose model of PORT_QOS_MAP has an empty pfc_enable (sonic-buildimage,
// sonic-port-qos-map.yang: branches 202305, 202311, 202405 and 202411 want a priority). The updater of an earlier one
// refuses it.
const emptyPFC release = 202505

// ParseRelease reads a release: 202405, 20240510, master, or the version that a switch reports, such as
// SONiC.20240510.22 or SONiC.master.912-1a2b3c4d. It refuses a text without a release.
func ParseRelease(text string) (string, error) {
	if releaseOf(text) == 0 {
		return "", fmt.Errorf("SONiC release %q (want such as 202405, 20240510 or master)", text)
	}
	return text, nil
}

func releaseOf(text string) release {
	for word := range strings.SplitSeq(text, ".") {
		if strings.EqualFold(word, "master") {
			return master
		}
		n, err := strconv.Atoi(word)
		if err != nil || len(word) != 6 && len(word) != 8 {
			continue
		}
		if len(word) == 8 {
			n /= 100
		}
		if month := n % 100; n >= 201000 && n < int(master) && month >= 1 && month <= 12 {
			return release(n)
		}
	}
	return 0
}

// String names a release as its branch is.
func (r release) String() string {
	if r == master {
		return "master"
	}
	return strconv.Itoa(int(r))
}

// since is the first release whose updater accepts another value of a field of a profile, by the updater's own short
// names of chips: the first branch that names the chip without asking for a newer build. The updater does not know
// chips that are not listed here; it knows jr2 and has no rules for it.
var since = map[string]map[string]release{
	"dynamic_th": {
		"spc1": 202305, "spc2": 202305, "spc3": 202305, "spc4": 202305, "spc5": 202505, "spc6": master,
		"td2": 202305, "td3": 202305, "td4": 202505,
		"th": 202305, "th2": 202305, "th3": 202405, "th4": 202405, "th5": 202405, "th6": 202605,
		"j2c+": 202405, "q2c+": 202505, "q3d": 202511, "cisco-8000": 202305, "marvell-teralynx": 202511,
	},
	"xoff": {
		"spc1": 202305, "spc2": 202305, "spc3": 202305, "spc4": 202305, "spc5": 202505, "spc6": master,
		"td3": 202305, "td4": 202505,
		"th": 202305, "th2": 202305, "th3": 202405, "th4": 202405, "th5": 202405, "th6": 202605,
		"j2c+": 202405, "q2c+": 202505, "q3d": 202511, "cisco-8000": 202305, // td2 and marvell-teralynx: never
	},
	// packet trimming; the field may also be added
	discardAction: {"spc4": 202511, "spc5": 202511, "th5": 202511, "th6": 202605, "spc6": master},
}

// discardAction is the field of a profile that says what becomes of a packet that is not admitted: drop, or trim.
const discardAction = "packet_discard_action"

// trims tells whether a profile trims packets. Without the field it drops them.
func trims(profile Entry) bool { return profile[discardAction] == "trim" }

// watchdog says why the updater refuses a change of PFC_WD; empty: it accepts it. In each
// branch the chips are those of dynamic_th.
func (u updater) watchdog() string {
	return u.first(since["dynamic_th"], "changes of PFC_WD")
}

// first says why the updater refuses what it accepts on each chip from a release on; empty: it accepts it.
func (u updater) first(from map[string]release, what string) string {
	switch first := from[u.asic]; {
	case u.asic == "":
		return "the updater accepts " + what + " only on some chips, and the chip is unknown (--sonic-asic)"
	case first == 0:
		return fmt.Sprintf("the updater never accepts %s on %s", what, u.asic)
	case u.release == 0:
		return unknownRelease
	case u.release < first:
		return fmt.Sprintf("the updater accepts %s on %s from %v on, and the release is %v", what, u.asic, first, u.release)
	}
	return ""
}

// chips are the updater's names of the chips of cellwarden's catalogue. A chip whose
// switches are in none of the updater's lists is left out.
var chips = map[string]string{
	"trident2": "td2", "trident3": "td3", "trident4": "td4",
	"tomahawk": "th", "tomahawk2": "th2", "tomahawk3": "th3",
	"tomahawk4": "th4", "tomahawk5": "th5", "tomahawk6": "th6",
	"jericho2":   "jr2",
	"spectrum-1": "spc1", "spectrum-2": "spc2", "spectrum-3": "spc3",
	"spectrum-4": "spc4", "spectrum-5": "spc5", "spectrum-6": "spc6",
	"silicon-one-q200": "cisco-8000", "silicon-one-g100": "cisco-8000",
	"silicon-one-g200": "cisco-8000", "silicon-one-p200": "cisco-8000",
	"teralynx7": "marvell-teralynx", "teralynx10": "marvell-teralynx",
}

// ASICs lists the updater's names of chips.
func ASICs() []string {
	out := []string{"jr2"}
	for name := range since["dynamic_th"] {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

// updater is the generic configuration updater of one switch.
type updater struct {
	asic    string // empty: not known
	release release
}

const unknownRelease = "the updater accepts this only in some releases, and the release is unknown (--sonic-release)"

// wholeProfile says why the updater refuses a profile as a whole, for buffers or for marking; empty: it accepts it.
func (u updater) wholeProfile() string {
	switch {
	case u.release == 0:
		return unknownRelease
	case u.release < wholeProfiles:
		return fmt.Sprintf("the updater of %v does not accept whole profiles; that of %v does", u.release, wholeProfiles)
	}
	return ""
}

// field says why the updater refuses another value of a field of a buffer profile; empty: it accepts it.
func (u updater) field(profile, name string) string {
	from, known := since[name]
	if !known {
		return "the updater accepts no change of field " + name + " of a profile on any chip"
	}
	switch why := u.first(from, name); {
	case why != "":
		return why
	case u.release < anyProfileName && !strings.ContainsAny(profile, "0123456789"):
		return fmt.Sprintf("the updater of %v accepts no change of a profile whose name has no digit", u.release)
	}
	return ""
}

// pool says why the updater refuses another value of a field of a pool; empty: it accepts it.
func (u updater) pool(name, field string) string {
	switch {
	case u.release == 0:
		return "the updater accepts no change of a pool from " + wholeProfiles.String() +
			" on, and the release is unknown (--sonic-release)"
	case u.release >= wholeProfiles:
		return "the updater accepts no change of a pool"
	case name != pool || field != "size" && field != "xoff":
		return fmt.Sprintf("the updater of %v accepts changes only of size and xoff of %s", u.release, pool)
	}
	return u.field(name+"0", "xoff") // pools had the chips and releases of xoff
}
