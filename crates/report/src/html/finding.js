// The scalars of a value, depth first.
function scalars(value) {
  return value.elements ? value.elements.flatMap(scalars) : [value];
}

// Of long arrays only what is not zero is shown.
const SCALARS_SHOWN = 40;

// A value's decimal; of a character that can be printed this, too.
function decimal(value) {
  const code = value.type === "char" ? Number(value.bits) : 0;
  return code > 31 && code < 127 ? `${value.decimal} '${String.fromCharCode(code)}'` : value.decimal;
}

function values(list) {
  const all = list.flatMap(scalars);
  const shown = all.length <= SCALARS_SHOWN ? all : all.filter((value) => !/^0x0*$/.test(value.bits || "")).slice(0, SCALARS_SHOWN);
  if (all.length === 0) return [h("p", { class: "faint" }, "no inputs")];
  const rows = shown.map((value) =>
    h("tr", {}, h("td", { class: "mono" }, value.name || "result"), [decimal(value), value.hex, value.bits].map((text) => h("td", { class: "mono" }, text || ""))));
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
  if (seen.outcome === "panic") return "a panic";
  if (seen.outcome === "exit") return `exit(${seen.exit_code ?? ""})`;
  return "returned";
}

function notations(value) {
  if (!value) return "";
  const parts = [value.decimal, value.hex, value.bits].filter((part, index, all) => part && all.indexOf(part) === index);
  return parts.flatMap((part, index) => (index === 0 ? [part] : [h("br"), part]));
}

const outputsOf = (seen) => [...(seen.result ? [seen.result] : []), ...seen.outputs];

// What a call raised, and of which exceptions nothing is said because they hang on leftovers.
function raised(seen) {
  const known = seen.flags.join(", ") || (seen.outcome === "returned" ? "none" : "not known");
  return seen.not_compared ? `${known}; ${seen.not_compared.join(", ")}: not compared` : known;
}

// What the only build did.
function observedAlone(seen) {
  const ended = seen.outcome === "returned" ? "" : `${outcome(seen)}; `;
  const outputs = outputsOf(seen);
  return [h("p", {}, `${ended}raised ${seen.flags.join(", ") || "nothing"}`), outputs.length > 0 && values(outputs)];
}

// What the builds did, a column for each.
function compared(all, target) {
  const build = (role) => target.builds.find((of) => of.role === role);
  const described = (role) => {
    const of = build(role);
    return of ? `${role}: ${[of.compiler || of.source, ...of.flags].join(" ")}` : role;
  };
  const rows = [];
  const row = (name, cells, texts) => {
    const differs = texts.some((text) => text !== texts[0]);
    rows.push(h("tr", { class: differs ? "differs" : null }, h("th", { scope: "row" }, name), cells.map((cell) => h("td", { class: "mono" }, cell))));
  };
  const same = (name, texts) => row(name, texts, texts);
  if (all.some((of) => of.outcome !== "returned")) same("outcome", all.map(outcome));
  same("exceptions", all.map(raised));
  const outputs = all.map((of) => outputsOf(of).flatMap(scalars));
  const count = Math.max(0, ...outputs.map((of) => of.length));
  for (let index = 0; index < Math.min(count, SCALARS_SHOWN); index++) {
    const column = outputs.map((of) => of[index]);
    const name = column.map((value) => value && value.name).find(Boolean) || "result";
    row(name, column.map(notations), column.map((value) => (value ? value.bits : "")));
  }
  if (count > SCALARS_SHOWN) rows.push(h("tr", {}, h("td", {}, `and ${number(count - SCALARS_SHOWN)} more outputs`)));
  const head = h("thead", {}, h("tr", {}, h("td"), all.map((of) => h("th", { scope: "col" }, described(of.role)))));
  return [h("div", { class: "scroll", tabindex: "0", "aria-label": "observations" }, h("table", {}, head, h("tbody", {}, rows)))];
}

// What a finding is about: of a divergence the builds that differ, without the control.
function seenOf(finding) {
  if (!finding.difference) return finding.observations;
  return finding.between.map((role) => finding.observations.find((of) => of.role === role)).filter(Boolean);
}

function observed(finding, target) {
  const seen = seenOf(finding);
  return seen.length === 1 ? observedAlone(seen[0]) : compared(seen, target);
}

