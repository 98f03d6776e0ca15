// Package audit says what the buffer configuration of a switch means in cells, and what is wrong with it.
//
// Most switches have a configuration and no topology file. [Run] reads the tables of CONFIG_DB as they are: pools,
// profiles, groups and queues, PFC, maps, cables, marking and schedulers. It makes the lossless groups that the switch
// makes itself from a headroom table, counts the cells of all groups slice by slice where the chip is known, and
// returns findings. A finding has a code, a place, the numbers that were compared and a repair:
//
//	db, err := sonic.System.Read("config_db.json", data, audit.Chip{})
//	if err != nil {
//		return err
//	}
//	result := audit.Run(audit.Source{File: "config_db.json", Reading: db})
//
// [table.Lint] checks a headroom table by itself.
//
// A finding is certain if no reading of the configuration makes it right: the chip cannot hold it, or a name leads
// nowhere. The others say what they rest on. Two traps are why. The size of a pool includes its xoff on some chips and
// not on others, and nothing says which; where it may, size + xoff above the memory is ambiguous. A static limit of
// the whole memory means that there is no limit. What is not known, such as the chip or the headroom table, is a state
// of its own: the result lists what was not checked.
//
// [Codes] lists the codes, with the public mistakes that each would have caught. They were found in the history of
// SONiC's device files: the audit finds each of them before the change that mended it, and no longer after it.
//
// Not checked: what the chip does when it is full (package backend/sim verifies that), and traffic that a
// configuration does not name.
package audit
