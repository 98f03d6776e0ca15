package devicetree_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/internal/devicetree"
	"github.com/cellwarden/cellwarden/internal/effort"
)

// The pools of all configurations of a folder. It prints nothing where python3-jinja2 is absent, so it has no output
// that is compared.
func ExampleRenderer() {
	ctx := context.Background()
	tree, below, err := devicetree.Open("testdata/tree/device/acme/x86_64-acme_leaf-r0/Leaf-4x100")
	if err != nil {
		log.Fatal(err)
	}
	defer tree.Close()
	folders, _, err := tree.Folders(ctx, below)
	if err != nil {
		log.Fatal(err)
	}
	r, err := devicetree.StartRenderer(ctx)
	if err != nil {
		log.Print(err)
		return
	}
	defer r.Close()
	for c, err := range r.Configurations(tree, folders, nil) {
		if err != nil {
			log.Fatal(err)
		}
		for _, d := range c.Documents {
			fmt.Println(c.Variant, d.Request.Template, len(d.Text), d.Err)
		}
	}
}

// shared is the interpreter of most tests. It ends with the process.
var shared = sync.OnceValues(func() (*devicetree.Renderer, error) {
	b := devicetree.DefaultBounds()
	b.Memory, b.Text, b.Template = 192<<20, 1<<20, 64<<10
	return devicetree.StartRendererWith(context.Background(), "python3", b)
})

// start returns the shared interpreter, or skips the test where there is none.
func start(t *testing.T) *devicetree.Renderer {
	t.Helper()
	r, err := shared()
	if errors.Is(err, devicetree.ErrNoPython) {
		t.Skip(err)
	}
	require.NoError(t, err)
	return r
}

// smallBounds is the tree of hwsku's tests.
func smallBounds(t *testing.T) (*devicetree.Tree, []devicetree.Folder) {
	t.Helper()
	tree, below, err := devicetree.Open("testdata/tree")
	require.NoError(t, err)
	t.Cleanup(func() { tree.Close() })
	folders, _, err := tree.Folders(t.Context(), below)
	require.NoError(t, err)
	return tree, folders
}

func TestConfigurations(t *testing.T) {
	r := start(t)
	tree, folders := smallBounds(t)
	var names []string
	for c, err := range r.Configurations(tree, folders, nil) {
		require.NoError(t, err)
		require.NoError(t, c.PortsErr)
		var name strings.Builder
		name.WriteString(fmt.Sprint(c.Folder.SKU, " ", c.Variant, " dynamic ", c.Dynamic, ":"))
		for _, d := range c.Documents {
			name.WriteString(" " + d.Request.Template)
			if d.Err != nil {
				name.WriteString(" " + string(d.Err.Kind))
			}
		}
		names = append(names, name.String())
		if c.Variant.Topology.Name != "t1" || c.Folder.SKU != "Leaf-4x100" || c.Dynamic {
			continue
		}
		var tables struct {
			Length map[string]map[string]string `json:"CABLE_LENGTH"`
			Pool   map[string]map[string]string `json:"BUFFER_POOL"`
		}
		require.NoError(t, json.Unmarshal([]byte(c.Documents[0].Text), &tables))
		far := "40m"
		if c.Variant.Neighbours {
			far = "300m"
		}
		require.Equal(t, map[string]string{"Ethernet0": far, "Ethernet4": "40m", "Ethernet8": far, "Ethernet12": "40m"},
			tables.Length["AZURE"])
		require.Equal(t, "4194112", tables.Pool["ingress_lossless_pool"]["xoff"])
	}
	require.Equal(t, []string{
		"Leaf-4x100 t0 dynamic false: buffers.json.j2 qos.json.j2",
		"Leaf-4x100 t0 dynamic true: buffers_dynamic.json.j2 qos.json.j2",
		"Leaf-4x100 t0 with neighbours dynamic false: buffers.json.j2 qos.json.j2",
		"Leaf-4x100 t0 with neighbours dynamic true: buffers_dynamic.json.j2 qos.json.j2",
		"Leaf-4x100 t1 dynamic false: buffers.json.j2 qos.json.j2",
		"Leaf-4x100 t1 dynamic true: buffers_dynamic.json.j2 qos.json.j2",
		"Leaf-4x100 t1 with neighbours dynamic false: buffers.json.j2 qos.json.j2",
		"Leaf-4x100 t1 with neighbours dynamic true: buffers_dynamic.json.j2 qos.json.j2",
		"Leaf-4x100 def dynamic false: buffers.json.j2 qos.json.j2",
		"Leaf-4x100 def dynamic true: buffers_dynamic.json.j2 qos.json.j2",
		"Leaf-8x50 t0 dynamic false: qos.json.j2", "Leaf-8x50 t0 with neighbours dynamic false: qos.json.j2",
		"Leaf-8x50 t1 dynamic false: qos.json.j2", "Leaf-8x50 t1 with neighbours dynamic false: qos.json.j2",
		"Leaf-8x50 def dynamic false: qos.json.j2",
	}, names)
}