function traces(finding, unit, sources) {
  const all = seenOf(finding);
  return all.flatMap((seen) => {
    if (seen.trace.length === 0) return [];
    const events = seen.trace.map((event) => {
      const line = lineOf(sources, event);
      const library = event.library ? ` in ${event.library}` : "";
      const where = event.function ? ` in ${event.function}` : "";
      const at = event.file || !where ? ` at ${place(event, unit?.file)}` : "";
      return h("li", {}, `${event.exceptions.join(", ")}: ${event.operator}${library}${at}${where}`, line !== undefined && h("code", {}, trimmed(line, event.column)));
    });
    const cut = seen.events_cut ? `and ${plural(seen.events_cut, "event", "events")} more; report.json has them` : null;
    const incomplete = seen.trace_complete ? null : "this trace is not complete";
    return [
      h("h3", {}, all.length > 1 ? `Trace of ${seen.role}` : "Trace"),
      h("ol", { class: "trace" }, events),
      [cut, incomplete].filter(Boolean).map((text) => h("p", { class: "faint" }, text)),
    ];
  });
}

function ulps(error) {
  return `${error >= 1e6 ? error.toExponential(1) : Number.isInteger(error) || error >= 100 ? error.toFixed(0) : error.toFixed(2)} ulps`;
}

// A route by which an exception is reached.
function route(of) {
  const inputs = of.inputs.flatMap(scalars).map((value) => `${value.name ?? ""} = ${value.decimal ?? ""}`);
  const chain = (of.chain.length > 0 ? of.chain : [of.entry]).join(" → ");
  return h("li", {}, h("code", {}, chain), inputs.length > 0 && ` with ${inputs.join(", ")}`);
}

// What is known of a public function that was not seen to reach a finding; what proofs are about, where it is not the finding itself.
function notSeen(of, proved = "impossible") {
  const known = {
    unreachable: `proved ${proved} (${[of.engine, of.opinion].filter(Boolean).join(", ")})`,
    unreachable_within_bound: `proved impossible within the loop bound of ${of.loop_bound} only`,
  };
  return h("li", {}, h("code", {}, of.chain.join(" → ")), `: ${known[of.verdict] || of.why}`);
}

// The user's lines from which the code of others is called that a finding is about.
function calledAt(finding) {
  const called = finding.called_at || [];
  const lines = called.map((of) => h("li", {}, h("code", {}, `${place(of)} in ${of.function}`)));
  return called.length > 0 && [h("dt", {}, "called at"), h("dd", {}, h("ul", { class: "plain" }, lines))];
}

// What an exception means for the result, and who can reach it.
function meaning(finding, unit) {
  const details = finding.exception;
  if (!details) return [];
  const item = (name, ...content) => [h("dt", {}, name), h("dd", {}, ...content)];
  const output = details.output ?? "result";
  const kind = details.exception === "overflow" ? "finite" : "normal";
  // That the function itself can be called needs no words.
  const routes = details.reachable_from.filter((of) => of.chain.length > 1 || of.entry !== unit?.function).map(route);
  const others = (details.not_seen_from || []).map((of) => notSeen(of));
  return [
    h("dl", {},
      calledAt(finding),
      item("site", h("code", {}, `${details.site.operator} at ${place(details.site)} in ${details.site.function}`)),
      details.true_result !== undefined && item(`true ${output}`, h("code", {}, details.true_result)),
      details.error_ulps !== undefined && item(details.output ? `error of ${output}` : "error", ulps(details.error_ulps)),
      details.avoidable !== undefined &&
        item("avoidable", details.avoidable ? `yes: the true ${output} is a ${kind} number` : `no: the true ${output} is no ${kind} number`),
      routes.length > 0 && item("reachable from", h("ul", { class: "plain" }, routes)),
      details.only_direct && item("only if called directly", `proved of every public function that leads to it (${details.only_direct.engine})`),
      others.length > 0 && item("not seen from", h("ul", { class: "plain" }, others)),
      routes.length + others.length === 0 && !details.only_direct && unit && !unit.is_public &&
        item("reachable from", "no public function is known to lead to it: seen only when called directly")),
  ];
}

// Who can reach a divergence or an error of a function that only others of its library can call.
function callersOf(finding) {
  const callers = (finding.difference || finding.accuracy)?.callers;
  if (!callers) return [];
  const item = (name, ...content) => [h("dt", {}, name), h("dd", {}, ...content)];
  const what = "to make no call with such numbers, up to a factor of 16";
  const routes = (callers.reachable_from || []).map(route);
  const others = (callers.not_seen_from || []).map((of) => notSeen(of, what));
  return h("dl", {},
    routes.length > 0 && item("reachable from", h("ul", { class: "plain" }, routes)),
    callers.only_direct && item("only if called directly", `every public function that leads to it is proved ${what} (${callers.only_direct.engine})`),
    others.length > 0 && item("not seen from", h("ul", { class: "plain" }, others)),
    routes.length + others.length === 0 && !callers.only_direct && item("reachable from", "no public function is known to lead to it: seen only when called directly"));
}

