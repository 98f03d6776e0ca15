"""Renders SONiC's templates for cellwarden's audit.

The process reads one request for each line of standard input and writes one answer for each, in order. Both are JSON.
Before the first request it writes a line with its versions, or one that says what is missing.

    request  {"root": "/tree", "folder": "device/v/p/sku", "above": "", "template": "qos.json.j2", "context": {...},
              "smartswitch": false, "lines": false}
    answer   {"text": "...", "origins": [[file, line], ...], "files": [...]}  or
             {"error": {"kind": "...", "file": "...", "line": 3, "message": "..."}}

The templates are the work of others, so they run in Jinja's sandbox, with bounds on time, memory and text. The sandbox
is the mutable one, because SONiC's templates collect ports with list.append and change tables with dict.update.
"""
import io
import json
import os
import re
import resource
import signal
import sys

try:
    import jinja2
    from jinja2 import debug, nodes  # noqa: F401 (debug is imported late otherwise, when files are closed to us)
    from jinja2.sandbox import SandboxedEnvironment, SecurityError
except ImportError as missing:
    print(json.dumps({"missing": str(missing)}), flush=True)
    sys.exit(0)

bounds = json.loads(sys.argv[1])  # seconds of CPU time, bytes of memory, bytes of a text, bytes of a template


class Overtime(BaseException):
    """The time of a rendering is over. It is no Exception, so that nothing on the way handles it."""


class TooLong(Exception):
    """A text or a file is longer than accepted."""


class Outside(Exception):
    """A symbolic link leaves the tree."""


class Tree(jinja2.BaseLoader):
    """The templates that a folder of a tree can name, in the order in which the switch looks for them.

    sonic-cfggen has the search path /, /usr/share/sonic/templates and the folder of the template. The first two are
    on the switch; files/build_templates is what is installed as the second. A template is compiled once for all trees
    that have it with the same text, since most folders have links to the files of others, and two revisions of a tree
    differ in few files.
    """

    installed = (("usr/share/sonic/templates/", "files/build_templates"), ("usr/share/sonic/device/", "device"))

    def __init__(self):
        self.sources = {}  # texts by the real path
        self.templates = {}  # by the path below the tree and the text
        self.used = set()  # the real paths that this rendering has loaded
        self.found = {}  # real paths by name, in this folder

    def enter(self, root, folder, above):
        if (root, folder) != getattr(self, "place", None):
            self.place, self.found = (root, folder), {}
        self.root, self.folders, self.used = root, [folder] + [above] * bool(above), set()

    def candidates(self, name):
        name = marks.sub("", name).lstrip("/")
        if ".." in name.split("/") or "\0" in name:
            return
        for prefix, place in self.installed:
            if name.startswith(prefix):
                yield os.path.join(self.root, place, name[len(prefix):])
        yield os.path.join(self.root, "files/build_templates", name)
        for folder in self.folders:
            yield os.path.join(self.root, folder, name)

    def find(self, name):
        """Returns the real path of a template, None if there is none. A link that leaves the tree is an error."""
        if name not in self.found:
            self.found[name] = None
            for path in self.candidates(name):
                real = os.path.realpath(path)
                if os.path.isfile(real):
                    if not real.startswith(self.root + os.sep):
                        raise Outside("%s is a symbolic link that leaves the tree" % os.path.relpath(path, self.root))
                    self.found[name] = real
                    break
        return self.found[name]

    def exists(self, name):
        return self.find(name) is not None

    def load(self, environment, name, globals=None):
        real = self.find(name)
        if real is None:
            raise jinja2.TemplateNotFound(marks.sub("", name))
        source = self.sources.get(real)
        if source is None:
            with io.open(real, "rb") as f:
                source = f.read(bounds["template"] + 1)
            if len(source) > bounds["template"]:
                raise TooLong("a template of more than %d bytes" % bounds["template"])
            self.sources[real] = source
        shown = os.path.relpath(real, self.root)
        key = (shown, source, environment.marking)
        template = self.templates.get(key)
        if template is None:
            try:
                code = environment.compile(source.decode("utf-8"), shown, shown)
            except UnicodeDecodeError:
                raise jinja2.TemplateSyntaxError("not UTF-8", 1, shown, shown)
            template = environment.template_class.from_code(environment, code, environment.make_globals(None))
            self.templates[key] = template
        if key not in self.used:
            template._module = None  # what an import without context keeps is the state of one rendering
            self.used.add(key)
        return template


# A mark stands in a text where a line of a template begins: the file and the line, between two characters of the
# private use area.
marks = re.compile("\ue000([0-9]+):([0-9]+)\ue001")


class Environment(SandboxedEnvironment):
    """Jinja's sandbox with the settings, filters and globals of sonic-cfggen (src/sonic-config-engine/sonic-cfggen)."""

    # Products and powers of large numbers do not end in time, and are not interrupted.
    intercepted_binops = frozenset(["*", "**"])

    def __init__(self, tree, marking):
        super().__init__(loader=tree, trim_blocks=True, cache_size=0)
        self.marking = marking
        self.files = []
        self.filters["sort_by_port_index"] = sort_by_port_index
        self.globals["template_exists"] = tree.exists
        self.globals.pop("lipsum", None)  # random
        self.filters.pop("random", None)

    def call_binop(self, context, operator, left, right):
        for x in (left, right):
            if isinstance(x, int) and x.bit_length() > (63 if operator == "*" else 10):
                raise OverflowError("%s of a number that is too large" % operator)
        for many, times in ((left, right), (right, left)):
            if isinstance(many, (str, list, tuple)) and isinstance(times, int) and len(many) * times > bounds["text"]:
                raise TooLong("a product of more than %d parts" % bounds["text"])
        return super().call_binop(context, operator, left, right)

    def _parse(self, source, name, filename):
        tree = super()._parse(source, name, filename)
        if self.marking:
            self.files.append(filename)
            for data in tree.find_all(nodes.TemplateData):
                data.data = self.marked(data.data, len(self.files) - 1, data.lineno)
        return tree

    def marked(self, text, file, first):
        lines = text.split("\n")
        for i, line in enumerate(lines):
            if line.strip():
                lines[i] = "\ue000%d:%d\ue001%s" % (file, first + i, line)
        return "\n".join(lines)


