package junos_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/internal/readertest"
	"github.com/cellwarden/cellwarden/nos/junos"
)

// grouped is a configuration of our own with hierarchical scheduling, in the form of Juniper's guide: two groups of
// queues, of which one has two queues.
const grouped = `class-of-service {
    forwarding-classes {
        class LAN queue-num 0;
        class RDMA queue-num 3;
        class STORAGE queue-num 4;
    }
    forwarding-class-sets {
        lan {
            class LAN;
        }
        san {
            class RDMA;
            class STORAGE;
        }
    }
    traffic-control-profiles {
        tcp-lan {
            scheduler-map only-lan;
            guaranteed-rate percent 40;
        }
        tcp-san {
            scheduler-map two;
            guaranteed-rate percent 60;
        }
    }
    interfaces {
        et-0/0/0 {
            forwarding-class-set {
                lan {
                    output-traffic-control-profile tcp-lan;
                }
                san {
                    output-traffic-control-profile tcp-san;
                }
            }
        }
    }
    scheduler-maps {
        only-lan {
            forwarding-class LAN scheduler s100;
        }
        two {
            forwarding-class RDMA scheduler s67;
            forwarding-class STORAGE scheduler first;
        }
    }
    schedulers {
        s100 {
            transmit-rate percent 100;
        }
        s67 {
            transmit-rate percent 67;
        }
        first {
            priority strict-high;
        }
    }
}
`

// TestGroups reads both levels: the group of each queue with its part of the port, and the part of the queue in it.
func TestGroups(t *testing.T) {
	r := readertest.Run(t, junos.System.Read, grouped, "")
	require.Empty(t, r.Findings)
	require.Zero(t, r.What().Statements.Unread)
	served := map[int][4]any{}
	for n, s := range r.Switch.Ports[0].Service {
		if s != nil {
			served[n] = [4]any{s.Group, int(s.GroupPercent.Value), int(s.Percent.Value), s.Strict}
		}
	}
	require.Equal(t, map[int][4]any{0: {"lan", 40, 100, false}, 3: {"san", 60, 67, false}, 4: {"san", 60, 0, true}},
		served)
}

// TestMistakesOfGroups makes one mistake at a time.
func TestMistakesOfGroups(t *testing.T) {
	readertest.Mistakes(t, junos.System.Read, grouped, []readertest.Mistake{
		readertest.Wrong("a set is missing", "name-missing",
			`it names "wan", and there is no forwarding class set of this name`,
			"                lan {", "                wan {"),
		readertest.Wrong("a class of a set is missing", "name-missing", `it names "NAS", and there is no forwarding class`,
			"            class STORAGE;", "            class NAS;"),
		readertest.Wrong("a profile is missing", "name-missing",
			`it names "tcp-wan", and there is no traffic control profile of this name`,
			"output-traffic-control-profile tcp-lan", "output-traffic-control-profile tcp-wan"),
		readertest.Wrong("a scheduler map of a profile is missing", "name-missing",
			`it names "three", and there is no scheduler map of this name`, "scheduler-map two", "scheduler-map three"),
		readertest.Wrong("guaranteed rates above 100", "bandwidth-sum",
			"guaranteed-rate of all forwarding class sets is 101 % together", "percent 60", "percent 61"),
		readertest.Wrong("a rate that is none", "number-format",
			`guaranteed-rate percent is "most": want a whole number, 0 to 100`, "percent 60", "percent most"),
	})
}
