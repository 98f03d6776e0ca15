// Package unprofiled turns off the runtime's samples of memory. Nobody can ask the command for a profile, and the
// runtime takes samples as long as a library that is linked could: a walk of the stack every 512 KB, and a table of
// 1.4 MB for the first. Every command would pay for that before it begins.
//
// The runtime wants the rate as early as possible. Go initialises packages in the order of their paths, each after what
// it imports; this one imports the runtime alone, and so comes before every package that allocates much.
package unprofiled

import "runtime"

func init() { runtime.MemProfileRate = 0 }
