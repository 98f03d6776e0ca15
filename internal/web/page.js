// The page keeps one state: a topology, and the values that the reader gives in place of the topology's. Every change of
// the state is sent to the server, whose answer is shown; the link has the state too.
"use strict";
(() => {
  const $ = (id) => document.getElementById(id);
  const state = { topology: "", set: new Map(), others: "", verify: false };

  // Cables are dragged on a logarithmic scale, from 1 m to 100 km; its left end is 0 m.
  const STEPS = 1000, FAR = 5;
  const cableAt = (step) => {
    if (step <= 0) return "0m";
    const m = Math.pow(10, (FAR * step) / STEPS);
    const digits = Math.pow(10, Math.max(0, Math.floor(Math.log10(m)) - 1));
    const rounded = Math.round(m / digits) * digits;
    return rounded >= 1000 ? `${Number((rounded / 1000).toFixed(3))}km` : `${Math.round(rounded)}m`;
  };
  const stepOf = (m) => (m < 1 ? 0 : Math.min(STEPS, Math.round((Math.log10(m) / FAR) * STEPS)));

  const changes = () => {
    const out = [];
    for (const [path, value] of state.set) out.push(`${path}=${value}`);
    for (const line of state.others.split("\n")) if (line.trim() !== "") out.push(line.trim());
    return out;
  };
  const question = (full) =>
    JSON.stringify({ topology: state.topology, set: changes(), verify: state.verify, full });
  const post = (path, body) => fetch(path, { method: "POST", headers: { "Content-Type": "application/json" }, body });

  // One question is under way at a time. What changes meanwhile is asked when its answer is there. What takes longer,
  // such as the longest cable, is asked when the reader has changed nothing for a while.
  const QUIET = 400;
  let busy = false, again = false, quiet;
  const ask = async (full = false) => {
    clearTimeout(quiet);
    if (!full) keep();
    if (busy) { again = true; return; }
    if (state.topology.trim() === "") return;
    busy = true;
    try {
      const response = await post("/page/answer", question(full));
      const text = await response.text();
      let answer;
      try { answer = JSON.parse(text); } catch { answer = { errors: [text] }; }
      if (!again) {
        show(answer, full);
        if (!full && !answer.errors) quiet = setTimeout(() => ask(true), QUIET);
      }
    } catch (err) {
      show({ errors: [`the server does not answer: ${err.message}`] });
    } finally {
      busy = false;
      if (again) { again = false; ask(); }
    }
  };

  const show = (answer, full) => {
    const errors = $("errors"), text = (answer.errors || []).join("\n");
    errors.hidden = !answer.errors;
    if (errors.textContent !== text) errors.textContent = text; // it is read aloud when it changes
    $("answer").classList.toggle("old", Boolean(answer.errors));
    wrong(answer.fields || []);
    if (answer.errors) {
      const first = answer.errors[0], more = answer.errors.length - 1;
      verdict("bad", "no plan", (first.length > 90 ? `${first.slice(0, 90)}\u2026` : first) + (more ? ` (and ${more} more)` : ""));
      document.title = "refused - cellwarden";
      return;
    }
    replace(answer.html, full);
    verdict(answer.tone, answer.verdict, answer.number);
    document.title = `${answer.title} - cellwarden`;
    controls(answer.controls);
  };

  // The verdict and its number are in sight while a value changes, and read aloud.
  const verdict = (tone, text, number) => {
    const bar = $("verdict"), small = document.createElement("span");
    small.className = "number";
    small.textContent = number;
    bar.className = `bar verdict ${tone}`;
    bar.replaceChildren(text, number ? " \u00b7 " : "", small);
  };

  // What a reader has opened and chosen in the answer stays. What if is planned many times over, so the old one is shown
  // until the new one is there.
  const replace = (html, full) => {
    const open = new Set([...document.querySelectorAll("#answer details[open]>summary")].map((s) => s.textContent));
    const unit = document.querySelector("#answer input[name=unit]:checked"), old = $("what-if");
    const at = $("answer").contains(document.activeElement) ? document.activeElement.id : "";
    // The server has escaped every text in it, and the page's policy allows no script but this one.
    $("answer").innerHTML = html;
    for (const s of document.querySelectorAll("#answer details>summary")) s.parentNode.open = open.has(s.textContent);
    if (unit && $(unit.id)) $(unit.id).checked = true;
    if (at && $(at)) $(at).focus();
    if (old && !full && !$("what-if")) {
      old.classList.add("old");
      ($("refusal") || $("head")).after(old);
    }
  };

  // A complaint about one value stands beside its field.
  const wrong = (list) => {
    for (const p of document.querySelectorAll(".wrong")) p.remove();
    for (const input of document.querySelectorAll("[aria-invalid]")) {
      input.removeAttribute("aria-invalid");
      input.removeAttribute("aria-describedby");
    }
    for (const f of list) {
      const field = state.set.has(f.path) && document.querySelector(`[data-path="${CSS.escape(f.path)}"]`);
      const input = field ? field.querySelector("input,select") : $(f.path === "" ? "topology" : "others");
      let p = $(`${input.id}-wrong`);
      if (!p) {
        p = document.createElement("p");
        p.className = "wrong";
        p.id = `${input.id}-wrong`;
        input.after(p);
        input.setAttribute("aria-invalid", "true");
        input.setAttribute("aria-describedby", p.id);
      }
      const spelled = f.path.replaceAll(".", ": ");
      const named = field && [`${f.path}: `, `${spelled}: `, `${spelled} `].find((path) => f.text.startsWith(path));
      p.textContent += (p.textContent === "" ? "" : "\n") + f.text.slice(named ? named.length : 0); // the field has its name
    }
  };

  // A value in words: "300 m" of 300m.
  const words = (value) => value.replace(/^([0-9.]+)([a-z]+)$/, "$1 $2");

  // The controls are made anew only if there are others: the one that is dragged stays.
  let made = "";
  const controls = (list) => {
    const kinds = list.map((c) => c.path + c.label + JSON.stringify(c.choices || [])).join("\n");
    if (kinds !== made) {
      made = kinds;
      $("sliders").replaceChildren($("sliders").querySelector("legend"), ...list.map(control));
    }
    for (const c of list) {
      const field = document.querySelector(`[data-path="${CSS.escape(c.path)}"]`);
      field.classList.toggle("changed", state.set.has(c.path));
      const input = field.querySelector("input,select");
      if (c.kind === "cable") {
        if (input !== document.activeElement) input.value = stepOf(c.metres);
        said(field, input, c.value);
      } else if (c.kind === "text" && input !== document.activeElement) {
        input.value = state.set.get(c.path) || "";
        input.placeholder = c.value || "as in the topology";
      }
    }
  };

  // said writes the value of a slider beside it, and says it in words.
  const said = (field, input, value) => {
    field.querySelector("output").textContent = words(value);
    input.setAttribute("aria-valuetext", words(value));
  };

  const control = (c, i) => {
    const field = document.createElement("div"), label = document.createElement("label");
    field.className = "field";
    field.dataset.path = c.path;
    const id = `control-${i}`;
    label.htmlFor = id;
    label.textContent = c.label;
    field.append(label);
    const put = (value) => {
      if (value === "") state.set.delete(c.path); else state.set.set(c.path, value);
      ask();
    };
    if (c.kind === "cable") {
      const output = document.createElement("output");
      output.htmlFor = id;
      const input = document.createElement("input");
      Object.assign(input, { id, type: "range", min: 0, max: STEPS, step: 1 });
      input.value = stepOf(c.metres);
      input.addEventListener("input", () => {
        const value = cableAt(Number(input.value));
        said(field, input, value);
        put(value);
      });
      field.append(output, input);
    } else if (c.kind === "choice") {
      const select = document.createElement("select");
      select.id = id;
      const chosen = state.set.get(c.path) || "";
      select.append(new Option(chosen === "" ? `${c.value} (as in the topology)` : "as in the topology", ""));
      const own = (c.choices || []).slice();
      if (chosen !== "" && !own.some((x) => x.set === chosen)) own.unshift({ label: c.value, set: chosen });
      for (const x of own) select.append(new Option(x.label, x.set));
      select.value = chosen;
      select.addEventListener("change", () => put(select.value));
      field.append(select);
    } else {
      const input = document.createElement("input");
      Object.assign(input, { id, type: "text", spellcheck: false, autocomplete: "off", maxLength: 200 });
      input.value = state.set.get(c.path) || "";
      input.addEventListener("change", () => put(input.value.trim()));
      field.append(input);
    }
    return field;
  };

  // The link has the state behind its #, packed. A browser does not send it to the server.
  const LONGEST = 1 << 20;
  const pack = async (text) => {
    const packed = new Blob([text]).stream().pipeThrough(new CompressionStream("deflate-raw"));
    const bytes = new Uint8Array(await new Response(packed).arrayBuffer());
    let binary = "";
    for (const b of bytes) binary += String.fromCharCode(b);
    return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  };
  const unpack = async (text) => {
    const bytes = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
    const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw")).getReader();
    const parts = [];
    let size = 0;
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      size += value.length;
      if (size > LONGEST) throw new Error("the state in the link is too long");
      parts.push(value);
    }
    return new Blob(parts).text();
  };
  let kept = 0;
  const keep = async () => {
    const turn = ++kept;
    const hash = "#" + (await pack(JSON.stringify({
      topology: state.topology, set: [...state.set], others: state.others, verify: state.verify })));
    if (turn !== kept) return; // a newer state is being packed
    history.replaceState(null, "", hash);
    $("link").href = hash;
  };
  const restore = async () => {
    if (location.hash.length < 2) return false;
    try {
      const from = JSON.parse(await unpack(location.hash.slice(1)));
      state.topology = String(from.topology);
      state.set = new Map(from.set.map(([path, value]) => [String(path), String(value)]));
      state.others = String(from.others);
      state.verify = from.verify === true;
      return true;
    } catch (err) {
      show({ errors: [`the link has no state that can be read: ${err.message}`] });
      return false;
    }
  };
  const fill = () => {
    $("topology").value = state.topology;
    $("others").value = state.others;
    $("verify").checked = state.verify;
    made = "";
  };

  const example = async (name) => {
    const response = await fetch(`/v1/examples/${encodeURIComponent(name)}`);
    if (!response.ok) return;
    Object.assign(state, { topology: (await response.json()).topology, set: new Map(), others: "" });
    fill();
    ask();
  };

  const start = async () => {
    const choices = await (await fetch("/v1/choices")).json();
    $("example").append(new Option("choose an example", ""), ...choices.examples.map((x) => new Option(x, x)));
    $("chips").textContent = "Chips: " + choices.chips.filter((c) => c.total_cells > 0).map((c) => c.name).join(", ");
    $("methods").textContent = "Methods: " + choices.methods.join(", ");
    $("example").addEventListener("change", () => { if ($("example").value) example($("example").value); });
    let wait;
    const typed = (from, key) => $(from).addEventListener("input", () => {
      clearTimeout(wait);
      wait = setTimeout(() => { state[key] = $(from).value; ask(); }, 150);
    });
    typed("topology", "topology");
    typed("others", "others");
    $("verify").addEventListener("change", () => { state.verify = $("verify").checked; ask(); });
    $("reset").addEventListener("click", () => { state.set.clear(); state.others = ""; fill(); ask(); });
    $("controls").addEventListener("submit", (e) => e.preventDefault());
    $("save").addEventListener("click", async () => {
      const response = await post("/page/report", question(true));
      if (!response.ok) { show({ errors: [await response.text()] }); return; }
      const a = document.createElement("a");
      a.href = URL.createObjectURL(await response.blob());
      a.download = "plan.html";
      a.click();
      URL.revokeObjectURL(a.href);
    });
    addEventListener("hashchange", async () => { if (await restore()) { fill(); ask(); } });
    if (await restore()) { fill(); ask(); } else if ($("errors").hidden) {
      // One to drag cables of: its method has a headroom for every length.
      example(choices.examples.find((x) => x.includes("three-lengths")) || choices.examples[0]);
    }
  };
  start();
})();
