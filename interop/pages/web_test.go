package pages_test

import (
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/internal/web"
	"github.com/cellwarden/cellwarden/interop/browser"
)

// small is a topology that fits.
const small = `chip: tomahawk
headroom: {method: ieee802.1qbb, delays: larger}
classes:
  - {name: rdma, priorities: [3], lossless: true, alpha: 1}
ports:
  - {range: "Ethernet1-4", speed: 100G, cable: 300m}
  - {range: "Ethernet5-8", speed: 100G, cable: 5m}
`

// whole is an expression that is true when all parts of the answer are shown, which come one by one.
const whole = `!document.querySelector("#answer").hasAttribute("aria-busy")`

// shown is an expression that is true when a whole answer is there, and its first line begins with a text.
func shown(text string) string {
	return fmt.Sprintf(`%s&&(document.querySelector("#answer h1")||{textContent:""}).textContent.startsWith(%q)`, whole, text)
}

// put gives a field of the page a value, as a reader does who types or drags.
func put(tab *browser.Tab, selector, event, value string) {
	browser.Value[bool](tab, fmt.Sprintf(
		`(()=>{const e=document.querySelector(%q);e.value=%q;e.dispatchEvent(new Event(%q,{bubbles:true}));return true})()`,
		selector, value, event))
}

// A reader picks an example, drags a cable until the plan is refused, and back; changes the method and a value; sees
// what is wrong with a value; and sends the link to a colleague, who sees the same.
func TestPageOfServer(t *testing.T) {
	tab := browser.Open(t)
	server := httptest.NewServer(web.New(web.Options{}))
	t.Cleanup(server.Close)
	tab.Size(1400, 900, false)
	tab.Visit(server.URL)
	tab.Until(shown("DOES NOT FIT: 6 ports are refused")) // the first example is there
	tab.Until(`document.querySelectorAll("#answer svg").length>2`)

	put(tab, "#topology", "input", small)
	tab.Until(`document.querySelector("#answer").textContent.includes("Ethernet5-8")`)
	tab.Until(shown("FITS"))
	slider := `[data-path="ports[0].cable"] input`
	require.Equal(t, "Cable of Ethernet1-4, 100G: 300 m", browser.Value[string](tab,
		`(s=>s.labels[0].textContent+": "+s.getAttribute("aria-valuetext"))(document.querySelector('`+slider+`'))`))
	put(tab, slider, "input", "990")
	tab.Until(shown("DOES NOT FIT: 4 ports are refused, first Ethernet1, with ports[0].cable="))
	require.True(t, browser.Value[bool](tab, `document.querySelector("#refusal").textContent.includes("shorter cable")`))
	tab.Until(`document.querySelector("#what-if")&&document.querySelector("#cables").textContent.includes("longest ")`)
	require.Equal(t, 4, browser.Value[int](tab, `document.querySelectorAll("#ports path.bad-line").length`))
	// Many steps of a drag: the last one is shown.
	for _, step := range []string{"900", "800", "700", "400", "360"} {
		put(tab, slider, "input", step)
	}
	tab.Until(shown("FITS, with ports[0].cable=63m"))

	// By the keyboard: a slider moves in steps, says its value in words and keeps the keys; the next key leads to the next
	// control, as they stand on the page.
	browser.Value[bool](tab, `(document.querySelector('`+slider+`').focus(),true)`)
	tab.Press(kb.ArrowRight)
	tab.Until(shown("FITS, with ports[0].cable=64m"))
	require.Equal(t, "64 m", browser.Value[string](tab, `document.activeElement.getAttribute("aria-valuetext")`))
	tab.Press(kb.ArrowLeft)
	tab.Until(shown("FITS, with ports[0].cable=63m"))
	for _, path := range []string{"ports[1].cable", "chip", "headroom", "headroom.frame"} {
		tab.Press(kb.Tab)
		require.Equal(t, path, browser.Value[string](tab, `document.activeElement.closest("[data-path]").dataset.path`))
	}

	put(tab, `[data-path="headroom"] select`, "change", "{method: juniper}")
	tab.Until(`document.querySelector("#answer dl").textContent.includes("method juniper")`)
	put(tab, `[data-path="headroom"] select`, "change", "")
	tab.Until(`document.querySelector("#answer dl").textContent.includes("method ieee802.1qbb")`)

	put(tab, `[data-path="chip"] select`, "change", "tomahawk5")
	tab.Until(`document.querySelector("#answer dl").textContent.includes("tomahawk5: ")`)
	put(tab, `[data-path="chip"] select`, "change", "")
	tab.Until(`document.querySelector("#answer dl").textContent.includes("tomahawk: ")`)

	put(tab, "#others", "input", "classes[0].alpha=5")
	tab.Until(`!document.querySelector("#errors").hidden`)
	require.Contains(t, browser.Value[string](tab, `document.querySelector("#errors").textContent`), "classes[0].alpha")
	require.True(t, browser.Value[bool](tab, `document.querySelector("#answer").classList.contains("old")`))
	frame := `[data-path="headroom.frame"] input`
	wrong := `document.querySelector("#others[aria-invalid=true]").getAttribute("aria-describedby")`
	require.Contains(t, browser.Value[string](tab, "document.getElementById("+wrong+").textContent"), "is not an alpha")
	// What is wrong is in sight wherever the reader is, and not the verdict of before. Every field says what is wrong
	// with it, at once with the others.
	put(tab, "#others", "input", "classes[0].alpha=5\nnonsense")
	put(tab, frame, "change", "64")
	tab.Until(`document.querySelectorAll("[aria-invalid=true]").length==2&&` +
		`document.querySelector("#errors").textContent.includes("nonsense")`)
	require.True(t, strings.HasPrefix(browser.Value[string](tab, `document.getElementById(document.querySelector('`+
		frame+`').getAttribute("aria-describedby")).textContent`), `"64" is not a number of bytes: `))
	require.Contains(t, browser.Value[string](tab, "document.getElementById("+wrong+").textContent"), `"nonsense": no =`)
	inSight(t, tab, "#errors")
	require.Negative(t, browser.Value[float64](tab, `(scrollTo(0,document.body.scrollHeight/2),
		document.querySelector("#answer .bar").getBoundingClientRect().bottom)`))
	tab.Size(390, 844, false)
	inSight(t, tab, "#verdict")
	require.Regexp(t, `^no plan · set: "nonsense": .* \(and 2 more\)$`,
		browser.Value[string](tab, `document.querySelector("#verdict").textContent`))
	tab.Size(1400, 900, false)
	put(tab, frame, "change", "")
	put(tab, "#others", "input", "classes[0].alpha=1/4")
	tab.Until(`document.querySelector("#errors").hidden`)
	browser.Value[bool](tab, `(()=>{document.querySelector("#verify").click();return true})()`)
	tab.Until(`(document.querySelector(".proof.good")||{}).textContent=="LOSSLESS"`)

	var link string
	tab.Until(`location.hash.length>20&&document.querySelector("#link").href==location.href`)
	link = browser.Value[string](tab, "location.href")
	title := browser.Value[string](tab, "document.title")
	require.Equal(t, "FITS, with ports[0].cable=63m, classes[0].alpha=1/4 - cellwarden", title)
	tab.Visit("about:blank")
	tab.Visit(link)
	tab.Until(fmt.Sprintf("document.title==%q", title))
	require.Equal(t, small, browser.Value[string](tab, `document.querySelector("#topology").value`))
	require.True(t, browser.Value[bool](tab, `document.querySelector("#verify").checked`))

	for _, width := range widths {
		tab.Size(width, 900, width == 600)
		require.Empty(t, browser.Value[string](tab, faint))
		fits(t, tab, fmt.Sprintf("serve-%d", width))
		inSight(t, tab, map[bool]string{true: "#verdict", false: "#answer .bar"}[width <= 900])
	}
	// The refused value was answered with the status 422, which a browser reports; nothing else is.
	for _, text := range tab.Errors() {
		require.Contains(t, text, "422")
	}
}

