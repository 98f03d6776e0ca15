//go:build linux

package interop

import (
	"bytes"
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/dcbx"
	"github.com/cellwarden/cellwarden/internal/effort"
	"github.com/cellwarden/cellwarden/pfc"
)

// tshark returns fields of the frames of a capture that a filter selects, a line for each frame.
func tshark(t *testing.T, capture, filter string, fields ...string) []string {
	t.Helper()
	args := []string{"-n", "-r", capture, "-Y", filter, "-T", "fields"}
	for _, f := range fields {
		args = append(args, "-e", f)
	}
	c := exec.Command("tshark", args...)
	var bad bytes.Buffer
	c.Stderr = &bad
	out, err := c.Output()
	require.NoError(t, err, bad.String())
	return strings.Split(strings.TrimSpace(string(out)), "\n")
}

// needTshark skips the test without tshark.
func needTshark(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("tshark"); err != nil {
		t.Skip("no tshark: install Debian's package tshark")
	}
}

// pcap writes frames as a capture.
func pcap(t *testing.T, frames ...[]byte) string {
	t.Helper()
	b := []byte{0xd4, 0xc3, 0xb2, 0xa1, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0, 0, 1, 0, 0, 0}
	for _, f := range frames {
		b = binary.LittleEndian.AppendUint32(append(b, 0, 0, 0, 0, 0, 0, 0, 0), uint32(len(f)))
		b = append(binary.LittleEndian.AppendUint32(b, uint32(len(f))), f...)
	}
	name := filepath.Join(t.TempDir(), "frames.pcap")
	require.NoError(t, os.WriteFile(name, b, 0o644))
	return name
}

// tshark reads every field of our LLDP and PFC frames as we mean it.
func TestTsharkReadsOurFrames(t *testing.T) {
	needTshark(t)
	l := &virtualLink{ourAddress: pfc.Address{2, 0, 0, 0, 0, 7}}
	s := settings(l, true, 3, 4)
	s.Recommendation = &dcbx.ETSRecommendation{Table: table}
	s.Application.Assignments = []dcbx.Assignment{{Priority: 3, Selector: dcbx.ByUDP, Protocol: 4791}}
	var frames [][]byte
	for _, mode := range []dcbx.Mode{dcbx.OnlyIEEE, dcbx.OnlyCEE} {
		s.Mode = mode
		f, err := agent(t, s).Send(0)
		require.NoError(t, err)
		b, err := f.AppendTo(nil)
		require.NoError(t, err)
		frames = append(frames, b)
	}
	frames = append(frames, pfc.Stop(l.ourAddress, pfc.Of(3, 4), 1000).AppendTo(nil, pfc.WithoutFCS))
	name := pcap(t, frames...)
	require.Equal(t, []string{"9,10,11,12"}, hexToDecimal(tshark(t, name, "frame.number==1", "lldp.ieee.802_1.subtype")))
	require.Equal(t, []string{"1,1\t8\t2,2\t2,2"}, tshark(t, name, "frame.number==1", "lldp.dcbx.ieee.willing",
		"lldp.dcbx.ieee.pfc.numtcs", "lldp.dcbx.ieee.ets.tsa0", "lldp.dcbx.ieee.ets.tsa1"))
	require.Equal(t, []string{"0,0\t1,1\t40,40\t60,60\t0\t1\t1\t0"}, tshark(t, name, "frame.number==1",
		"lldp.dcbx.feature.pg.pgid_prio0", "lldp.dcbx.feature.pg.pgid_prio3", "lldp.dcbx.feature.pg.per0",
		"lldp.dcbx.feature.pg.per1", "lldp.dcbx.feature.pfc.prio2", "lldp.dcbx.feature.pfc.prio3",
		"lldp.dcbx.feature.pfc.prio4", "lldp.dcbx.feature.pfc.prio5"))
	require.Equal(t, []string{"1\t0\t1,1,0\t1\t60\t1\t0"}, tshark(t, name, "frame.number==2", "lldp.dcbx.control.seq",
		"lldp.dcbx.control.ack", "lldp.dcbx.feature.willing", "lldp.dcbx.feature.pg.pgid_prio3",
		"lldp.dcbx.feature.pg.per1", "lldp.dcbx.feature.pfc.prio3", "lldp.dcbx.feature.pfc.prio5"))
	require.Equal(t, []string{"0x12b7\t0x001b21"}, tshark(t, name, "frame.number==2", "lldp.dcbx.feature.app.proto",
		"lldp.dcbx.feature.app.oui"))
	require.Equal(t, []string{"0x0101\t0x0018\t1000\t1000\t0"}, tshark(t, name, "frame.number==3", "macc.opcode",
		"macc.cbfc.enbv", "macc.cbfc.pause_time.c3", "macc.cbfc.pause_time.c4", "macc.cbfc.pause_time.c5"))
	require.Empty(t, tshark(t, name, "_ws.malformed or _ws.expert.severity == error", "frame.number")[0])
}

// hexToDecimal prints the numbers of lines in decimal.
func hexToDecimal(lines []string) []string {
	r := strings.NewReplacer("0x09", "9", "0x0a", "10", "0x0b", "11", "0x0c", "12")
	for i := range lines {
		lines[i] = r.Replace(lines[i])
	}
	return lines
}

// tshark reads the CNPs of a simulated run as CNPs, and calls no frame malformed. A CNP has the length, the bit BECN
// and the 16 reserved bytes that annex A17 of the InfiniBand architecture gives it. Frames of data have their headers
// alone.
func TestTsharkReadsOurCNPs(t *testing.T) {
	needTshark(t)
	bin := effort.Command(t, "..", "./cmd/cellwarden")
	name := filepath.Join(t.TempDir(), "run.pcap")
	out, err := exec.Command(bin, "sim", filepath.Join("..", "examples", "scenarios", "dcqcn-8.yaml"), "--until", "1ms",
		"--pcap", name).CombinedOutput()
	require.NoError(t, err, string(out))
	lines := tshark(t, name, "infiniband.bth.opcode == 129", "ip.dsfield.dscp", "udp.dstport", "infiniband.bth.opcode")
	require.Greater(t, len(lines), 3)
	for _, line := range lines {
		require.Equal(t, "48\t4791\t129", line)
	}
	for _, line := range tshark(t, name, "infiniband.bth.opcode == 129", "frame.len", "frame.cap_len", "udp.payload") {
		require.Regexp(t, `^78\t78\t8100ffff40[0-9a-f]{6}00[0-9a-f]{6}0{32}[0-9a-f]{8}$`, line)
	}
	require.Empty(t, tshark(t, name, "_ws.malformed or _ws.expert.severity == error", "frame.number")[0])
}
