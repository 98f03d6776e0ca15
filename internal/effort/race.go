//go:build race

package effort

const race = true // the race detector is compiled in
