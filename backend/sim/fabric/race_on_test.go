//go:build race

package fabric

// raced tells that the race detector runs. It makes programs allocate more than they do without it.
const raced = true
