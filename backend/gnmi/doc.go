// Package gnmi is a gNMI client that presents a real switch as a [backend.Backend]. It knows connections and requests:
// TLS, credentials, deadlines, retries, commits. It knows no leaf: package qos translates between registers and
// OpenConfig, and package nos lists what each kind of switch accepts.
//
// # Finding out what a switch accepts
//
// [Client.Probe] asks the switch which models it has and finds its profile, unless the Options name one. Registers that
// the profile has no leaf for are neither read nor written. Values that its leaves cannot hold have to be rounded
// first: [qos.CheckCompatibility] does that, and reports the outcome of every register. The layout to converge to is
// the one of its result, not the plan's own.
//
// # Reading and writing
//
// The first read is a Get of /qos. A read after a Set is a Subscribe ONCE of the leaves alone, which is faster; if its
// answer is not what was expected, a Get of /qos follows. A switch without Get is read by Subscribe.
//
// An Apply is one Set: the switch makes it as a whole or not at all. It replaces the cellwarden profiles whose content
// is not there yet, binds the interfaces whose registers change, and deletes the cellwarden profiles that no interface
// uses any more. A switch that refuses it answers an error, and nothing is changed.
//
// # Failures
//
// Every RPC has a deadline. A read is tried again when the switch is unavailable or late, after waits that grow. A Set
// whose answer is lost is followed by a read, and is sent again only if the read shows that it did not arrive. Errors
// and logs never contain the password.
//
// With Options.Rollback a Set is a commit: the switch undoes it unless it is confirmed, and backend.Converge confirms
// what it has read back and found equal. Some switches ignore the extension and answer OK, so the client proves it
// first: while a commit is pending, a second one has to be refused. If it is not, steps are undone one by one.
//
// Package server is the other side: it serves any backend as a gNMI switch.
package gnmi
