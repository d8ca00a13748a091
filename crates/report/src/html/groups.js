// Functions with their findings and sites: what the list of results is made of.

const NO_COUNTS = { reachable: 0, unreachable: 0, unreachable_within_bound: 0, unknown: 0 };

function count(sites) {
  const counts = { ...NO_COUNTS };
  for (const site of sites) counts[site.verdict]++;
  return counts;
}

// One group for each function; where a library was analysed, also for functions that only sites name.
function makeGroups(data) {
  const groups = new Map();
  const isLibrary = data.functions.length > 0;
  const group = (name) => {
    if (!groups.has(name)) groups.set(name, { name, unit: null, findings: [], sites: [] });
    return groups.get(name);
  };
  const owners = new Map();
  for (const unit of data.functions) {
    group(unit.function).unit = unit;
    for (const id of unit.findings) owners.set(id, unit.function);
  }
  if (!isLibrary) group(data.target.function);
  for (const finding of data.findings) group(owners.get(finding.id) ?? (data.target.function || data.target.file)).findings.push(finding);
  for (const site of data.sites) group(isLibrary ? site.function : data.target.function).sites.push(site);
  const rank = new Map(data.severities.map((of, index) => [of.name, index]));
  const list = [...groups.values()];
  for (const of of list) {
    of.counts = of.unit ? of.unit.sites : count(of.sites);
    of.worst = Math.min(...of.findings.map((finding) => rank.get(finding.severity)), 99);
    of.words = [of.name, of.unit?.file, of.unit?.failure].filter(Boolean).join(" ").toLowerCase();
  }
  for (const of of list) {
    const severe = of.findings.filter((finding) => rank.get(finding.severity) === of.worst);
    of.severe = severe.length;
    of.reached = severe.filter((finding) => finding.exception && finding.exception.reachable_from.length > 0).length;
  }
  return list.sort((a, b) => a.worst - b.worst || b.reached - a.reached || b.severe - a.severe || b.counts.reachable - a.counts.reachable || (a.name < b.name ? -1 : 1));
}

function parameters(list) {
  return list.map((of) => (of.type.endsWith("*") ? `${of.type}${of.name}` : `${of.type} ${of.name}`)).join(", ");
}

// The line of a group: name, place, findings by severity, bar.
function groupSummary(group, data) {
  const unit = group.unit;
  const shownParameters = unit ? unit.parameters : group.name === data.target.function ? data.target.parameters : null;
  const tally = new Map();
  for (const finding of group.findings) tally.set(finding.severity, (tally.get(finding.severity) || 0) + 1);
  const tags = data.severities.filter((of) => tally.has(of.name)).map((of) => level(of.level, `${tally.get(of.name)} ${of.name}`));
  if (unit && unit.failure) tags.push(level("calm", "not analysed"));
  else if (unit && unit.status !== "complete") tags.push(level("warn", "cut short"));
  if (unit && !unit.is_public) tags.push(h("span", { class: "faint" }, "static"));
  const where = unit && unit.file ? (unit.line ? `${unit.file}:${unit.line}` : unit.file) : unit ? "" : data.target.file;
  const total = Object.values(group.counts).reduce((sum, of) => sum + of, 0);
  const decided = group.counts.reachable + group.counts.unreachable;
  return h("summary", {},
    h("span", { class: "title mono" }, shownParameters ? `${group.name}(${parameters(shownParameters)})` : group.name),
    h("span", { class: "tags" }, tags, h("span", { class: "faint" }, where)),
    total > 0 && h("span", { class: "measure" }, bar(group.counts), h("span", { class: "faint" }, `${number(decided)} of ${number(total)} decided`)));
}

function findingElement(finding, group, data) {
  const of = data.severities.find((severity) => severity.name === finding.severity);
  const details = finding.exception;
  const summary = h("summary", {},
    level(of ? of.level : "calm", finding.severity), " ",
    data.known && data.known.includes(finding.id) && [level("calm", "known"), " "],
    !details && !finding.baseline_clean && [level("calm", "outside the contract"), " "],
    details && details.reachable_from.length > 0 && [level("info", "from public functions"), " "],
    finding.summary, " ",
    h("a", { class: "anchor", href: `#finding=${encodeURIComponent(finding.id)}`, "aria-label": "link to this finding" }, "#"));
  return lazy("finding", summary, () => findingBody(finding, group.unit, data), { id: `finding-${finding.id}` });
}

// What is known of one pair of site and exception.
function pair(record) {
  const badge = level(VERDICT_LEVELS[record.verdict], record.exception);
  const words = { unreachable: "unreachable", unreachable_within_bound: `unreachable within ${record.loop_bound} rounds of each loop`, unknown: "unknown" }[record.verdict];
  const content = record.verdict === "reachable" ? h("a", { href: `#finding=${encodeURIComponent(record.finding)}` }, "reachable") : words;
  const why = record.why || (record.engine ? `by ${record.engine}` : null);
  return h("span", { class: "pair" }, badge, " ", content, why && h("span", { class: "why" }, why));
}

// A table of sites with those of their exceptions that a filter lets through.
function siteTable(sites, data) {
  const rows = new Map();
  for (const record of sites) {
    const key = [record.file, record.line, record.column, record.operator, record.function].join("\n");
    if (!rows.has(key)) rows.set(key, []);
    rows.get(key).push(record);
  }
  const body = [...rows.values()].map((records) => {
    const site = records[0];
    const line = data.sources[site.file]?.[site.line];
    return h("tr", {},
      h("td", {}, h("span", { class: "faint" }, `${site.operator} at ${place(site)}`), line !== undefined && h("code", { class: "why" }, marked(line, site.column))),
      h("td", {}, records.map(pair)));
  });
  return h("table", {}, h("thead", { hidden: true }, h("tr", {}, h("th", {}, "site"), h("th", {}, "verdicts"))), h("tbody", {}, body));
}
