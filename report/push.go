package report

import "encoding/json"

// ApplyDocument is the result of a push to one device, as apply and resume print it ("cellwarden.apply/v1").
type ApplyDocument struct {
	Schema     string   `json:"schema"`
	Set        []string `json:"set,omitempty"` // changes of the topology
	Device     string   `json:"device"`
	State      string   `json:"state"` // a backend.State
	Error      string   `json:"error,omitempty"`
	Target     string   `json:"target,omitempty"`         // the models, version and encoding that the switch reports
	Unsaid     []string `json:"not_said_by_target"`       // parts of the chip and the ports that could not be compared
	Unrecorded []string `json:"not_in_journal,omitempty"` // the same, because the journal is of an earlier version
	Commit     string   `json:"commit,omitempty"`         // whether the switch undoes an unconfirmed push
	Journal    string   `json:"journal,omitempty"`        // its file; empty: nothing was sent, or the journal is off
	// Files were written in place of sending, in the order in which they are applied.
	Files []struct {
		File    string `json:"file"`
		Purpose string `json:"purpose"`
	} `json:"files,omitempty"`
	Profile string `json:"profile,omitempty"`
	// Lossless tells whether this push alone sets everything that the lossless groups need.
	Lossless bool     `json:"lossless_by_this_push"`
	Changes  []string `json:"steps"`
	// Omissions are registers of the plan that the device cannot express, by kind.
	Omissions []struct {
		Register string `json:"register"`
		Count    int    `json:"count"`
		Why      string `json:"why"`
	} `json:"not_expressible"`
	// Numbers are the outcomes of all registers of the plan, over OpenConfig.
	Numbers []struct {
		Register string `json:"register"`
		Asked    string `json:"asked"` // in the register's own unit
		Fate     string `json:"fate"`  // sent, rounded, not expressible
		Critical bool   `json:"lossless_critical"`
		Path     string `json:"path,omitempty"`
		Binding  string `json:"bound_at,omitempty"`
		Unit     string `json:"unit,omitempty"`
		Value    string `json:"value,omitempty"`       // of the leaf
		Exact    string `json:"asked_value,omitempty"` // of the leaf, if it could hold every value
		Why      string `json:"why,omitempty"`
		Where    string `json:"could_go,omitempty"`
	} `json:"numbers"`
	Needs       []string    `json:"needed_besides"` // on the switch, for the sent values to take effect
	Holds       string      `json:"holds"`          // what the device had when it was read last
	Undo        bool        `json:"undo,omitempty"` // applied means that the values from before the push are back
	Differences []string    `json:"differences"`
	Others      []string    `json:"changed_by_others"` // changes that others made, back to the previous values
	LeftAlone   []string    `json:"ports_left_alone"`
	Native      *pushNative `json:"native,omitempty"` // native configuration; absent: registers over OpenConfig
	// Shares are what the weights of queues make of groups; absent: there are no groups, or no weights are sent.
	Shares []Schedule `json:"ets,omitempty"`
}

// pushNative is the part of an ApplyDocument about native configuration.
type pushNative struct {
	Dialect string `json:"dialect"`
	Version string `json:"version,omitempty"` // that the switch reported
	// Found says of each change of a resumed push which value the switch had.
	Found []struct {
		Path  string `json:"path"`
		Holds string `json:"holds"` // before, planned, something else
	} `json:"found,omitempty"`
	Changes []pushChange `json:"changes"`
	// Waiting are values that are not sent, because they need a config reload.
	Waiting []struct {
		pushChange
		Why      string `json:"why"`
		Critical bool   `json:"lossless_critical"`
	} `json:"takes_a_reload"`
	Differences []pushChange `json:"differences"` // from: what was read back
	Undone      []pushUndone `json:"may_be_undone,omitempty"`
	Notes       []string     `json:"notes"`
}

// pushChange is a change of a native value.
type pushChange struct {
	Path    string          `json:"path"`
	From    json.RawMessage `json:"from,omitempty"` // absent: there is no value
	To      json.RawMessage `json:"to,omitempty"`   // absent: the value is removed
	MayStop string          `json:"may_stop,omitempty"`
}

// pushUndone is a value that a program on the switch changes afterwards, or may change.
type pushUndone struct {
	What string `json:"what"`
	Why  string `json:"why"`
}

// ApplyManyDocument is the result of a push to many switches ("cellwarden.apply-many/v1").
type ApplyManyDocument struct {
	Schema   string   `json:"schema"`
	Set      []string `json:"set,omitempty"` // changes of every topology
	ExitCode int      `json:"exit_code"`     // the worst
	// Targets are the switches in the order of the file.
	Targets []struct {
		Target   string         `json:"target"`
		Prefix   string         `json:"prefix_target,omitempty"` // name of the switch at a gateway
		State    string         `json:"state"`
		ExitCode int            `json:"exit_code"`
		Error    string         `json:"error,omitempty"`
		Report   *ApplyDocument `json:"report,omitempty"` // absent: the switch was not read
	} `json:"targets"`
}

// DriftDocument is one switch compared with its plan ("cellwarden.drift/v1").
type DriftDocument struct {
	Schema      string   `json:"schema"`
	Set         []string `json:"set,omitempty"` // changes of the topology
	Device      string   `json:"device"`
	Target      string   `json:"target"` // the models, version and encoding that the switch reports
	Compared    int      `json:"registers_compared"`
	NotCompared int      `json:"registers_not_compared"` // the profile cannot express them
	// Differences are the registers or native values that differ from the plan.
	Differences []struct {
		Register string `json:"register,omitempty"` // absent: a native value
		Path     string `json:"path"`
		Holds    string `json:"holds"`                    // a native value: JSON; empty: nothing
		Planned  string `json:"planned"`                  // a native value: JSON; empty: nothing
		Waits    string `json:"takes_a_reload,omitempty"` // why apply does not correct it
	} `json:"differences"`
	Unsaid []string     `json:"not_said_by_target"`      // parts of the chip and the ports that could not be compared
	Undone []pushUndone `json:"may_be_undone,omitempty"` // by a program on the switch, whatever it holds now
}

// DriftManyDocument is many switches compared with their plans ("cellwarden.drift-many/v1").
type DriftManyDocument struct {
	Schema   string   `json:"schema"`
	Set      []string `json:"set,omitempty"` // changes of every topology
	ExitCode int      `json:"exit_code"`     // the worst
	// Targets are the switches in the order of the file.
	Targets []struct {
		Target   string         `json:"target"`
		Prefix   string         `json:"prefix_target,omitempty"` // name of the switch at a gateway
		State    string         `json:"state"`                   // as planned, differs, not compared
		ExitCode int            `json:"exit_code"`
		Error    string         `json:"error,omitempty"`
		Report   *DriftDocument `json:"report,omitempty"` // absent: it could not be compared
	} `json:"targets"`
}

// JournalsDocument lists the pushes of a directory of journals that did not end ("cellwarden.journals/v1").
type JournalsDocument struct {
	Schema    string `json:"schema"`
	Directory string `json:"directory"`
	// Unfinished are the pushes, the newest first.
	Unfinished []struct {
		Journal string `json:"journal"`
		Target  string `json:"target,omitempty"` // absent: the push was killed in the first line
		// PrefixTarget is the name of the device behind a gateway.
		PrefixTarget string `json:"prefix_target,omitempty"`
		Who          string `json:"who,omitempty"`
		Begun        string `json:"begun"` // RFC 3339
		State        string `json:"state"` // how far the push came
	} `json:"unfinished"`
}
