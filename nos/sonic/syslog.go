package sonic

import (
	"fmt"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/unit"
)

// The lines that SONiC's buffer manager (buffermgrd) logs when it refuses. They
// are word for word, because other programs look for them.

// ProfileSyslog returns the line that SONiC logs when a new profile makes a
// port's headroom too large.
func ProfileSyslog(r *buffer.Refusal) string {
	return fmt.Sprintf("Unable to update profile for port %s. Accumulative headroom size exceeds limit", r.Port)
}

// SpeedCableSyslog returns the line that SONiC logs when a new speed or cable
// makes a port's headroom too large. It gives the speed in Mb/s and the cable as
// configured.
func SpeedCableSyslog(r *buffer.Refusal, speed unit.BitRate, cable unit.Length) string {
	return fmt.Sprintf("Update speed (%d) and cable length (%v) for port %s failed, "+
		"accumulative headroom size exceeds the limit",
		int64(speed/unit.Mbps), cable, r.Port)
}
