// What tests cover: bars, the source with its counts, the tests.

const STATUSES = { covered: "covered", infeasible: "infeasible, proved", unknown: "unknown" };

// A bar of covered, infeasible and unknown.
function coverageBar(counts) {
  const parts = { covered: counts.covered, infeasible: counts.infeasible, unknown: counts.total - counts.covered - counts.infeasible };
  const words = Object.keys(STATUSES).filter((status) => parts[status] > 0);
  const label = words.map((status) => `${number(parts[status])} ${STATUSES[status]}`).join(", ");
  const element = h("div", { class: "bar large", role: "img", "aria-label": label || "nothing to cover", title: label });
  for (const status of words) {
    const part = h("span", { class: `fill-${status === "unknown" ? "open" : status}` });
    part.style.flex = `${parts[status] / counts.total} 1 0`;
    element.append(part);
  }
  const percent = counts.total === 0 ? 100 : (100 * counts.covered) / counts.total;
  return [h("h3", {}, `${counts.criterion}: ${number(counts.covered)} of ${number(counts.total)} (${percent.toFixed(1)} %)`), element, h("p", { class: "faint" }, label)];
}

// What is not covered in a line, in words.
function openGoals(goals) {
  return goals.filter((goal) => goal.status !== "covered").map((goal) => {
    const what = goal.outcome === undefined ? "" : `${goal.outcome}: `;
    return h("span", { class: `goal goal-${goal.status}`, title: goal.why }, `${what}${STATUSES[goal.status]}`);
  });
}

function coveredSource(file, lines, goals) {
  const counts = new Map(file.lines.map((of) => [of.line, of.count]));
  const of = (line) => goals.filter((goal) => goal.file === file.file && goal.line === line);
  const [first, last] = [file.lines[0].line, file.lines.at(-1).line];
  const pre = h("pre", { class: "source covered", tabindex: "0", "aria-label": `source of ${file.file}` });
  for (let line = first; line <= last; line++) {
    const here = of(line);
    const count = counts.get(line);
    const isMissing = here.some((goal) => goal.status === "unknown");
    const kind = count === undefined ? "" : isMissing ? "partly" : count > 0 ? "hit" : here.length > 0 && here.every((goal) => goal.status === "infeasible") ? "never" : "missed";
    pre.append(h("span", { class: `line ${kind}` },
      h("span", { class: "number" }, String(line)),
      h("span", { class: "count" }, count === undefined ? "" : number(count)),
      lines?.get(line) ?? "", "  ", openGoals(here)));
  }
  return h("section", {}, h("h2", {}, file.file), pre);
}

function coveredValues(of) {
  return of.map((value) => h("div", { class: "mono" }, `${value.name ?? ""} = ${value.decimal ?? ""}`));
}

function coveringTests(tests) {
  const row = (test) => h("tr", {}, h("td", { class: "mono" }, test.name), h("td", {}, coveredValues(test.inputs)), h("td", {}, test.outputs?.length > 0 ? coveredValues(test.outputs) : test.ending));
  const table = h("table", {}, h("thead", {}, h("tr", {}, ["test", "inputs", "natively"].map((head) => h("th", {}, head)))), h("tbody", {}, tests.map(row)));
  return h("section", {}, h("h2", {}, plural(tests.length, "test", "tests")), h("div", { class: "scroll" }, table));
}

function showCoverage(data, overview, results) {
  const { coverage } = data;
  overview.append(...coverage.totals.flatMap(coverageBar));
  if (coverage.contradicted?.length > 0) overview.append(h("p", {}, level("bad", "contradicted"), ` Native runs did what was proved to be impossible, at ${coverage.contradicted.join(", ")}.`));
  if (coverage.reasons.length > 0) overview.append(reasons("not known", coverage.reasons));
  if (coverage.goals.some((goal) => goal.status === "infeasible")) overview.append(h("details", {}, h("summary", {}, "what “infeasible” takes for granted"), listed(coverage.assumptions)));
  results.replaceChildren(...coverage.files.filter((file) => file.lines.length > 0).map((file) => coveredSource(file, data.sources.get(file.file), coverage.goals)), coveringTests(coverage.tests));
}
