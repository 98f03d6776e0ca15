package dcbx_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/dcbx"
)

// text prints values with blanks between.
func text(values ...fmt.Stringer) string {
	var parts []string
	for _, v := range values {
		parts = append(parts, v.String())
	}
	return strings.Join(parts, " ")
}

// Whatever is accepted survives writing and reading, and every TLV of DCBX that is read is written as the same bytes.
func FuzzFrame(f *testing.F) {
	for _, seed := range []string{
		head + "0000",
		head + "fe19 0080c2 09 d8 01030072 320a002800000000 02020002010900ff fe06 0080c2 0b e4 18 0000",
		head + "fe19 0080c2 0a 81 01030072 320a002800000000 02020002010900ff fe08 0080c2 0c 00 61 8906 0000",
		head + "fe3a 001b21 02 020a 00010000000700000006 0411 0102ff03 0000f11f 3232000000000000 08 0606 " +
			"00008000 18 04" +
			" 080a 00004000 8906 00 1b21 08 0000",
		head + "fe0b 001b21 01 0605 00008000 18 0000",
	} {
		f.Add(append(raw("0180c200000e 020000000009 88cc"), raw(seed)...))
		f.Add(append(raw("0180c200000e 020000000009 8100 e000 88cc"), raw(seed)...))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		frame, err := dcbx.DecodeFrame(data)
		if err != nil {
			return
		}
		out, err := frame.AppendTo(nil)
		require.NoError(t, err)
		again, err := dcbx.DecodeFrame(out)
		require.NoError(t, err)
		require.Equal(t, frame, again)
		ad := dcbx.Read(&frame.PDU)
		survives(t, &frame.PDU, &ad)
	})
}

// survives requires that what was read of a PDU is in the PDU, byte for byte.
func survives(t *testing.T, p *dcbx.PDU, ad *dcbx.Advertisement) {
	t.Helper()
	there := func(tlv dcbx.TLV, err error) {
		t.Helper()
		require.NoError(t, err)
		require.Contains(t, p.TLVs, tlv)
	}
	if ad.ETS != nil {
		there(ad.ETS.TLV())
	}
	if ad.Recommendation != nil {
		there(ad.Recommendation.TLV())
	}
	if ad.PFC != nil {
		there(ad.PFC.TLV())
	}
	if ad.Application != nil {
		there(ad.Application.TLV())
	}
	if ad.CEE == nil {
		return
	}
	// The TLVs inside may be in another order: they are the same after another reading.
	tlv, err := ad.CEE.TLV()
	require.NoError(t, err)
	one := dcbx.PDU{TLVs: append(dcbx.Mandatory(leaf, 0), tlv)}
	again := dcbx.Read(&one)
	require.Equal(t, ad.CEE, again.CEE)
}