// A line of the text has the line of the template that printed it, through includes, imports and macros.
func TestOrigins(t *testing.T) {
	r := start(t)
	tree, folders := smallBounds(t)
	ports, err := tree.Ports(t.Context(), &folders[0])
	require.NoError(t, err)
	request := devicetree.Request{Root: tree.Path, Folder: folders[0].Path, Template: devicetree.Buffers,
		Context: folders[0].Context(ports, devicetree.Variant{Topology: folders[0].Topologies[1]})}
	plain, err := r.Render(request)
	require.NoError(t, err)
	require.Nil(t, plain.Err)
	_, known := plain.Origin(1)
	require.False(t, known)
	marked := plain
	marked.Origins, err = r.Origins(plain)
	require.NoError(t, err)
	folder := folders[0].Path + "/"
	for line, want := range map[string]string{
		`"Ethernet8": "40m"`: "files/build_templates/buffers_config.j2:27",
		`"size": "10875072"`: folder + "buffers_defaults_t1.j2:7",
		`"Ethernet4|0"`:      "files/build_templates/buffers_config.j2:38",
	} {
		for number, text := range strings.Split(marked.Text, "\n") {
			if strings.Contains(text, line) {
				place, known := marked.Origin(number + 1)
				require.True(t, known)
				require.Equal(t, want, place.String())
			}
		}
	}
}

// tree writes a folder with these files in a new tree, and returns a request for its qos.json.j2.
func request(t *testing.T, content map[string]string) devicetree.Request {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "tree/device/v/p/s"), 0o777))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "secret.j2"), []byte("secret"), 0o666))
	for name, text := range content {
		at := filepath.Join(dir, "tree/device/v/p/s", name)
		if to, link := strings.CutPrefix(text, "-> "); link {
			require.NoError(t, os.Symlink(to, at))
		} else {
			require.NoError(t, os.WriteFile(at, []byte(text), 0o666))
		}
	}
	return devicetree.Request{Root: filepath.Join(dir, "tree"), Folder: "device/v/p/s", Template: "qos.json.j2",
		Context: []byte(`{"PORT": {"Ethernet4": {}, "Ethernet0": {}, "Ethernet-BP0": {}}, "text": "x"}`)}
}

