// Package world runs pushes in a world that one seed decides: who pushes what and when, how
// the network treats each message, how long the switch takes, when a process is killed, what
// a disk has after a loss of power. The world finds what a push does that it must not do,
// and gives the seed with which it does it again.
//
// # What is real
//
// The pushers are the real ones: backend.Push, the gNMI client, native configuration and the
// journal. They speak to the switch through the interface of the generated gNMI client,
// without sockets. The switch is package server over a small memory, or package sonictest,
// or native values beneath /qos. An answer of package server to a request depends only on
// what it holds, so each pair of the two is computed once and kept: that makes a history
// cheap.
//
// Time is the time of a bubble of testing/synctest, so that deadlines hold and cost nothing.
// What runs next is decided by the seed alone: no two parts of a world run at the same time.
//
// # What is checked
//
// The model knows which process gave each register its value. After each change of the switch
// and at the end of each process it compares that with what the processes reported:
//
//	exit 0           the switch holds the plan, and keeps it until another changes it
//	exit 6           nothing of this push is left, and nothing of others was changed
//	exit 1, 2, 3, 8  nothing was changed, and no Set lands later
//	exit 7           the journal is open
//	an open journal  can be resumed, to the plan or to what was before
//
// A push writes only what its plan names. It takes back only what it wrote, where that is
// still there. A change that another made after the push has last read the switch cannot be
// known by any client: gNMI has no comparison within a Set. Such a change is nobody's fault
// here. Neither is what a doubled message does, a value that two processes write alike, which
// a client takes for its own, or a commit of another that the switch undoes after a client had
// nothing to send. The model does not know locks of a computer or master arbitration: pushers
// run together, and the rules have to hold all the same.
//
// A [Stream] is a sequence of steps in which only pushers are killed. It ends alike whatever
// the pushes are told about phases and commits.
//
// [Rule] lists rules that were broken once. Options.Broken has the pushers of a history break
// one, and the tests measure after how many histories the model finds it.
//
// # A history that fails
//
// The test prints it. To see one again:
//
//	go test ./backend/gnmi/world -run TestHistories -v -seed 42
package world
