//go:build linux

package interop

import (
	"bufio"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/dcbx"
	"github.com/cellwarden/cellwarden/pfc"
	"github.com/cellwarden/cellwarden/unit"
)

// This file has a virtual link between another program and a port of package dcbx: two network cards of the kernel that
// are connected, each in a network namespace of its own.

// wireVariable names, for a process that a test starts, the card whose frames it passes on.
const wireVariable = "CELLWARDEN_WIRE"

// TestMain is also the process at the card: the kernel gives frames to a process in the card's namespace alone.
func TestMain(m *testing.M) {
	if card := os.Getenv(wireVariable); card != "" {
		if err := passOn(card); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// passOn writes each LLDP frame that the card receives as a line of hexadecimal, and sends each such line as a frame.
func passOn(card string) error {
	lldp := binary.BigEndian.Uint16(binary.NativeEndian.AppendUint16(nil, dcbx.EtherType)) // in network byte order
	fd, err := syscall.Socket(syscall.AF_PACKET, syscall.SOCK_RAW, int(lldp))
	if err != nil {
		return err
	}
	index, err := os.ReadFile(filepath.Join("/sys/class/net", card, "ifindex"))
	if err != nil {
		return err
	}
	n := 0
	if _, err := fmt.Sscan(string(index), &n); err != nil {
		return err
	}
	at := &syscall.SockaddrLinklayer{Protocol: lldp, Ifindex: n}
	if err := syscall.Bind(fd, at); err != nil {
		return err
	}
	fmt.Println("ready")
	go func() {
		buf := make([]byte, 2000)
		for {
			n, from, err := syscall.Recvfrom(fd, buf, 0)
			if own, ok := from.(*syscall.SockaddrLinklayer); err == nil && ok && own.Pkttype != syscall.PACKET_OUTGOING {
				fmt.Println(hex.EncodeToString(buf[:n]))
			}
		}
	}()
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		b, err := hex.DecodeString(lines.Text())
		if err != nil {
			return err
		}
		if err := syscall.Sendto(fd, b, 0, at); err != nil {
			return err
		}
	}
	return nil
}

// virtualLink is a link between two namespaces. Ours is the end of package dcbx.
type virtualLink struct {
	t           *testing.T
	theirs      string // the namespace of the other program, whose card is eth0
	toWire      io.Writer
	frames      chan []byte // that arrive at our end
	dir         string
	started     time.Time
	ourAddress  pfc.Address
	peerAddress pfc.Address
}

// need skips the test unless it can make links, and has these programs.
func need(t *testing.T, packages string, programs ...string) {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("not root: a virtual link needs network namespaces")
	}
	for _, p := range append(programs, "ip") {
		if _, err := exec.LookPath(p); err != nil {
			t.Skipf("no %s: install Debian's packages iproute2 %s", p, packages)
		}
	}
	if out, err := exec.Command("ip", "netns", "add", "cw-try").CombinedOutput(); err != nil {
		t.Skipf("no network namespaces: %s", out)
	}
	_ = exec.Command("ip", "netns", "del", "cw-try").Run()
}

// command runs a program and returns its output.
func command(t *testing.T, args ...string) string {
	t.Helper()
	out, err := exec.Command(args[0], args[1:]...).CombinedOutput()
	require.NoError(t, err, "%v: %s", args, out)
	return string(out)
}

