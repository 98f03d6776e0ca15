package server

import (
	"log/slog"
	"math"
	"slices"
	"time"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/grpc"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/complain"
)

// Options are what may be asked of a server. The zero Options serve everybody,
// by the clock of the machine, within the limits that stand at each field.
type Options struct {
	// Users may use the switch. None: whoever reaches it may read and write.
	Users []User
	// Counters is where queue counters and watermarks come from. nil: the
	// switch has none.
	Counters Counters
	// Clock is the time. nil: the machine's.
	Clock Clock
	// Log is told of Sets, of commits that are rolled back and of subscribers that
	// are cut off; never of a password. nil: nobody is.
	Log *slog.Logger

	// Lenient has the switch store what it would otherwise refuse because the
	// device has no registers for it, references to nothing, and has it drop what
	// is not in its models. It is for clients and test suites that were written
	// for other switches. All of it is told to Log as a warning, once, and
	// Capabilities list the model cellwarden-lenient: state then repeats
	// configuration that nothing acts on. What does not fit is refused as ever.
	Lenient bool

	// Models are listed in Capabilities beside OpenConfig's, such as Simulated: by
	// them a client knows what kind of switch it speaks to.
	Models []*gpb.ModelData

	// MaxMessage is the longest request that is read and the longest answer to
	// Get that is written, in bytes. 0: 16 MiB.
	MaxMessage int
	// MaxStreams is how many Subscribe calls there may be at a time. 0: 64.
	MaxStreams int
	// MaxUpdates is how many updates are bundled in one notification. 0: 500;
	// 1: none are.
	MaxUpdates int
	// MinSample is the shortest interval of SAMPLE and of heartbeats, and the
	// one that 0 asks for. 0: one second.
	MinSample time.Duration
	// Patience is how long a subscriber may take to accept a message before it
	// is cut off. 0: ten seconds.
	Patience time.Duration
}

// Simulated is the model that says that a switch is a simulated ASIC. There is
// no such YANG: its name is all that it says.
func Simulated() *gpb.ModelData {
	return &gpb.ModelData{Name: "cellwarden-simulated", Organization: "cellwarden", Version: "1"}
}

// The limits that Options leaves to us. They are our choice; gNMI names none.
const (
	defaultMessage  = 16 << 20
	defaultStreams  = 64
	defaultUpdates  = 500
	defaultSample   = time.Second
	defaultPatience = 10 * time.Second
	// maxSample is the longest interval of SAMPLE and of heartbeats.
	maxSample = 24 * time.Hour
)

// Validate returns nil, or a *buffer.InvalidError with all that is wrong. It
// never names a password.
func (o Options) Validate() error {
	var bad complain.List
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
	span("patience", o.Patience)
	checkUsers(o.Users, &bad)
	return buffer.Invalid(bad)
}

// withDefaults puts the defaults where nothing is said.
func (o Options) withDefaults() Options {
	setDefault(&o.MaxMessage, defaultMessage)
	setDefault(&o.MaxStreams, defaultStreams)
	setDefault(&o.MaxUpdates, defaultUpdates)
	setDefault(&o.MinSample, defaultSample)
	setDefault(&o.Patience, defaultPatience)
	if o.Lenient {
		o.Models = append(slices.Clone(o.Models), lenientModel())
	}
	if o.Clock == nil {
		o.Clock = machineClock{}
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return o
}

// setDefault sets a value that is zero.
func setDefault[T comparable](v *T, otherwise T) {
	var zero T
	if *v == zero {
		*v = otherwise
	}
}

// ServerOptions bound what one connection may ask of the gRPC server that the
// switch is registered with. Its TLS is added to them.
func (o Options) ServerOptions() []grpc.ServerOption {
	o = o.withDefaults()
	return []grpc.ServerOption{
		grpc.MaxRecvMsgSize(o.MaxMessage),
		// Each call is a stream of HTTP/2: room for the subscriptions, and for
		// as many other calls.
		grpc.MaxConcurrentStreams(uint32(min(2*int64(o.MaxStreams), math.MaxInt32))),
		grpc.ConnectionTimeout(o.Patience),
	}
}
