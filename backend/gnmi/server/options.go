package server

import (
	"cmp"
	"fmt"
	"log/slog"
	"math"
	"slices"
	"time"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/grpc"
	"google.golang.org/grpc/keepalive"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/pg"
)

// Options configure a server. The zero Options let everyone read and write, use the real
// time, and have the limits that each field names.
type Options struct {
	// Users may use the switch. None: everyone who can connect may read and write.
	Users []User
	// Counters is the source of queue counters and watermarks. nil: the switch has
	// none.
	Counters Counters
	// Clock is the time. nil: the real time.
	Clock Clock
	// Log gets Sets, rollbacks of commits, and subscribers that are cut off; never a
	// password. nil: nothing is logged.
	Log *slog.Logger

	// Lenient makes the switch store configuration that it would otherwise refuse:
	// what the device has no registers for, and references to what does not exist.
	// What is not in its models is dropped. It is for clients and test suites that were
	// written for other switches. Each such path is logged once as a warning, and
	// Capabilities lists the model cellwarden-lenient, because state then repeats
	// configuration that has no effect. What does not fit is still refused.
	Lenient bool

	// QueueNames are names that the queues 0, 1 and so on have by themselves, as those of some
	// vendors: a client may configure such a queue without its queue-id. At most 8; an empty one has no effect.
	QueueNames []string

	// Models are listed in Capabilities beside OpenConfig's, such as Simulated. A client
	// can tell the kind of switch by them.
	Models []*gpb.ModelData

	// MaxMessage is the length of the longest request, and of the longest answer to Get,
	// in bytes. 0: 16 MiB.
	MaxMessage int
	// MaxStreams is the greatest number of open Subscribe calls. 0: 64.
	MaxStreams int
	// MaxUpdates is the greatest number of updates in one notification. 0: 500.
	MaxUpdates int
	// MinSample is the shortest interval of SAMPLE and of heartbeats, and the interval
	// of SAMPLE for a subscriber that asks for 0. 0: one second.
	MinSample time.Duration
	// MaxConnections is the greatest number of connections at a time, for [Options.Limit]. 0: 4096.
	MaxConnections int
	// MaxIdle is how long a connection may be open without a call, before the server asks the
	// client to connect again. gRPC's clients do so by themselves at their next call. 0: one minute.
	MaxIdle time.Duration
	// Patience is how long a subscriber may take to accept a message, or to send its
	// subscription list, before it is cut off. 0: ten seconds.
	Patience time.Duration
}

// Simulated is a model that marks a switch as a simulated ASIC. There is no YANG module
// for it: the name is all.
func Simulated() *gpb.ModelData { return ownModel("cellwarden-simulated", "1") }

// ownModel is a model of which there is no YANG module.
func ownModel(name, version string) *gpb.ModelData {
	return &gpb.ModelData{Name: name, Organization: "cellwarden", Version: version}
}

const (
	// maxHeaders is the greatest size of the headers of a call, in bytes: a username, a password, and what
	// gRPC itself sends.
	maxHeaders = 16 << 10
	// maxSample is the longest interval of SAMPLE and of heartbeats.
	maxSample = 24 * time.Hour
)

// Validate returns nil, or a *buffer.InvalidError with every option that is wrong. It
// never names a password.
func (o Options) Validate() error {
	var bad fielderr.List
	count := func(path string, v int) {
		bad.Check(v >= 0 && v <= math.MaxInt32, path, v, "0 (the default) to 2147483647")
	}
	count("max_message", o.MaxMessage)
	count("max_streams", o.MaxStreams)
	count("max_updates", o.MaxUpdates)
	span := func(path string, v time.Duration) {
		bad.Check(v >= 0 && v <= maxSample, path, v, "0s (the default) to 24h")
	}
	span("min_sample", o.MinSample)
	count("max_connections", o.MaxConnections)
	span("max_idle", o.MaxIdle)
	span("patience", o.Patience)
	checkUsers(o.Users, &bad)
	checkQueueNames(o.QueueNames, &bad)
	return buffer.Invalid(bad)
}

// checkQueueNames complains about names that cannot be those of queues.
func checkQueueNames(names []string, bad *fielderr.List) {
	bad.Check(len(names) <= pg.PerPort, "queue_names", len(names), "at most 8")
	for i, name := range names {
		path := fmt.Sprintf("queue_names[%d]", i)
		bad.Check(name == "" || slices.Index(names, name) == i, path, name, "each name once")
		bad.Check(len(name) <= maxName && !numbered(name), path, shortened(name),
			"a name of at most 1024 bytes, and no number")
	}
}

// withDefaults returns the options with a default for every zero value. A negative value was refused by Validate. The
// options of a server are not changed after that.
func (o Options) withDefaults() Options {
	// gNMI prescribes no limits.
	o.MaxMessage = cmp.Or(o.MaxMessage, 16<<20)
	o.MaxStreams = cmp.Or(o.MaxStreams, 64)
	o.MaxUpdates = cmp.Or(o.MaxUpdates, 500)
	o.MinSample = cmp.Or(o.MinSample, time.Second)
	// Each connection takes a file of the process, and a buffer of 32 KiB in each direction.
	o.MaxConnections = cmp.Or(o.MaxConnections, 4096)
	o.MaxIdle = cmp.Or(o.MaxIdle, time.Minute)
	o.Patience = cmp.Or(o.Patience, 10*time.Second)
	if o.Lenient { // its state repeats what the device does not act on, and a client that reads it should know
		o.Models = append(slices.Clone(o.Models), ownModel("cellwarden-lenient", "1"))
	}
	if o.Clock == nil {
		o.Clock = machineClock{}
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return o
}

// ServerOptions returns options for the gRPC server that the switch is registered with:
// they bound what one connection may use. The caller adds TLS. They may be called for before New: both take the
// defaults from withDefaults.
func (o Options) ServerOptions() []grpc.ServerOption {
	o = o.withDefaults()
	return []grpc.ServerOption{
		grpc.MaxRecvMsgSize(o.MaxMessage),
		// Each call is a stream of HTTP/2: the subscriptions, and as many other calls.
		grpc.MaxConcurrentStreams(uint32(min(2*int64(o.MaxStreams), math.MaxInt32))),
		grpc.ConnectionTimeout(o.Patience),
		grpc.MaxHeaderListSize(maxHeaders),
		grpc.KeepaliveParams(keepalive.ServerParameters{
			MaxConnectionIdle: o.MaxIdle,
			// A client that is gone without a word is found out by a ping, when nothing has come
			// from it for this time; its subscriptions end with the connection.
			Time: o.MaxIdle, Timeout: o.Patience,
		}),
	}
}

// Clock is the time of the server. The commit timer, the intervals of samples and the
// time limits for subscribers use it, so that a test can advance time by hand.
type Clock interface {
	// Now returns the present time, which is the timestamp of answers.
	Now() time.Time
	// AfterFunc calls f in its own goroutine when the duration has passed.
	AfterFunc(d time.Duration, f func()) Timer
}

// Timer is a call that is due later.
type Timer interface {
	// Stop cancels the call. It returns false if the call has begun already.
	Stop() bool
}

// machineClock is the real time.
type machineClock struct{}

func (machineClock) Now() time.Time                            { return time.Now() }
func (machineClock) AfterFunc(d time.Duration, f func()) Timer { return time.AfterFunc(d, f) }