// What a template may do is what SONiC's do, and no more. Each that breaks a bound is an error of its own, and the same
// process renders the next.
func TestHostileTemplates(t *testing.T) {
	effort.SkipFew(t, "it renders templates that take long")
	r := start(t)
	deep := strings.Repeat("(", 3000) + "1" + strings.Repeat(")", 3000)
	for _, c := range []struct {
		name, template string
		kind           devicetree.ErrorKind
		line           int
		message        string
	}{
		{"", "{{", devicetree.Syntax, 1, ""},
		{"", "{\n{{ x | ipv4 }}", devicetree.Syntax, 2, "No filter named 'ipv4'"},
		{"", "{}\n{{ x.y }}", devicetree.Failed, 2, "'x' is undefined"},
		{"", "\n\n{% include 'none.j2' %}", devicetree.Missing, 3, "no template none.j2"},
		{"", "{% include '../../../../../secret.j2' %}", devicetree.Missing, 1, ""},
		{"", "{% include 'link.j2' %}", devicetree.Outside, 1, "link.j2 is a symbolic link that leaves the tree"},
		{"", "{% include '/etc/passwd' %}", devicetree.Missing, 1, ""},
		{"", "{% include 'bytes.j2' %}", devicetree.Syntax, 1, "not UTF-8"},
		{"", "{% include 'long.j2' %}", devicetree.Long, 1, ""},
		{"", "{}}", devicetree.NotJSON, 1, "invalid character '}' after top-level value"},
		{"", "[]", devicetree.NotJSON, 0, "want a JSON object"},
		{"", "{\n\n\"a\": 1,\n}", devicetree.NotJSON, 4, ""},
		{"", "", devicetree.NotJSON, 1, ""},
		{"range", "{% for i in range(10**9) %}{% endfor %}", devicetree.Failed, 1, "Range too big"},
		{"recursion", "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}", devicetree.Deep, 1, ""},
		{"include of itself", "{% include 'qos.json.j2' %}", devicetree.Deep, 1, ""},
		{"nesting", "{{ " + deep + " }}", devicetree.Deep, 0, ""},
		{"output", "{% for i in range(90000) %}0123456789012345{% endfor %}", devicetree.Long, 0, ""},
		{"product", "{{ text * 1000000000 }}", devicetree.Long, 1, ""},
		{"constant product", "{{ 'x' * 1000000000 }}", devicetree.Long, 1, ""},
		{"product of lists", "{% set l = [1] * 1000000000 %}", devicetree.Long, 1, ""},
		{"power", "{{ 10 ** 100000000 }}", devicetree.Failed, 1, "** of a number that is too large"},
		{"powers", "{{ ((((9 ** 999) ** 999) ** 999) ** 999) }}", devicetree.Failed, 1, ""},
		{"format", "{{ '%2000000000d' % 1 }}", devicetree.Memory, 1, ""},
		{"format of a variable", "{{ (text ~ '%2000000000d') % 1 }}", devicetree.Memory, 1, ""},
		{"center", "{{ text.center(2000000000) }}", devicetree.Memory, 1, ""},
		{"doubling", "{% set n = namespace(s='x') %}{% for i in range(64) %}{% set n.s = n.s ~ n.s %}{% endfor %}",
			devicetree.Memory, 1, ""},
		{"list that grows", "{% set l = [1] %}{% for i in range(64) %}{% if l.extend(l) %}{% endif %}{% endfor %}",
			devicetree.Memory, 1, ""},
		{"class", "{{ ''.__class__.__mro__[1].__subclasses__() }}", devicetree.Refused, 1, ""},
		{"function", "{{ template_exists.__globals__.tree }}", devicetree.Refused, 1, ""},
		{"loader", "{{ self._TemplateReference__context.x }}", devicetree.Refused, 1, ""},
		{"str.format", "{{ '{0.__class__.__mro__}'.format(1) }}", devicetree.Refused, 1, ""},
	} {
		q := request(t, map[string]string{"qos.json.j2": c.template, "link.j2": "-> ../../../../../secret.j2",
			"bytes.j2": "\xff", "long.j2": strings.Repeat(" ", 65<<10)})
		result, err := r.Render(q)
		require.NoError(t, err, c.template)
		require.NotNil(t, result.Err, c.template)
		require.Equal(t, c.kind, result.Err.Kind, "%s %.100s: %v", c.name, c.template, result.Err)
		require.Contains(t, result.Err.Message, c.message, c.template)
		require.NotContains(t, result.Err.Error(), "\n")
		require.Contains(t, []string{"device/v/p/s/qos.json.j2", "device/v/p/s/bytes.j2"}, result.Err.File, c.template)
		if c.line > 0 {
			require.Equal(t, c.line, result.Err.Line, "%s %v", c.template, result.Err)
		}
		good, err := r.Render(request(t, map[string]string{"qos.json.j2": "{{ '{}' }}"}))
		require.NoError(t, err)
		require.Nil(t, good.Err, "after %s", c.template)
	}
}

// A template without an end is stopped, and the same process renders the next.
func TestTime(t *testing.T) {
	effort.SkipShort(t, "it starts interpreters")
	start(t) // skips where there is no interpreter
	b := devicetree.DefaultBounds()
	b.CPU = time.Second / 5
	r, err := devicetree.StartRendererWith(t.Context(), "python3", b)
	require.NoError(t, err)
	defer r.Close()
	const loop = "{% for i in range(90000) %}{% for j in range(90000) %}{% endfor %}{% endfor %}"
	result, err := r.Render(request(t, map[string]string{"qos.json.j2": "\n" + loop}))
	require.NoError(t, err)
	require.EqualError(t, result.Err, "device/v/p/s/qos.json.j2:2: more than 0.2 seconds of CPU time")
	require.Equal(t, devicetree.Time, result.Err.Kind)
	result, err = r.Render(request(t, map[string]string{"qos.json.j2": "{}"}))
	require.NoError(t, err)
	require.Nil(t, result.Err)
}

