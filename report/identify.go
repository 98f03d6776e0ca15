package report

// IdentifyDocument is what probing says of a switch: the rules that are still possible, and its numbers.
type IdentifyDocument struct {
	Schema  string `json:"schema"`
	Verdict string `json:"verdict"` // identified, undecided, unpredicted, unfinished, egress, contradiction, open, read
	Says    string `json:"says"`    // the verdict in a sentence
	// Space is how many rules the space has. Those that end in the same answers are looked at together.
	Space int `json:"rules_in_space"`
	// Rules are those that are still possible, each with the numbers that agree with every reading.
	Rules []struct {
		Choices   map[string]string   `json:"choices"`
		DynamicTh int                 `json:"dynamic_th"`
		Numbers   map[string][2]int64 `json:"numbers"` // lowest and highest
		// Shown is false if no switch with this rule was found that gives every reading, and none was excluded.
		Shown bool `json:"example_found"`
	} `json:"rules"`
	// Numbers hold under all of these rules.
	Numbers map[string][2]int64 `json:"numbers"`
	Cost    struct {
		Drains   int64 `json:"drains"`
		Readings int64 `json:"readings"`
		Packets  int64 `json:"packets"`
	} `json:"cost"`
	// Controls are packets whose fate was predicted before they were sent.
	Controls []struct {
		Port      int   `json:"port"`
		Group     int   `json:"group"`
		Packets   int64 `json:"packets"`
		Length    int64 `json:"packet_bytes"`
		Lowest    int64 `json:"predicted_lowest"`
		Highest   int64 `json:"predicted_highest"`
		Accepted  int64 `json:"accepted"`
		Predicted bool  `json:"as_predicted"`
	} `json:"controls"`
	Next       []string `json:"next"`      // the next probe, step by step; empty: none
	Contradict []string `json:"conflicts"` // smallest sets of readings without which a rule remains
}