// An error by several measures.
function errorInWords(error) {
  if (error.bits === undefined) return "no number of the right kind";
  const relative = error.relative === undefined ? "infinite" : error.relative.toExponential(2);
  const floored = error.floored === undefined ? "" : `, floored ${error.floored.toExponential(2)}`;
  return `${error.bits.toFixed(1)} bits, relative ${relative}${floored}, absolute ${error.absolute.toExponential(2)}`;
}

// An operation's part in an error.
function partInWords(cause, error) {
  const words = cause.left === undefined ? "" : leftInWords(cause.left, error);
  const left = words && `; computed exactly, it leaves ${words}`;
  const absorbed = cause.absorbed ? `, ${plural(cause.absorbed, "operand", "operands")} lost whole` : "";
  const cancelled = cause.cancelled_bits > 1 ? `, cancels ${cause.cancelled_bits} bits` : "";
  return h("li", {}, `${(100 * cause.share).toFixed(0)} %: `, h("code", {}, `${cause.operator} at ${place(cause)}`), absorbed, cancelled, left);
}

// What is left of an error, where that is less than half of it.
function leftInWords(left, error) {
  if (left === 0) return "no error";
  if (error.absolute === undefined) return `an error of ${left.toExponential(2)}`;
  const factor = error.absolute / left;
  return factor < 2 ? "" : `an error ${factor.toPrecision(3)} times smaller`;
}

// A known formula that loses digits, and what would do better.
function remedyInWords(remedy, error) {
  return [h("code", {}, remedy.better), " in place of ", h("code", {}, remedy.formula), ` at ${place(remedy)} leaves ${leftInWords(remedy.left, error)}`];
}

// How large an error is, whose fault, and what made it.
function errorOf(finding) {
  const details = finding.accuracy;
  if (!details) return [];
  const item = (name, ...content) => [h("dt", {}, name), h("dd", {}, ...content)];
  const size = (value) => (value >= 0.01 && value < 1e5 ? value.toFixed(3) : value.toExponential(2));
  const causes = (details.causes || []).map((cause) => partInWords(cause, details.error));
  const joint = details.joint_backward_error;
  return [
    h("dl", {},
      calledAt(finding),
      item(details.output, h("code", {}, details.result)),
      item(`true ${details.output}`, h("code", {}, details.truth)),
      details.reference && item("by", h("code", {}, details.reference.name)),
      item("error", errorInWords(details.error)),
      details.reference?.formulas !== undefined && item("without rounding", h("code", {}, details.reference.formulas)),
      details.reference?.truncation_error !== undefined && item("of that, method", size(details.reference.truncation_error)),
      details.reference?.rounding_error !== undefined && item("and rounding", size(details.reference.rounding_error)),
      details.fault_unknown && item("fault", `not known: ${details.fault_unknown}`),
      details.excess !== undefined && item("excess", `${size(details.excess)} times what half an ulp of change in the inputs brings about`),
      details.condition !== undefined && item("condition", size(details.condition)),
      details.backward_error !== undefined && item("backward error", size(details.backward_error)),
      joint && item(`backward error of all ${number(joint.outputs)} outputs`, joint.change === undefined ? "infinite: no change of the inputs makes all exact" : size(joint.change)),
      causes.length > 0 && item("made by", h("ul", { class: "plain" }, causes)),
      details.remedy && item("remedy", ...remedyInWords(details.remedy, details.error)),
      details.worst && item("largest error", `${errorInWords(details.worst.error)}, with ${inputsInWords(details.worst.inputs)}`)),
    ...(details.curves || []).flatMap((curve) => curvePictures(curve, details.output)),
    ...finding.inputs.filter((input) => scalars(input).length > 3).map(arrayPicture),
  ];
}

const FOUND_BY = { solver: "the solver", cancellation: "the solver, from the condition that a sum loses bits and a later one cancels", amplification: "the solver, from the condition that an operation amplifies what was rounded", neighbourhood: "search around a solver's input", guided: "guided search", random: "random sampling", enumeration: "running all inputs", given: "you: it was given" };

