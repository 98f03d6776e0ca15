package internal_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/internal/live"
)

// A program that has a module writes a page about a topology.
func Example_live() {
	m := live.Module{Wasm: []byte("what make.go has built"), Run: "what Go runs it with"}
	page := m.Page(&live.Given{Topology: "chip: tomahawk\n", Title: "FITS - leaf.yaml"})
	fmt.Println(strings.Contains(string(page), "<title>FITS - leaf.yaml</title>"))
	// Output: true
}

// The page without a server is one file: it names no other, its policy has the hashes of its script and style and no
// 'unsafe-inline', and what it begins with is in it as it was given, whatever it says.
func TestLivePage(t *testing.T) {
	state := live.Given{Topology: "chip: </script><script>alert(1)</script>\n<!--", Set: []string{"a=</script>"},
		Files: map[string]string{"<b>.ini": "</script>"}, Verify: true, Answer: "<p>FITS</p>", Title: "</title><b>"}
	m := live.Module{Wasm: []byte("wasm"), Run: "run();\n"}
	page := string(m.Page(&state))
	require.Equal(t, page, string(m.Page(&state)))
	require.NotRegexp(t, `(src|href)="[^d#]`, page)
	require.NotContains(t, page, "alert(1)</script>")
	require.Contains(t, page, "<main id=\"answer\"><p>FITS</p></main>")
	require.Contains(t, page, `<script type="text/plain" id="module">`+base64.StdEncoding.EncodeToString(m.Wasm)+"</script>")
	require.Contains(t, page, `<script type="text/plain" id="worker">run();`)
	require.Equal(t, 4, strings.Count(page, "</script>"), "no script ends another")

	policy := html.UnescapeString(regexp.MustCompile(`Policy" content="([^"]*)"`).FindStringSubmatch(page)[1])
	require.Equal(t, live.Policy(), policy)
	require.NotContains(t, policy, "unsafe-inline")
	for _, tag := range []string{"style", "script"} {
		all := regexp.MustCompile(`(?s)<`+tag+`>(.*?)</`+tag+`>`).FindAllStringSubmatch(page, -1)
		require.Len(t, all, 1, "one %s is run", tag)
		sum := sha256.Sum256([]byte(all[0][1]))
		require.Contains(t, policy, tag+"-src 'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"'")
	}

	var got live.Given
	data := regexp.MustCompile(`(?s)id="state">(.*?)</script>`).FindStringSubmatch(page)[1]
	require.NoError(t, json.Unmarshal([]byte(data), &got))
	got.Answer, got.Title = state.Answer, state.Title
	require.Equal(t, state, got)
	require.NotContains(t, string(m.Page(nil)), `id="state"`)
}

// The page of a server has neither style nor script of its own.
func TestLiveServed(t *testing.T) {
	page := string(live.Served(false))
	require.Contains(t, page, `<link rel="stylesheet" href="/page.css">`+"\n"+`<script src="/page.js" defer></script>`)
	require.NotRegexp(t, `<style|<script>|Content-Security-Policy|id="module"|live\.html`, page)
	require.Contains(t, string(live.Served(true)), `<a href="/live.html" download="cellwarden.html">`)
}

// A program has a whole module, or says what to do.
func TestLiveEmbedded(t *testing.T) {
	m, err := live.Embedded()
	if err != nil {
		require.ErrorIs(t, err, live.ErrNone)
		require.ErrorContains(t, err, "go generate ./internal/live")
		return
	}
	require.Contains(t, m.Run, "class")
	require.Equal(t, "\x1f\x8b", string(m.Wasm[:2]))
}