// connect makes a link. The last byte of our address is given, so that a test can choose which end has the lower one;
// that of the other is 0x50.
func connect(t *testing.T, ours byte) *virtualLink {
	t.Helper()
	l := &virtualLink{t: t, theirs: fmt.Sprintf("cw-a-%d", os.Getpid()), frames: make(chan []byte, 64), dir: t.TempDir(),
		started: time.Now(), ourAddress: pfc.Address{2, 0, 0, 0, 0, ours}, peerAddress: pfc.Address{2, 0, 0, 0, 0, 0x50}}
	own := fmt.Sprintf("cw-b-%d", os.Getpid())
	for _, ns := range []string{l.theirs, own} {
		command(t, "ip", "netns", "add", ns)
		t.Cleanup(func() { _ = exec.Command("ip", "netns", "del", ns).Run() })
	}
	command(t, "ip", "-n", own, "link", "add", "eth0", "type", "veth", "peer", "name", "eth0", "netns", l.theirs)
	for ns, a := range map[string]pfc.Address{l.theirs: l.peerAddress, own: l.ourAddress} {
		command(t, "ip", "-n", ns, "link", "set", "eth0", "address", strings.ReplaceAll(a.String(), "-", ":"), "up")
	}
	self, err := os.Executable()
	require.NoError(t, err)
	wire := exec.Command("ip", "netns", "exec", own, self)
	wire.Env, wire.Stderr = append(os.Environ(), wireVariable+"=eth0"), os.Stderr
	l.toWire, err = wire.StdinPipe()
	require.NoError(t, err)
	from, err := wire.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, wire.Start())
	t.Cleanup(func() { _ = wire.Process.Kill(); _ = wire.Wait() })
	lines := bufio.NewScanner(from)
	require.True(t, lines.Scan(), "the process at the card is ready")
	go func() {
		for lines.Scan() {
			if b, err := hex.DecodeString(lines.Text()); err == nil {
				l.frames <- b
			}
		}
	}()
	return l
}

// program starts a program in the other namespace. It ends with the test.
func (l *virtualLink) program(args ...string) {
	l.t.Helper()
	c := exec.Command("ip", append([]string{"netns", "exec", l.theirs}, args...)...)
	log, err := os.Create(filepath.Join(l.dir, "log"))
	require.NoError(l.t, err)
	c.Stdout, c.Stderr = log, log
	require.NoError(l.t, c.Start())
	l.t.Cleanup(func() {
		_ = c.Process.Signal(syscall.SIGTERM)
		_ = c.Wait()
		if text, err := os.ReadFile(log.Name()); err == nil && l.t.Failed() {
			l.t.Logf("%s", text)
		}
		_ = log.Close()
	})
}

// there runs a program in the other namespace until it succeeds and its output is as wanted.
func (l *virtualLink) there(wanted func(string) bool, args ...string) string {
	l.t.Helper()
	var out []byte
	require.Eventually(l.t, func() bool {
		var err error
		out, err = exec.Command("ip", append([]string{"netns", "exec", l.theirs}, args...)...).Output()
		return err == nil && (wanted == nil || wanted(string(out)))
	}, 3*time.Minute, 200*time.Millisecond, "%v: %s", args, &out) // lldpd sends every 30 s
	return string(out)
}

// now is the time since the link is there.
func (l *virtualLink) now() unit.Time {
	return unit.Time(time.Since(l.started).Nanoseconds()) * unit.Nanosecond
}

// send sends a frame.
func (l *virtualLink) send(f *dcbx.Frame) {
	l.t.Helper()
	b, err := f.AppendTo(nil)
	require.NoError(l.t, err)
	_, err = fmt.Fprintln(l.toWire, hex.EncodeToString(b))
	require.NoError(l.t, err)
}

// run has a port of package dcbx send and receive until both ends are as wanted. It is given the port, and the last
// frame of the other program that DCBX is about.
func (l *virtualLink) run(a *dcbx.Agent, wanted func(in dcbx.Operational, theirs *dcbx.Advertisement) bool) {
	l.t.Helper()
	end := time.After(90 * time.Second)
	var last dcbx.Advertisement
	for {
		if a.NextSend() <= l.now() {
			f, err := a.Send(l.now())
			require.NoError(l.t, err)
			l.send(&f)
		}
		select {
		case b := <-l.frames:
			f, err := dcbx.DecodeFrame(b)
			require.NoError(l.t, err, "%x", b)
			if f.Destination != dcbx.NearestBridge {
				continue
			}
			_, err = a.Receive(l.now(), &f)
			require.NoError(l.t, err)
			last = dcbx.Read(&f.PDU)
			require.Empty(l.t, last.Unusable)
			again, err := f.AppendTo(nil)
			require.NoError(l.t, err)
			require.Equal(l.t, b, again, "every byte of the frame survives")
			if wanted(a.Operational(), &last) {
				return
			}
		case <-time.After(100 * time.Millisecond):
			a.Expire(l.now())
		case <-end:
			require.FailNow(l.t, "the ends did not come to it", "%+v\n%+v\n%+v", a.Operational(), last.PFC, last.CEE)
		}
	}
}
