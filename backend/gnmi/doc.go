// Package gnmi is a real switch as a device for cellwarden: a gNMI client that
// is a [backend.Backend]. It speaks OpenConfig and nothing else.
//
// # What is carried
//
// These registers of a [buffer.Layout] have words in openconfig-qos:
//
//	GroupReserved   dedicated-buffer of the group's entry in a buffer allocation profile, in bytes
//	GroupStatic     static-shared-buffer-limit of the same entry, of each slice
//	GroupAlpha      dynamic-limit-scaling-factor of the same entry: n of 2^n
//	QueueECNMin     wred/uniform min-threshold of a queue management profile, in bytes
//	QueueECNMax     wred/uniform max-threshold, in bytes
//	QueueECNPMax    wred/uniform max-drop-probability-percent, in whole percents
//	QueueReserved   dedicated-buffer of a buffer allocation profile that an output is bound to, in bytes
//	QueueWeight     weight of the queue's input of a scheduler policy; strict queues have a STRICT scheduler before
//	PriorityDSCP    dscp-set of a term of a classifier, once for IPv4 and once for IPv6
//
// Ports with the same content share a profile. The profiles that the package
// makes are named by what they are (cellwarden-pg-, -ecn-, -out-, -sched-,
// -dscp4-, -dscp6-) and a digest of their content, so that rendering the same
// plan again gives the same names, and nothing is sent. Profiles with other
// names are never written.
//
// Strict queues are inputs of one scheduler, ranked by their weights as the model
// says: the higher goes first. A scheduler for each of them would say the same,
// but SR Linux has room for two schedulers, and the public tests send it so.
//
// # Conventions of cellwarden
//
// OpenConfig has no priority groups. It has queues, and an interface has them
// in two directions: packets that come in and packets that go out. cellwarden
// takes priority group n to be the queue with the name n, 0 to 7, of the
// profile that is bound to an interface's input. The model does not say this;
// nobody but cellwarden promises to read it so. In the other direction queue n
// is the egress queue of that name. If the switch has a queue with another name
// and that queue-id, then that is queue n.
//
// Nor has it priorities. It has forwarding groups, to which the terms of
// classifiers lead and which lead to output queues. Priority n is the forwarding
// group, called cellwarden-priority-n, whose output-queue is queue n.
//
// # What OpenConfig cannot carry
//
// The published models know neither priority flow control nor pools. There is
// no leaf for headroom (xoff), for the shared headroom pool, for the size of a
// pool, for enabling PFC on a priority, for xon and the xon offset. Client's
// Capabilities names them with the reason, and [backend.Converge] reports how
// much of a plan they are. They have to be set with the switch's native model.
// Fewer words still are understood by switches in the field: several vendors
// refuse dedicated-buffer or dynamic-limit-scaling-factor. Such a switch
// answers a Set with an error, and nothing is changed.
//
// # Profiles
//
// What a kind of switch takes is data: package profile. The profile is found by
// the models that the switch lists, or named in Options. Registers that it has
// no words for are neither read nor written; values that its leaves cannot hold
// have to be rounded before, which [Say] does, telling what becomes of every
// number of a plan. Converge the Layout of the [Statement], not the plan's own.
//
// # What happens to requests that fail
//
// Every RPC has a deadline. A read is tried again when the switch is
// unavailable or late, after waits that grow. A Set whose answer is lost is
// followed by a read, and sent again only if the read shows that it did not
// arrive. The password is in no error, whoever wrote it there.
//
// With Options.Rollback a Set asks to be undone unless it is confirmed, and
// Converge confirms what it has read back and found equal. Some switches ignore
// the extension and answer OK, so it is proved first: while a commit waits, a
// second one has to be refused. Where it is not, steps are undone one by one.
//
// # What is read
//
// The config containers of /qos are read, not the state containers: several
// vendors leave out the state of profiles. An interface is known by its
// interface-id. Queues of a profile that are not named 0 to 7 belong to
// somebody else and are ignored, as are the leaves that cellwarden does not
// speak. A queue management profile that does not enable ECN marks nothing,
// and gives no registers. What would be a register but cannot be one, such as
// a static limit, is an error that names the path.
//
// Classifiers and scheduler policies of others are not read by a client. A weight
// of 0 and no DSCPs mean "as the device has it", and that is what theirs are: a
// plan that says nothing of weights leaves every scheduler policy where it is,
// and one that says something binds its own, and has the other's name to go back
// to. Decode reads all, as a switch must; there classifiers of IPv4 and IPv6 are
// one map, and must not contradict each other.
//
// # What is written
//
// One Set replaces the cellwarden profiles whose content is not there yet,
// binds the interfaces whose registers change, and deletes the cellwarden
// profiles that nothing is bound to any more. A port whose groups are all empty
// loses its binding. In a Set the forwarding groups come before the classifiers
// that lead to them, and go after them. What the switch had besides stays: other
// profiles, other queues, the names of queues, the interface entries.
//
// Package target is the other side: it serves any backend as a gNMI switch.
package gnmi
