// The scalars of a value, depth first.
function scalars(value) {
  return value.elements ? value.elements.flatMap(scalars) : [value];
}

// Of long arrays only what is not zero is shown.
const SCALARS_SHOWN = 40;

function values(list) {
  const all = list.flatMap(scalars);
  const shown = all.length <= SCALARS_SHOWN ? all : all.filter((value) => !/^0x0*$/.test(value.bits || "")).slice(0, SCALARS_SHOWN);
  if (all.length === 0) return [h("p", { class: "faint" }, "no inputs")];
  const rows = shown.map((value) =>
    h("tr", {}, h("td", { class: "mono" }, value.name || "result"), [value.decimal, value.hex, value.bits].map((text) => h("td", { class: "mono" }, text || ""))));
  const head = h("tr", {}, ["name", "decimal", "hexadecimal", "bits"].map((text) => h("th", { scope: "col" }, text)));
  const rest = all.length - shown.length;
  return [
    h("div", { class: "scroll", tabindex: "0", "aria-label": "values" }, h("table", {}, h("thead", {}, head), h("tbody", {}, rows))),
    rest > 0 && h("p", { class: "faint" }, `and ${plural(rest, "value", "values")} more; report.json has them`),
  ];
}

function outcome(seen) {
  if (seen.outcome === "signal") return `signal ${seen.signal ?? ""}`;
  if (seen.outcome === "timeout") return "time-out";
  if (seen.outcome === "exit") return `exit(${seen.exit_code ?? ""})`;
  return "returned";
}

function notations(value) {
  if (!value) return "";
  const parts = [value.decimal, value.hex, value.bits].filter((part, index, all) => part && all.indexOf(part) === index);
  return parts.flatMap((part, index) => (index === 0 ? [part] : [h("br"), part]));
}

// What the builds did, a column for each.
function observed(finding, target) {
  const seen = finding.between.map((role) => finding.observations.find((of) => of.role === role)).filter(Boolean);
  const build = (role) => target.builds.find((of) => of.role === role);
  const words = (role) => {
    const of = build(role);
    return of ? `${role}: ${[of.compiler || of.source, ...of.flags].join(" ")}` : role;
  };
  const rows = [];
  const row = (name, cells, texts) => {
    const differs = texts.some((text) => text !== texts[0]);
    rows.push(h("tr", { class: differs ? "differs" : null }, h("th", { scope: "row" }, name), cells.map((cell) => h("td", { class: "mono" }, cell))));
  };
  const same = (name, texts) => row(name, texts, texts);
  if (seen.some((of) => of.outcome !== "returned")) same("outcome", seen.map(outcome));
  same("exceptions", seen.map((of) => of.flags.join(", ") || "none"));
  const outputs = seen.map((of) => [...(of.result ? [of.result] : []), ...of.outputs].flatMap(scalars));
  const count = Math.max(0, ...outputs.map((of) => of.length));
  for (let index = 0; index < Math.min(count, SCALARS_SHOWN); index++) {
    const column = outputs.map((of) => of[index]);
    const name = column.map((value) => value && value.name).find(Boolean) || "result";
    row(name, column.map(notations), column.map((value) => (value ? value.bits : "")));
  }
  if (count > SCALARS_SHOWN) rows.push(h("tr", {}, h("td", {}, `and ${number(count - SCALARS_SHOWN)} more outputs`)));
  const head = seen.length > 1 && h("thead", {}, h("tr", {}, h("td"), seen.map((of) => h("th", { scope: "col" }, words(of.role)))));
  return [h("div", { class: "scroll", tabindex: "0", "aria-label": "observations" }, h("table", {}, head, h("tbody", {}, rows)))];
}

function traces(finding, sources) {
  return finding.between.flatMap((role) => {
    const seen = finding.observations.find((of) => of.role === role);
    if (!seen || seen.trace.length === 0) return [];
    const events = seen.trace.map((event) => {
      const line = sources[event.file]?.[event.line];
      const library = event.library ? ` in ${event.library}` : "";
      const where = event.function ? ` in ${event.function}` : "";
      return h("li", {}, `${event.exceptions.join(", ")}: ${event.operator}${library} at ${place(event)}${where}`, line !== undefined && h("code", {}, line.trim()));
    });
    const cut = seen.events_cut ? `and ${plural(seen.events_cut, "event", "events")} more; report.json has them` : null;
    const incomplete = seen.trace_complete ? null : "this trace is not complete";
    return [
      h("h3", {}, finding.between.length > 1 ? `Trace of ${role}` : "Trace"),
      h("ol", { class: "trace" }, events),
      [cut, incomplete].filter(Boolean).map((text) => h("p", { class: "faint" }, text)),
    ];
  });
}

