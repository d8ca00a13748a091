// What stands before and behind the list of results.

// Distinct texts with their counts, most frequent first.
function ranked(texts) {
  const tally = new Map();
  for (const text of texts) tally.set(text, (tally.get(text) || 0) + 1);
  return [...tally].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
}

// Of long lists the first are shown, the others when they are asked for.
const ITEMS_SHOWN = 8;

function listed(texts) {
  const items = texts.map((text) => h("li", {}, text));
  const list = (part) => h("ul", { class: "plain" }, part);
  if (items.length <= ITEMS_SHOWN + 1) return [list(items)];
  const rest = items.slice(ITEMS_SHOWN);
  return [list(items.slice(0, ITEMS_SHOWN)), h("details", {}, h("summary", {}, `${number(rest.length)} more`), list(rest))];
}

function reasons(title, texts) {
  const all = ranked(texts);
  if (all.length === 0) return null;
  const rows = all.map(([text, counted]) => `${number(counted)} × ${text}`);
  return h("details", {}, h("summary", {}, `${title}: ${plural(all.length, "reason", "reasons")}`), listed(rows));
}

function functionCounts(data, groups) {
  const tally = (wanted) => number(data.functions.filter(wanted).length);
  const callees = groups.filter((group) => !group.unit).length;
  return h("p", {}, `${plural(data.functions.length, "function", "functions")}: ${tally((of) => !of.failure && of.status === "complete")} to their end (${tally((of) => !of.failure && of.all_paths)} on every path), ${tally((of) => !of.failure && of.status !== "complete")} cut short, ${tally((of) => of.failure)} not analysed`,
    callees > 0 && `; ${number(callees)} more only as callees of these`);
}

// How it was proved that nothing occurs.
function how(pairs) {
  const native = pairs.filter((of) => of.engine === "enumeration").length;
  if (native === 0) return "over the IR";
  return native === pairs.length ? "by running all inputs" : "over the IR and by running all inputs";
}

// The operations that made most of all errors: how much of them, what it is, where, and the first finding that it is in.
function worstOperations(of, groups, data) {
  const isThis = (operation) => (cause) => cause.operator === operation.operator && place(cause) === place(operation);
  const findings = groups.flatMap((group) => group.findings.map((entry) => entry.finding));
  const rows = of.worst.map((operation) => {
    const share = of.bits > 0 ? operation.bits / of.bits : 0;
    const line = lineOf(data.sources, operation);
    const finding = findings.find((finding) => finding.accuracy?.causes?.some(isThis(operation)));
    const part = h("span", { class: "fill-reachable" });
    part.style.width = `${100 * share}%`;
    const remarks = [
      plural(operation.errors, "error", "errors"),
      operation.cancelled_bits > 1 && `cancels up to ${operation.cancelled_bits} bits`,
      operation.absorbing > 0 && `loses operands whole in ${number(operation.absorbing)}`,
    ].filter(Boolean);
    return h("tr", {},
      h("td", { class: "share" }, `${(100 * share).toFixed(0)} %`, h("span", { class: "bar", "aria-hidden": "true" }, part)),
      h("td", {}, h("code", {}, `${operation.operator} at ${place(operation)}`), line !== undefined && h("code", { class: "text" }, trimmed(line, operation.column))),
      h("td", { class: "faint" }, remarks.join(", "), finding && [" ", h("a", { href: `#finding=${encodeURIComponent(finding.id)}` }, finding.id)]));
  });
  const head = h("thead", {}, h("tr", {}, ["share", "operation", "in"].map((text) => h("th", { scope: "col" }, text))));
  return [
    h("h2", {}, `What made most of ${plural(of.errors, "error", "errors")}`),
    h("div", { class: "scroll", tabindex: "0", "aria-label": "operations" }, h("table", { class: "operations" }, head, h("tbody", {}, rows))),
    of.others > 0 && h("p", { class: "faint" }, `In ${plural(of.others, "other error", "other errors")} no operation's rounding alone has a part: an overflow, or a branch that several roundings take together.`),
  ];
}

function buildOverview(overview, groups, data) {
  const pairs = data.sites.flatMap((site) => site.pairs);
  const totals = count(pairs);
  const total = pairs.length;
  if (data.status !== "complete") overview.append(h("p", {}, level("warn", "cut short"), " A limit ended the run: not all planned work was done."));
  if (total > 0) {
    const share = (100 * (totals.reachable + totals.unreachable)) / total;
    const present = Object.keys(VERDICTS).filter((verdict) => totals[verdict] > 0);
    const legend = present.map((verdict) => h("li", {}, h("span", { class: `swatch fill-${verdict}` }), `${number(totals[verdict])} ${VERDICTS[verdict]}`));
    overview.append(
      h("h2", {}, `${share.toFixed(1)} % of ${plural(total, "pair", "pairs")} of site and exception decided`),
      bar(totals, true), h("ul", { class: "legend" }, legend));
  }
  if (data.bounds.length > 0) overview.append(h("h2", {}, "Bounds of errors"), listed(data.bounds));
  if (data.operations) overview.append(...worstOperations(data.operations, groups, data).filter(Boolean));
  if (data.functions.length > 0) overview.append(functionCounts(data, groups));
  if (data.findings.length === 0) {
    const proved = total > 0 && totals.unreachable === total;
    const what = { exceptions: "exception", accuracy: "error" }[data.analysis] || "difference";
    if (data.verdict) overview.append(h("p", {}, `Verdict: ${data.verdict}; report.json has what that rests on.`));
    else overview.append(h("p", {}, proved ? `No exception can occur: proved ${how(pairs)}.` : `No ${what} was found. This is a search, not a proof.`));
  }
  // First those that most proofs rest on.
  const assumptions = ranked(pairs.flatMap((of) => of.assumptions || [])).map(([text]) => text);
  overview.append(...[
    assumptions.length > 0 && h("details", {}, h("summary", {}, `Proofs assume: ${plural(assumptions.length, "condition", "conditions")}`), listed(assumptions)),
    reasons("Unknown", pairs.filter((of) => of.why).map((of) => of.why)),
    reasons("Not analysed", data.functions.filter((of) => of.failure).map((of) => of.failure)),
  ].filter(Boolean));
}

function buildAbout(about, data) {
  const item = (name, ...content) => [h("dt", {}, name), h("dd", {}, ...content)];
  const builds = data.target.builds.map((of) => h("li", {}, h("code", {}, `${of.role}: ${[of.compiler || of.source, ...of.flags].join(" ")}`)));
  about.append(h("dl", {},
    data.notes.length > 0 && item("notes", listed(data.notes)),
    folder !== "" && item("files in", h("code", {}, folder)),
    item("inputs tested", number(data.inputs_tested)),
    builds.length > 0 && item("builds", h("ul", { class: "plain" }, builds)),
    data.processor && item("processor", data.processor),
    item("labrys", `${data.version}, seed ${data.seed}`),
    item("command", h("code", { class: "command" }, data.command.join(" ")))));
}
