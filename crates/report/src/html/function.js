// A function in the list: its line, its findings and its sites.

// More of a list than this is shown when it is asked for, or scrolled to.
const PART = 100;

// Fills a list part by part. `frame` is the list or what it is inside of; `build` makes the element of an item.
function inParts(list, frame, items, build, one, many) {
  let shown = 0;
  const more = h("button", { type: "button", class: "more", onclick: () => extend(PART) });
  function extend(by) {
    list.append(...items.slice(shown, shown + by).map(build));
    shown = Math.min(shown + by, items.length);
    more.textContent = `${plural(items.length - shown, one, many)} more`;
    more.hidden = shown === items.length;
  }
  extend(PART);
  return {
    element: h("div", {}, frame, more),
    more,
    extend,
    // Makes sure that an item is there.
    include(item) {
      const at = items.indexOf(item);
      if (at >= shown) extend(at + 1 - shown);
    },
  };
}

function parameters(list) {
  return list.map((of) => (of.type.endsWith("*") ? `${of.type}${of.name}` : `${of.type} ${of.name}`)).join(", ");
}

// The line of a group: name, place, findings by severity, bar.
function groupSummary(group, data) {
  const unit = group.unit;
  const shownParameters = unit ? unit.parameters : group.name === data.target.function ? data.target.parameters : null;
  const tally = new Map();
  for (const { finding } of group.findings) tally.set(finding.severity, (tally.get(finding.severity) || 0) + 1);
  const tags = data.severities.filter((of) => tally.has(of.name)).map((of) => level(of.level, `${number(tally.get(of.name))} ${of.name}`));
  if (unit && unit.failure) tags.push(level("calm", "not analysed"));
  else if (unit && unit.status !== "complete") tags.push(level("warn", "cut short"));
  if (unit && !unit.is_public) tags.push(h("span", { class: "faint" }, "static"));
  if (!unit && data.functions.length > 0) tags.push(h("span", { class: "faint" }, "only as a callee"));
  const file = unit ? unit.file : data.functions.length > 0 ? undefined : data.target.file;
  const where = file && [short(file), unit?.line].filter((part) => part !== undefined).join(":");
  const total = Object.values(group.counts).reduce((sum, of) => sum + of, 0);
  const decided = group.counts.reachable + group.counts.unreachable;
  return h("summary", {},
    h("span", { class: "title mono" }, h("span", { class: "name" }, group.name), shownParameters && `(${parameters(shownParameters)})`),
    h("span", { class: "tags" }, tags, where && h("a", { class: "faint", href: `#text=${encodeURIComponent(short(file))}`, title: "only this file" }, where)),
    total > 0 && h("span", { class: "measure" }, bar(group.counts), h("span", { class: "faint" }, `${number(decided)} of ${number(total)} decided`)));
}

// What is known of a site's exceptions; those of which the same is known stand together.
function verdictElements(pairs) {
  const same = new Map();
  for (const of of pairs) {
    const key = [of.verdict, of.loop_bound, of.why ?? of.engine, of.opinion].join("\n");
    same.set(key, [...(same.get(key) || []), of]);
  }
  return [...same.values()].map((list) => {
    const of = list[0];
    const badge = (one) => level(VERDICT_LEVELS[one.verdict], one.exception);
    if (of.verdict === "reachable") return h("span", { class: "pairs" }, list.map((one) => h("a", { href: `#finding=${encodeURIComponent(one.finding)}` }, badge(one))), "reachable");
    const text = { unreachable: "unreachable", unreachable_within_bound: `unreachable within ${of.loop_bound} rounds of each loop`, unknown: "unknown" }[of.verdict];
    return h("span", { class: "pairs" }, list.map(badge), text, h("span", { class: "why" }, of.why || (of.engine ? [`by ${of.engine}`, of.opinion].filter(Boolean).join(", ") : null)));
  });
}

// Sites with those of their exceptions that a filter lets through, in the order of the source.
function siteTable(pairs, file, data) {
  const bySite = new Map();
  for (const pair of pairs) bySite.set(pair.site, [...(bySite.get(pair.site) || []), pair]);
  const sites = [...bySite];
  sites.sort(([a], [b]) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0));
  const row = ([site, ofSite]) => {
    const line = lineOf(data.sources, site);
    return h("tr", {},
      h("td", {}, h("span", { class: "faint" }, `${site.operator} at ${place(site, file)}`), line !== undefined && h("code", { class: "why" }, trimmed(line, site.column))),
      h("td", {}, verdictElements(ofSite.map((pair) => pair.of))));
  };
  const body = h("tbody");
  const table = h("table", {}, h("thead", { hidden: true }, h("tr", {}, h("th", {}, "site"), h("th", {}, "verdicts"))), body);
  return inParts(body, table, sites, row, "site", "sites").element;
}

// A function's element; its body is made when it is opened, of what the filter lets through then.
function groupElement(group, filter, data) {
  const list = h("div", {});
  const element = lazy("group", groupSummary(group, data), () => [group.unit && group.unit.failure && h("p", {}, group.unit.failure), list].filter(Boolean));
  let stale = true;
  let parts = null;
  const render = () => {
    stale = false;
    const shown = group.findings.filter((entry) => filter.hasFinding(entry));
    const pairs = group.pairs.filter((pair) => filter.hasPair(pair));
    const found = h("div", {});
    parts = inParts(found, found, shown, (entry) => (entry.element ??= findingElement(entry, data)), "finding", "findings");
    const title = h("summary", {}, `${plural(pairs.length, "pair", "pairs")} of site and exception`);
    const table = pairs.length > 0 && lazy("sites", title, () => [siteTable(pairs, group.unit?.file, data)]);
    if (table && shown.length === 0) table.show();
    list.replaceChildren(...[table, parts.element].filter(Boolean));
  };
  element.addEventListener("toggle", () => element.open && stale && render());
  // The filter changed.
  element.refresh = () => {
    stale = true;
    if (element.open) render();
  };
  // Opens it, and a finding in it.
  element.reveal = (entry) => {
    element.show();
    if (stale) render();
    if (entry) parts.include(entry);
  };
  return element;
}
