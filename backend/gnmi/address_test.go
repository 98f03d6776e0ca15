package gnmi_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/backend/gnmi"
)

func TestAddress(t *testing.T) {
	for text, want := range map[string]string{
		"leaf1": "leaf1:9339", "leaf1:6030": "leaf1:6030", "leaf-1.dc_2.example.": "leaf-1.dc_2.example.:9339",
		"192.0.2.1": "192.0.2.1:9339", "192.0.2.1:1": "192.0.2.1:1", "10.0.0.1:65535": "10.0.0.1:65535",
		"::1": "[::1]:9339", "[::1]": "[::1]:9339", "[2001:db8::1]:6030": "[2001:db8::1]:6030",
		"fe80::1%eth0": "[fe80::1%eth0]:9339", "[fe80::1%eth0]:57400": "[fe80::1%eth0]:57400",
		"unix:/run/gnmi.sock": "unix:/run/gnmi.sock", "unix:///run/gnmi.sock": "unix:///run/gnmi.sock",
		"dns:///leaf1:9339": "dns:///leaf1:9339",
		"":                  "", ":9339": "", "leaf1:": "", "leaf1:0": "", "leaf1:65536": "", "leaf1:-1": "",
		"leaf1:gnmi": "", "leaf1:1:2": "", "leaf 1": "", "leaf1,": "", "leaf1:9339,": "",
		"https://leaf1:9339": "", "http://leaf1": "", "leaf1/": "", "lab:sesame@leaf1": "", "[leaf1": "", "[::1]:": "",
		"[::1]:x": "", "::g": "", "leaf1:9339\n": "",
	} {
		got, err := gnmi.Address(text)
		require.Equal(t, want, got, text)
		if want == "" {
			require.ErrorContains(t, err, "(want <host> or <host>:<port>")
			require.NotContains(t, err.Error(), "sesame")
			_, err = gnmi.Dial(text, gnmi.Options{Cell: cell, Insecure: true})
			require.ErrorContains(t, err, "address ")
		}
	}
}
