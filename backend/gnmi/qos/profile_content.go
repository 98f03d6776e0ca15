package qos

import (
	"crypto/sha256"
	"fmt"
	"strconv"
	"strings"

	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/unit"
)

// The profiles that cellwarden writes are named by a prefix that marks them as its own, by their type, and by a digest
// of their content: rendering the same plan again gives the same names, and nothing has to be sent.
const (
	ownedPrefix      = "cellwarden-"
	prefixAllocation = ownedPrefix + "pg-"
	prefixCurve      = ownedPrefix + "ecn-"
	prefixMinima     = ownedPrefix + "out-"
	prefixPolicy     = ownedPrefix + "sched-"
	prefixIPv4       = ownedPrefix + "dscp4-"
	prefixIPv6       = ownedPrefix + "dscp6-"
	prefixGroup      = ownedPrefix + "priority-" // of forwarding groups; the number follows
)

// owned tells whether a profile is cellwarden's to write and to delete.
func owned(profile string) bool { return strings.HasPrefix(profile, ownedPrefix) }

// digest is the end of a profile's name. It is short, because switches limit the
// length of names. A switch has tens of profiles: 48 bits tell them apart.
func digest(content string) string {
	sum := sha256.Sum256([]byte(content))
	return fmt.Sprintf("%x", sum[:6])
}

// profile is what a profile of a switch says, with the complaints about values that cannot be registers. They matter
// only if a port is bound to the profile.
type profile struct {
	content    content
	complaints fielderr.List
}

// says tells whether a profile has this content and no complaints.
func (p profile) says(c content) bool { return len(p.complaints) == 0 && p.content == c }

// maxBytes is more than any switch has, and far from where integers overflow.
const maxBytes = 1 << 50

// readBytes reads a leaf that is a size; an absent leaf is 0.
func readBytes(v *uint64, path string, bad *fielderr.List) unit.Bytes {
	switch {
	case v == nil:
		return 0
	case *v > maxBytes:
		bad.Add(path, strconv.FormatUint(*v, 10), fmt.Sprintf("0 to %d bytes", int64(maxBytes)))
		return 0
	default:
		return unit.Bytes(*v)
	}
}

// setCells writes a count of cells into a register's place. It returns what would
// be accepted instead of a count that no leaf in bytes can hold.
func setCells(to *int64, v int64, cell cells.Size) (accepted string) {
	if most := maxBytes / int64(cell); v < 0 || v > most {
		return fmt.Sprintf("0 to %d cells", most)
	}
	*to = v
	return ""
}

// isTrue reads a leaf that is false when it is absent.
func isTrue(v *bool) bool { return v != nil && *v }

// enumText prints a value of an enumeration; 0 is an absent leaf.
func enumText[E interface {
	~int64
	fmt.Stringer
}](v E) string {
	if v == 0 {
		return "none"
	}
	return v.String()
}
