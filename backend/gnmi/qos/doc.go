// Package qos translates between the registers of a [buffer.Layout] and OpenConfig QoS: paths, values, profiles and
// bindings. It knows no connection. Package gnmi sends what it writes, and package server serves a device with it.
//
// # Registers and leaves
//
// These registers have a leaf in openconfig-qos:
//
//	GroupReserved   dedicated-buffer of the group's queue in a buffer allocation profile, in bytes
//	GroupStatic     static-shared-buffer-limit of the same queue, for each slice
//	GroupAlpha      dynamic-limit-scaling-factor of the same queue: n of 2^n
//	QueueECNMin     wred/uniform min-threshold of a queue management profile, in bytes
//	QueueECNMax     wred/uniform max-threshold, in bytes
//	QueueECNPMax    wred/uniform max-drop-probability-percent, in whole percents
//	QueueReserved   dedicated-buffer of a buffer allocation profile that an output is bound to, in bytes
//	QueueWeight     weight of the queue's input of a scheduler policy; strict queues have a STRICT scheduler before
//	PriorityDSCP    dscp-set of a term of a classifier, once for IPv4 and once for IPv6
//
// The published models have no leaf for headroom (xoff), the shared headroom pool, the
// size of a pool, PFC on a priority, xon and the xon offset. [Missing] lists them with
// the reasons. They are configured with the switch's native model: package native.
//
// A vendor may refuse some of these leaves, or round their values. Package profile lists that, and [CheckCompatibility]
// applies it to a plan: which registers are sent, which are rounded, and which are not expressible.
//
// # Conventions of cellwarden
//
// OpenConfig has no priority groups. It has queues, and an interface has them in two directions. Priority group n is
// the queue with number n, 0 to 7, of the buffer allocation profile that an interface's input is bound to. In the other
// direction queue n is the egress queue with that number. The number of a queue is its queue-id, or else the digit that
// is its name. The models do not say this: it is a convention, and another program may read the configuration
// differently.
//
// OpenConfig has no priorities either. It has forwarding groups: the terms of classifiers lead to them, and they lead
// to output queues. Priority n is the forwarding group cellwarden-priority-n, whose output-queue is queue n.
//
// Strict queues are inputs of one scheduler, ranked by their weights: the higher is
// served first. A scheduler for each of them would mean the same, but SR Linux has room
// for two schedulers, and OpenConfig's public tests configure it this way.
//
// # Profiles and bindings
//
// Ports with the same content share a profile. A profile of cellwarden is named by its type (cellwarden-pg-, -ecn-,
// -out-, -sched-, -dscp4-, -dscp6-) and a digest of its content, so that the same plan gives the same names. Profiles
// with other names are never written.
//
// A port whose groups are all empty loses its binding. In a Set the forwarding groups come before the classifiers that
// lead to them, and are deleted after them. Everything else on the switch stays: other profiles, other queues, the
// names of queues, the entries of interfaces.
//
// # Reading
//
// The config containers of /qos are read. The state containers are not, because several vendors do not fill in the
// state of profiles. A port is known by its interface-id. Queues without a number, and leaves that are not listed
// above, are passed over. A queue management profile that does not enable ECN marks nothing, and gives no registers. A
// value that should be a register and cannot be one is an error that names its path.
//
// A switch reads the configuration of all its users: [Decode]. There the classifiers of IPv4 and of IPv6 are one map,
// and must not contradict each other. A client reads only its own classifiers and scheduler policies: [ReadSnapshot]. A
// weight of 0 and no DSCPs mean "as the device has it", and those of others are that: a plan that sets no weights
// leaves every scheduler policy bound; one that sets weights binds its own, and [Bindings] has the other's name for an
// undo.
package qos