// A template that a bound has stopped is not tried again, under whichever name; and when a run has taken too long, no
// other is.
func TestStoppedTemplates(t *testing.T) {
	effort.SkipShort(t, "it starts interpreters")
	start(t) // skips where there is no interpreter
	const loop = "{% for i in range(90000) %}{% for j in range(90000) %}{% endfor %}{% endfor %}"
	files := map[string]string{"qos.json.j2": loop, "link.json.j2": "-> qos.json.j2", "other.json.j2": loop,
		"good.json.j2": "{}"}
	q := request(t, files)
	all := func(b devicetree.Bounds, names ...string) (out []string) {
		r, err := devicetree.StartRendererWith(t.Context(), "python3", b)
		require.NoError(t, err)
		defer r.Close()
		for result, err := range r.All(func(yield func(devicetree.Request) bool) {
			for _, name := range names {
				if q.Template = name; !yield(q) {
					return
				}
			}
		}) {
			require.NoError(t, err)
			if result.Err == nil {
				out = append(out, "rendered")
			} else {
				require.Equal(t, devicetree.Time, result.Err.Kind)
				out = append(out, result.Err.Message)
			}
		}
		return out
	}
	const spent, again = "more than 0.2 seconds of CPU time",
		"not rendered: it was stopped before: device/v/p/s/qos.json.j2:1: more than 0.2 seconds of CPU time"
	b := devicetree.DefaultBounds()
	b.CPU = time.Second / 5
	require.Equal(t, []string{"rendered", spent, again, again, "rendered"},
		all(b, "good.json.j2", "qos.json.j2", "link.json.j2", "qos.json.j2", "good.json.j2"))
	b.Run = time.Second / 10
	got := all(b, "qos.json.j2", "other.json.j2", "good.json.j2", "good.json.j2")
	require.Equal(t, []string{"no answer in 100ms", "not rendered: the templates of this run have taken 100ms"}, got[:2])
	require.Equal(t, got[1:3], got[2:])

	// Twelve costly templates, each within its own bound, end with the run's: the last ones are not begun.
	var costly []string
	for i := range 12 {
		name := fmt.Sprintf("costly%d.json.j2", i)
		costly, files[name] = append(costly, name), fmt.Sprint(i)+loop
	}
	q = request(t, files)
	b.CPU, b.Run = time.Second/20, time.Second/4
	got = all(b, costly...)
	require.Len(t, got, 12)
	require.NotContains(t, got[0], "not rendered")
	require.Equal(t, "not rendered: the templates of this run have taken 250ms", got[11])
}

// An interpreter that never answers is not started again once the run has taken its time, however many templates there
// are.
func TestARunStartsNoMoreInterpreters(t *testing.T) {
	python := filepath.Join(t.TempDir(), "python")
	require.NoError(t, os.WriteFile(python, []byte("#!/bin/sh\necho start >>\"$0.starts\"\necho {}\n"+
		"while read -r line; do :; done\n"), 0o700))
	b := devicetree.DefaultBounds()
	b.Wall, b.Run = 20*time.Millisecond, 50*time.Millisecond
	r, err := devicetree.StartRendererWith(t.Context(), python, b)
	require.NoError(t, err)
	defer r.Close()
	last, n := "", 0
	for result, err := range r.All(func(yield func(devicetree.Request) bool) {
		for i := range 12 {
			if !yield(devicetree.Request{Root: "/", Folder: "f", Template: fmt.Sprint(i)}) {
				return
			}
		}
	}) {
		require.NoError(t, err)
		last, n = result.Err.Message, n+1
	}
	require.Equal(t, 12, n)
	require.Equal(t, "not rendered: the templates of this run have taken 50ms", last)
	starts, err := os.ReadFile(python + ".starts")
	require.NoError(t, err)
	require.LessOrEqual(t, strings.Count(string(starts), "start"), 3)
}

// What SONiC's templates use of Jinja works in the sandbox as it does outside.
func TestWhatTemplatesUse(t *testing.T) {
	r := start(t)
	result, err := r.Render(request(t, map[string]string{
		"qos.json.j2": `{% import 'defs.j2' as defs with context %}
{%- set ports = [] %}
{%- for port in PORT %}{%- if ports.append(port) %}{%- endif %}{%- endfor %}
{%- if ports | sort_by_port_index %}{%- endif %}
{%- set table = {'a': '1'} %}
{%- set _ = table.update({'b': '2'}) %}
{"ports": "{{ ports | reject('in', ['Ethernet8']) | list | join(',') }}", "table": "{{ table.b }}{{ undefined }}",
"macro": "{{ defs.name() }}", "exists": "{{ template_exists('defs.j2') }}{{ template_exists('none.j2') }}",
"smart": "{{ is_smartswitch }}", "variable": "{{ defs.length }}", "defined": "{{ defs.other is defined }}"}
`,
		"defs.j2": "{% set length = '5m' %}\n{% macro name() -%}\n" +
			"{{ '%s of %d' % (PORT | length, length | length) }}\n{%- endmacro %}",
	}))
	require.NoError(t, err)
	require.Nil(t, result.Err)
	require.JSONEq(t, `{"ports": "Ethernet0,Ethernet4,Ethernet-BP0", "table": "2", "macro": "3 of 2",
		"exists": "TrueFalse", "smart": "False", "variable": "5m", "defined": "False"}`, result.Text)
}

