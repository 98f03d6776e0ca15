package many

// plan plans every switch.
func plan(a *asked) error { return a.rowsOf(a.kinds()) }