// The lines that a finding is about, besides an exception's site: where traces raise something.
function excerpts(finding, sources) {
  const places = finding.exception ? [finding.exception.site] : [...seenOf(finding)].reverse().flatMap((seen) => seen.trace);
  if (finding.difference && finding.difference.cause && finding.difference.cause.line) places.unshift(finding.difference.cause);
  if (finding.accuracy) places.unshift(...(finding.accuracy.causes || []).filter((cause) => cause.line).slice(0, 2));
  places.unshift(...(finding.called_at || []));
  const distinct = [...new Map(places.map((of) => [place(of), of])).values()];
  return distinct.slice(0, 6).map((of) => excerpt(sources, of, 3));
}

// The first operation or comparison whose outcome differs between two builds.
function causeInWords(cause) {
  if (cause.kind === "flushing") return "the variant flushes subnormal numbers to zero";
  if (cause.kind === "licence") return `${cause.operator} promises that no value is infinite or NaN, and one is`;
  if (cause.kind === "code generation") return "the machine code of a build does something else than its IR says";
  const where = place(cause);
  if (cause.kind === "branch") return `the comparison at ${where} is of other numbers, or is not made`;
  if (cause.kind === "exception") return `${cause.operator} at ${where} raises an exception in one build alone`;
  return `${cause.operator} at ${where} gives another result`;
}

// Which flags and which pass a divergence takes.
function blameInWords(blame) {
  const flags = blame.flags.filter((flag) => flag !== blame.level).join(", ");
  const level = blame.level || "";
  const sources = (blame.sources || []).join(", ");
  const own = (blame.own || []).length > 0 ? ` with both builds' ${blame.own.join(" ")}` : "";
  const none = own ? `the compiler${own}` : "the compiler, whatever the flags";
  const flagged = flags && level ? `${flags} at ${level}` : flags || (level ? `${level}${own}` : none);
  const all = sources ? `${flagged} of ${sources}` : flagged;
  return blame.pass ? `${all}, in ${blame.pass}` : all;
}

// What the output that is told is without rounding, and which build is nearer.
function truthInWords(truth, [baseline, variant]) {
  const of = (role, off) => off === undefined ? `${role} ${truth.allowed_ulps === 0 ? "has another" : "is not near"}` : off === 0 ? `${role} has it` : `${role} is ${off === 1 ? "1 ulp" : off < 1e7 ? `${off} ulps` : `${off.toExponential(1)} ulps`} off`;
  const near = (off) => truth.allowed_ulps !== undefined && off !== undefined && off <= truth.allowed_ulps;
  const both = near(truth.baseline_ulps) && near(truth.variant_ulps) ? ", both as near as the inputs' own last bits let a result be" : "";
  const output = truth.output === "result" ? "the result" : truth.output;
  return `without rounding ${output} is ${truth.truth}: ${of(baseline, truth.baseline_ulps)}, ${of(variant, truth.variant_ulps)}${both}`;
}

function inputsInWords(inputs) {
  return inputs.flatMap(scalars).map((value) => `${value.name} = ${value.decimal}`).join(", ");
}

// How an error of a program is come to: what a native run showed, the calls, and the decisions of its inputs.
function violated(finding, sources) {
  if (!finding.stack) return [];
  const at = (of) => {
    const line = lineOf(sources, of);
    return [`${place(of)} in ${of.function}`, line !== undefined && h("code", {}, trimmed(line, of.column))];
  };
  const decisions = (finding.decisions || []).map((of) => h("li", {}, h("strong", { class: `outcome outcome-${of.outcome}` }, of.outcome), " ", at(of)));
  const words = (hex) => new TextDecoder().decode(new Uint8Array((hex.match(/../g) || []).map((digits) => parseInt(digits, 16))));
  const left = finding.decisions_left_out ? h("p", { class: "faint" }, `${plural(finding.decisions_left_out, "decision", "decisions")} in the midst left out`) : false;
  return [
    h("h3", {}, "Observed natively"),
    h("p", {}, finding.observed),
    finding.arguments.length > 0 && h("p", {}, "arguments: ", h("code", {}, finding.arguments.map((hex) => JSON.stringify(words(hex))).join(" "))),
    h("h3", {}, "Call stack"),
    h("ol", { class: "trace" }, finding.stack.map((of) => h("li", {}, at(of)))),
    decisions.length > 0 && h("h3", {}, "Path: what the inputs decide, in order"),
    decisions.length > 0 && h("ol", { class: "trace path" }, decisions),
    left,
  ];
}