// A rendering leaves nothing for the next one: the state of an import without context is new.
func TestRenderingsShareNothing(t *testing.T) {
	r := start(t)
	q := request(t, map[string]string{"qos.json.j2": "{% import 'list.j2' as l %}{% if l.list.append(1) %}{% endif %}" +
		`{"n": {{ l.list | length }}}`, "list.j2": "{% set list = [] %}"})
	for range 2 {
		result, err := r.Render(q)
		require.NoError(t, err)
		require.Equal(t, `{"n": 1}`, result.Text)
	}
}

// A rendering inside a loop over others takes no answer of theirs, and gives none of its own.
func TestRenderInsideALoop(t *testing.T) {
	r := start(t)
	q := request(t, map[string]string{"qos.json.j2": `{"n": {{ n }}}`})
	numbered := func(n int) devicetree.Request {
		q.Context = fmt.Appendf(nil, `{"n": %d}`, n)
		return q
	}
	all := func(yield func(devicetree.Request) bool) {
		for n := 0; n < 9 && yield(numbered(n)); n++ {
		}
	}
	n := 0
	for result, err := range r.All(all) {
		require.NoError(t, err)
		require.Equal(t, fmt.Sprintf(`{"n": %d}`, n), result.Text)
		inner, err := r.Render(numbered(100 + n))
		require.NoError(t, err)
		require.Equal(t, fmt.Sprintf(`{"n": %d}`, 100+n), inner.Text)
		n++
	}
	require.Equal(t, 9, n)
	for range r.All(all) {
		break
	}
	last, err := r.Render(numbered(7))
	require.NoError(t, err)
	require.Equal(t, `{"n": 7}`, last.Text)
}

// A template that looks at its own text has no origins.
func TestNoOrigins(t *testing.T) {
	r := start(t)
	result, err := r.Render(request(t, map[string]string{
		"qos.json.j2": `{% macro m() %}a{% endmacro %}{"same": {% if m() == 'a' %}1{% else %}2{% endif %}}`}))
	require.NoError(t, err)
	require.Equal(t, `{"same": 1}`, result.Text)
	origins, err := r.Origins(result)
	require.NoError(t, err)
	require.Empty(t, origins)
}

// An interpreter that does not answer is ended, and the next one renders what is left.
func TestInterpreterEnds(t *testing.T) {
	effort.SkipShort(t, "it starts interpreters")
	start(t) // skips where there is none
	b := devicetree.DefaultBounds()
	b.CPU, b.Wall = time.Hour, time.Second
	r, err := devicetree.StartRendererWith(t.Context(), "python3", b)
	require.NoError(t, err)
	defer r.Close()
	loop := request(t, map[string]string{
		"qos.json.j2": "{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}"})
	good := request(t, map[string]string{"qos.json.j2": "{}"})
	var kinds []string
	for result, err := range r.All(func(yield func(devicetree.Request) bool) {
		_ = yield(good) && yield(loop) && yield(good) && yield(good)
	}) {
		require.NoError(t, err)
		kinds = append(kinds, fmt.Sprint(result.Err == nil || result.Err.Kind == devicetree.Time, result.Err == nil))
	}
	require.Equal(t, []string{"true true", "true false", "true true", "true true"}, kinds)
}

func TestNoPython(t *testing.T) {
	effort.SkipFew(t, "it waits for an interpreter that is not there")
	_, err := devicetree.StartRendererWith(t.Context(), filepath.Join(t.TempDir(), "python3"), devicetree.DefaultBounds())
	require.ErrorIs(t, err, devicetree.ErrNoPython)
	require.ErrorContains(t, err, "apt install python3-jinja2")
	for _, said := range []string{`echo '{"missing": "No module named jinja2"}'`, "echo hello", "exit 3", "yes"} {
		at := filepath.Join(t.TempDir(), "python3")
		require.NoError(t, os.WriteFile(at, []byte("#!/bin/sh\n"+said+"\n"), 0o777))
		_, err := devicetree.StartRendererWith(t.Context(), at, devicetree.DefaultBounds())
		require.ErrorIs(t, err, devicetree.ErrNoPython, said)
	}
}
