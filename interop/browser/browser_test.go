package browser_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/interop/browser"
)

func TestMain(m *testing.M) { os.Exit(browser.Main(m)) }

// A test opens a page, waits for what the page does, and asks what it reported.
func Example() {
	test := func(t *testing.T) {
		tab := browser.Open(t)
		tab.Visit("https://switch.example/")
		tab.Until(`document.querySelector("h1").textContent=="FITS"`)
		require.Empty(t, tab.Errors())
	}
	_ = test
}

// A tab reads the page and keeps its errors: of scripts, of the console, and of what a policy refuses.
func TestTab(t *testing.T) {
	page := ""
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.Header().Set("Content-Security-Policy", "script-src 'nonce-x'")
		if r.URL.Path == "/" {
			_, _ = w.Write([]byte("<title>t</title><link rel=icon href=data:,><h1>" + page))
		}
	}))
	t.Cleanup(server.Close)
	tab := browser.Open(t)
	tab.Size(600, 400, false)
	page = "<script nonce=x>setTimeout(()=>document.title='later',20)</script>"
	tab.Visit(server.URL)
	tab.Until(`document.title=="later"`)
	require.Equal(t, 600, browser.Value[int](tab, "innerWidth"))
	require.Empty(t, tab.Errors())
	require.Empty(t, tab.Overflow())
	page = "<p id=wide style='width:900px'>wide</p><script nonce=x>console.error('said');throw Error('thrown')</script>" +
		"<script>refused()</script>"
	tab.Visit(server.URL)
	require.Contains(t, tab.Overflow(), "P. wide")
	require.Len(t, tab.Errors(), 3)
	tab.Size(600, 400, true)
	require.True(t, browser.Value[bool](tab, `matchMedia("(prefers-color-scheme: dark)").matches`))
	require.NotEmpty(t, tab.Screenshot())
	browser.Value[bool](tab, `(document.body.innerHTML="<button id=first></button><button id=second></button>",true)`)
	tab.Press("\t")
	tab.Press("\t")
	require.Equal(t, "second", browser.Value[string](tab, "document.activeElement.id"))
}
