// Package pushworld runs pushes in a world that one seed decides: who pushes what and when, how the network treats each
// message, how long the switch takes, when a process is killed, what a disk has after a loss of power or a failed
// fsync. The world finds what a push does that it must not do, and gives the seed with which it does it again.
//
// # What is real
//
// The pushers are the real ones: backend.Push, the gNMI client, native configuration and the journal. They speak to the
// switch through the interface of the generated gNMI client, without sockets. The switch is package server over a small
// memory, or package sonictest, or native values beneath /qos. An answer of package server to a request depends only on
// what it holds, so each pair of the two is computed once and kept: that makes a history cheap.
//
// Time is the time of a bubble of testing/synctest, so that deadlines hold and cost nothing.
// In one of two histories more happens than faults: a proxy sends a Set again whose answer it did not get, and gives
// the client the answer to the second; another client begins commits, which it confirms, cancels or leaves; pushers are
// killed at a message that they send or get; a plan is applied again after a push of it has ended, however it did; the
// gNMI server of SONiC gives a Set up, at which the host service goes on, and leaves its checkpoint; the clocks of
// computers are set back or forward; the folders of the journals have those of pushes to another switch. An apply that
// has nothing to send reads the journals of its computer, as package push does: it confirms the commit of an earlier
// push of its plan, and does not end with success while a Set of an earlier push may still land; what it reads last is
// compared with the plan. One that has sent changes does not end with success either while a Set of an earlier push may
// land that the switch had not made when it began. Of pushers that are killed, three of four are killed at a Set, which
// may be under way for long or take the switch long. A clock may be set at that moment. In one of four histories with
// these, what was under way is held back until a later pusher of the same computer has sent a number of messages, and
// so arrives between any two of them.
//
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
//	exit 7           the journal is open, and the report names what differs, value by value
//	drift            finds what differs, and nothing else
//	an open journal  can be resumed, to the plan or to what was before
//	unchanged        no Set of the push has changed anything
//
// An apply that ends with exit 7 and knows what the switch holds names each register or value of its plan that is not
// as it was before, and no other. A resumption names at least what is not as it was to be, or what it has changed
// itself and could not take back. A Set does not land after a later Set of the same push was answered, within the time
// that a Set may take by what its pusher says (--set-timeout): in that time a client does not send a lost Set again. A
// Set that a switch makes later than that is beyond what a client can rule out, and so is one that seems to be longer
// ago than it is, because the clock of its computer was set forward before another process resumed the push. While the
// push runs, its last reading finds it.
//
// A push writes only what its plan names. It takes back only what it wrote, where that is still there.
//
// Pushes of one computer are kept apart by the lock of the switch, in two of three histories. In the others there is no
// place for the lock, and pushers of several computers always run together: the rules have to hold all the same. A
// journal is not resumed over a later one of its computer, unless the resumption overwrites. The model does not know
// master arbitration.
//
// # What counts as no fault
//
//   - A change that another made after the push has last read the switch. No client can know it: gNMI has no comparison
//     within a Set. SONiC is read table by table. Each table counts as read at its own time, and differences that are
//     reported of SONiC are judged only where nothing changes.
//   - What a doubled message does.
//   - A Set of which a journal does not tell because the disk has lost the line, after it said that it had it.
//   - A value that two processes write alike. A client takes it for its own.
//   - A commit of another push that the switch undoes, where a client had nothing to send, has asked whether a commit
//     waits, and was not told: it says so. A switch whose configuration is locked does not tell.
//
// # Streams and broken rules
//
// A [Stream] is a sequence of steps in which only pushers are killed. It ends alike with every choice of phases and
// commits.
//
// [Rule] lists rules that were broken once. Options.Broken has the pushers of a history break
// one, and the tests measure after how many histories the model finds it.
//
// # A history that fails
//
// The test prints it: the times of the world, who does what, what the switch has changed, and at the line MODEL what
// must not be. To see one again:
//
//	go test ./internal/pushworld -run TestHistories -v -seed 42
//
// The first history of a process that meets a state of a switch has package server compute its answers. So long runs
// are cheaper than short ones: 10,000 histories take a minute of one core.
//
//	go test ./internal/pushworld -run TestHistories -v -timeout 0 -first 1 -histories 1000000 -failures 100
//
// runs the histories of a range of seeds, says each 10,000 how far it is, and names the seeds that fail.
package pushworld