function findingBody(finding, unit, data) {
  const remarks = [...(finding.notes || [])];
  const difference = finding.difference;
  if (difference && difference.worst) remarks.unshift(`furthest apart, ${difference.worst.ulps} ${difference.worst.ulps === 1 ? "ulp" : "ulps"}, at ${inputsInWords(difference.worst.inputs)}`);
  if (difference && difference.truths && difference.truths.length > 0) remarks.unshift(truthInWords(difference.truths[0], finding.between));
  if (difference && difference.divergences > 1) remarks.unshift(`${difference.divergences - 1} other divergences have this cause`);
  const blame = difference && difference.blame ? blameInWords(difference.blame) : "";
  const cause = difference && difference.cause ? causeInWords(difference.cause) : "";
  if (difference && difference.unblamed) remarks.unshift(`which flags make it is not known: ${difference.unblamed}`);
  if (cause || blame) remarks.unshift(`because: ${[blame, cause].filter(Boolean).join(": ")}`);
  const isRust = data.target.builds.some((build) => build.compiler.startsWith("rustc"));
  const unclean = isRust ? "not an ordinary case" : "outside fast-math's contract";
  if (difference && !finding.baseline_clean) remarks.unshift(`${unclean}: the input or the baseline is not clean`);
  if (finding.control_remark) remarks.unshift(finding.control_remark);
  return [
    h("p", {}, finding.exception || finding.accuracy ? `${finding.summary}.` : data.severities.find((of) => of.name === finding.severity)?.meaning),
    ...excerpts(finding, data.sources),
    ...meaning(finding, unit),
    ...errorOf(finding),
    callersOf(finding),
    remarks.length > 0 && h("ul", { class: "plain" }, remarks.map((text) => h("li", {}, text))),
    h("h3", {}, unit ? `Witness for ${unit.function}` : "Witness"),
    ...values(finding.inputs),
    ...violated(finding, data.sources),
    !finding.stack && h("h3", {}, "Observed natively"),
    ...(finding.stack ? [] : observed(finding, data.target)),
    ...traces(finding, unit, data.sources),
    h("p", { class: "faint" }, `${plural(finding.count, "input shows", "inputs show")} this; found by ${FOUND_BY[finding.found_by] || finding.found_by}; id ${finding.id}`),
    finding.command && h("code", { class: "command", title: "the command that replays it" }, finding.command),
  ].flat(Infinity).filter(Boolean);
}

// What an exception did to the result, in few words; the effect's name says the rest.
function consequence(finding) {
  const details = finding.exception;
  const [, digits, rest, exponent] = /^(-?\d+\.?\d{0,4})(\d*)(e.*)?$/.exec(details.true_result ?? "") || [];
  if (finding.severity === "lost" && digits !== undefined) return `true ${details.output ?? "result"} ${digits}${rest === "" ? "" : "…"}${exponent ?? ""}`;
  if (details.error_ulps !== undefined) return ulps(details.error_ulps);
  return "";
}

// The columns of an exception's line: what, where, with what result, and the source.
function exceptionLine(finding, unit, sources) {
  const details = finding.exception;
  const { site, exception, reachable_from: routes } = details;
  // Where the user's code calls the code of others comes first.
  const [first] = [...(finding.called_at || []), site];
  const line = lineOf(sources, first);
  const inner = unit && site.function !== unit.function ? ` in ${site.function}` : "";
  const isIndirect = unit && !unit.is_public && routes.length > 0;
  return [
    h("span", { class: "what" }, exception),
    h("span", { class: "faint" }, `${site.operator} at ${place(first, unit?.file)}${inner}`),
    h("span", { class: "faint" }, consequence(finding), isIndirect && level("info", "from public functions"), details.only_direct && level("calm", "only if called directly")),
    line === undefined ? h("span", { class: "text" }, finding.summary) : h("code", { class: "text" }, trimmed(line, first.column)),
  ];
}

function findingElement(entry, data) {
  const { finding, group } = entry;
  const of = data.severities.find((severity) => severity.name === finding.severity);
  const marks = [
    level(of ? of.level : "calm", finding.severity),
    data.known && data.known.includes(finding.id) && level("calm", "known"),
    finding.difference && !finding.baseline_clean && level("calm", "outside the contract"),
  ];
  const summary = h("summary", { class: finding.exception ? "columns" : null, title: finding.summary },
    h("span", { class: "marks" }, marks),
    finding.exception ? exceptionLine(finding, group.unit, data.sources) : h("span", { class: "text" }, finding.summary),
    h("a", { class: "anchor", href: `#finding=${encodeURIComponent(finding.id)}`, "aria-label": "link to this finding" }, "#"));
  return lazy("finding", summary, () => findingBody(finding, group.unit, data), { id: `finding-${finding.id}` });
}