function ulps(error) {
  return `${error >= 1e6 ? error.toExponential(1) : Number.isInteger(error) || error >= 100 ? error.toFixed(0) : error.toFixed(2)} ulps`;
}

// What an exception means for the result, and who can reach it.
function meaning(finding, unit) {
  const details = finding.exception;
  if (!details) return [];
  const item = (name, ...content) => [h("dt", {}, name), h("dd", {}, ...content)];
  const routes = details.reachable_from.map((route) => {
    const inputs = route.inputs.flatMap(scalars).map((value) => `${value.name ?? ""} = ${value.decimal ?? ""}`);
    const chain = (route.chain.length > 0 ? route.chain : [route.entry]).join(" → ");
    return h("li", {}, h("code", {}, chain), inputs.length > 0 && ` with ${inputs.join(", ")}`);
  });
  const others = (details.not_seen_from || []).map((of) => h("li", {}, h("code", {}, of.chain.join(" → ")), `: ${
    { unreachable: `proved impossible (${of.engine})`, unreachable_within_bound: `proved impossible within the loop bound of ${of.loop_bound} only` }[of.verdict] || of.why
  }`));
  return [
    h("dl", {},
      item("site", h("code", {}, `${details.site.operator} at ${place(details.site)} in ${details.site.function}`)),
      details.true_result !== undefined && item("true result", h("code", {}, details.true_result)),
      details.error_ulps !== undefined && item("error", ulps(details.error_ulps)),
      details.avoidable !== undefined &&
        item("avoidable", details.avoidable ? "yes: the true result is a normal number" : "no: the true result is no normal number"),
      routes.length > 0 && item("reachable from", h("ul", { class: "plain" }, routes)),
      details.only_direct && item("only if called directly", `proved of every public function that leads to it (${details.only_direct.engine})`),
      others.length > 0 && item("not seen from", h("ul", { class: "plain" }, others)),
      routes.length + others.length === 0 && unit && !unit.is_public &&
        item("reachable from", "no public function is known to lead to it: seen only when called directly")),
  ];
}

const FOUND_BY = { solver: "the solver", neighbourhood: "search around a solver's input", guided: "guided search", random: "random sampling", given: "you: it was given" };

// The lines that a finding is about, besides an exception's site: where traces raise something.
function excerpts(finding, sources) {
  const places = finding.exception ? [finding.exception.site] : finding.between.slice().reverse().flatMap((role) => {
    const seen = finding.observations.find((of) => of.role === role);
    return seen ? seen.trace : [];
  });
  const distinct = places.filter((of, index) => places.findIndex((other) => place(other) === place(of)) === index);
  return distinct.slice(0, 6).map((of) => excerpt(sources, of, 3));
}

function findingBody(finding, unit, data) {
  const remarks = [...(finding.notes || [])];
  if (!finding.exception && !finding.baseline_clean) remarks.unshift("outside fast-math's contract: the input or the baseline is not clean");
  if (finding.in_control) remarks.unshift("the strict control differs too: the optimiser's doing, not fast-math's");
  return [
    h("p", {}, data.severities.find((of) => of.name === finding.severity)?.meaning),
    ...excerpts(finding, data.sources),
    ...meaning(finding, unit),
    h("h3", {}, unit ? `Witness for ${unit.function}` : "Witness"),
    ...values(finding.inputs),
    h("h3", {}, "Observed natively"),
    ...observed(finding, data.target),
    ...traces(finding, data.sources),
    remarks.length > 0 && h("ul", { class: "plain" }, remarks.map((text) => h("li", {}, text))),
    h("p", { class: "faint" }, `${plural(finding.count, "input shows", "inputs show")} this; found by ${FOUND_BY[finding.found_by] || finding.found_by}; id ${finding.id}`),
    finding.command && h("code", { class: "command", title: "the command that replays it" }, finding.command),
  ].flat(Infinity).filter(Boolean);
}
