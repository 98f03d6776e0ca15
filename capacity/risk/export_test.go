package risk

// What tests outside the package compare with.
var (
	Worst = worst
)