// inSight requires that the bar with the verdict is at the top of the window wherever the reader is.
func inSight(t *testing.T, tab *browser.Tab, bar string) {
	t.Helper()
	box := `document.querySelector("` + bar + `").getBoundingClientRect()`
	for _, at := range []string{"600", "document.body.scrollHeight/2"} {
		require.InDelta(t, 0, browser.Value[float64](tab, `(scrollTo(0,`+at+`),`+box+`.top)`), 1, bar)
	}
	require.Less(t, browser.Value[float64](tab, box+`.height`), 160.0, bar)
	browser.Value[bool](tab, `(scrollTo(0,0),true)`)
}

// A topology with markup in its names stays text, and a link that is no state is refused.
func TestPageOfServerIsSafe(t *testing.T) {
	tab := browser.Open(t)
	server := httptest.NewServer(web.New(web.Options{}))
	t.Cleanup(server.Close)
	tab.Visit(server.URL + "/#not-a-state")
	tab.Until(`document.querySelector("#errors").textContent.includes("no state")`)
	evil := `chip: "<img src=x onerror=alert(1)>"` + "\nclasses: [{name: '<script>document.title=1</script>'}]\nports: []\n"
	put(tab, "#topology", "input", evil)
	tab.Until(`document.querySelector("#errors").textContent.includes("<img src=x")`)
	require.Zero(t, browser.Value[int](tab, `document.querySelectorAll("img,#answer script").length`))
	named := `chip: tomahawk
headroom: {method: ieee802.1qbb}
classes: [{name: "<b id=x>", priorities: [3], lossless: true}]
ports: [{name: e1, speed: 100G, cable: 5m}]
`
	put(tab, "#topology", "input", named)
	tab.Until(`document.querySelector("#answer").textContent.includes("<b id=x>")||!document.querySelector("#errors").hidden`)
	require.Zero(t, browser.Value[int](tab, `document.querySelectorAll("#x").length`))
}