def sort_by_port_index(value):
    """Sorts a list of ports in place, ports between chips (Ethernet-BP) last, as the filter of sonic-cfggen does."""
    if value and isinstance(value, list):
        value.sort(key=lambda k: int(k[11:]) + 1024 if "BP" in k else int(k[8:]))


def with_pairs(variables):
    """Makes tuples of the keys of tables that have several parts (Vlan1000|Ethernet0), as sonic-cfggen does."""
    for name, table in variables.items():
        if isinstance(table, dict) and any("|" in key for key in table):
            variables[name] = {tuple(k.split("|")) if "|" in k else k: v for k, v in table.items()}
    return variables


tree = Tree()
environments = {}


def text_of(request):
    """Renders a request to its text."""
    tree.enter(os.path.realpath(request["root"]), request["folder"], request.get("above"))
    marking = bool(request.get("lines"))
    if marking not in environments:
        environments[marking] = Environment(tree, marking)
    env = environments[marking]
    env.globals["is_smartswitch"] = bool(request.get("smartswitch"))
    template = env.get_template(request["template"])
    length, parts = 0, []
    for part in template.root_render_func(template.new_context(with_pairs(request["context"]))):
        length += len(part)
        if length > bounds["text"]:
            raise TooLong("a text of more than %d characters" % bounds["text"])
        parts.append(part)
    return "".join(parts)


def origins(text):
    """Takes the marks out of a text, and returns for each of its lines the file and the line that printed it."""
    out, last = [], None
    for line in text.split("\n"):
        first = marks.search(line)
        place = [int(first.group(1)), int(first.group(2))] if first else last
        out.append(place)
        every = marks.findall(line)
        if every:
            last = [int(every[-1][0]), int(every[-1][1])]
    return marks.sub("", text), out


def place_of(error):
    """Returns the file and the line of a template where an error arose, in the innermost template."""
    file, line, tb = "", 0, error.__traceback__
    while tb is not None:
        template = tb.tb_frame.f_globals.get("__jinja_template__")
        if template is not None:
            file, line = template.filename, template.get_corresponding_lineno(tb.tb_lineno)
        tb = tb.tb_next
    if isinstance(error, jinja2.TemplateSyntaxError):
        file, line = error.filename or file, error.lineno
    return file, line


kinds = (
    (Overtime, "time"), (MemoryError, "memory"), (RecursionError, "recursion"), (TooLong, "long"), (Outside, "outside"),
    (jinja2.TemplateNotFound, "missing"), (jinja2.TemplateSyntaxError, "syntax"), (SecurityError, "refused"),
    (BaseException, "failed"),
)


def message_of(kind, error):
    if kind == "time":
        return "more than %g seconds of CPU time" % bounds["seconds"]
    if kind == "memory":
        return "more than %d bytes of memory" % bounds["memory"]
    if kind == "recursion":
        return "templates or macros that call each other too deep"
    if kind == "missing":
        return "no template %s" % error.name
    text = " ".join(str(error).split())
    return text[:500] if text else type(error).__name__


def answer(request):
    try:
        signal.setitimer(signal.ITIMER_PROF, bounds["seconds"], 0.1)
        try:
            text = text_of(request)
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
    except (Exception, Overtime) as error:
        kind = next(name for types, name in kinds if isinstance(error, types))
        file, line = place_of(error)
        return {"error": {"kind": kind, "file": file, "line": line, "message": message_of(kind, error)}}
    if not request.get("lines"):
        return {"text": text}
    text, places = origins(text)
    return {"text": text, "origins": places, "files": environments[True].files}


def overtime(number, frame):
    raise Overtime()


writing = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
closed = ("socket.", "subprocess.", "os.exec", "os.fork", "os.posix_spawn", "os.spawn", "os.system", "os.remove",
          "os.rename", "os.mkdir", "os.rmdir", "os.link", "os.symlink", "os.chmod", "shutil.", "ctypes.", "urllib.")


def guard(event, args):
    """Closes the network, other programs and writing, below the sandbox: nothing here needs them."""
    if event == "open" and args[2] & writing or event.startswith(closed):
        raise PermissionError("%s is not accepted here" % event)


def confine():
    for name, most in (("RLIMIT_AS", bounds["memory"]), ("RLIMIT_FSIZE", 0), ("RLIMIT_CORE", 0), ("RLIMIT_NOFILE", 32)):
        try:
            resource.setrlimit(getattr(resource, name), (most, most))
        except (AttributeError, ValueError, OSError):
            pass  # a system without this limit
    signal.signal(signal.SIGPROF, overtime)
    sys.addaudithook(guard)


def main():
    confine()
    out = sys.stdout.buffer
    out.write(json.dumps({"python": sys.version.split()[0], "jinja2": jinja2.__version__}).encode() + b"\n")
    out.flush()
    for line in sys.stdin.buffer:
        try:
            data = json.dumps(answer(json.loads(line)))
        except Overtime:  # the alarm came at the end of a rendering
            data = json.dumps({"error": {"kind": "time", "file": "", "line": 0, "message": message_of("time", None)}})
        out.write(data.encode() + b"\n")
        out.flush()


main()
