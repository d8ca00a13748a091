const data = JSON.parse(document.getElementById("data").textContent);
const groups = makeGroups(data);
const findings = new Map(groups.flatMap((group) => group.findings.map((finding) => [finding.id, { finding, group }])));
const exceptionsOf = (finding) => (finding.exception ? [finding.exception.exception] : [...new Set(finding.observations.flatMap((seen) => seen.flags))]);

// Filters: empty sets let everything through. `routes`: only what public functions reach. `fresh`: only what the baseline lacks.
const filter = { text: "", effect: new Set(), exception: new Set(), verdict: new Set(), routes: false, fresh: false };
const known = new Set(data.known || []);

for (const group of groups) {
  for (const finding of group.findings) {
    const places = finding.exception ? [finding.exception.site] : finding.observations.flatMap((seen) => seen.trace);
    finding.words = [group.words, finding.id, finding.summary, ...places.flatMap((of) => [of.file, of.function, of.operator])].join(" ").toLowerCase();
  }
  for (const site of group.sites) site.words = [group.words, site.file, site.function, site.operator, site.why].join(" ").toLowerCase();
}

const hasText = (words) => filter.text.split(/\s+/).every((word) => words.includes(word));
const passes = (set, value) => set.size === 0 || set.has(value);

function findingPasses(finding) {
  return passes(filter.effect, finding.severity)
    && (filter.exception.size === 0 || exceptionsOf(finding).some((of) => filter.exception.has(of)))
    && passes(filter.verdict, "reachable")
    && !(filter.routes && !(finding.exception && finding.exception.reachable_from.length > 0))
    && !(filter.fresh && known.has(finding.id))
    && hasText(finding.words);
}

// Filters that only findings have keep all sites out but those of the findings.
function sitePasses(site) {
  if (!passes(filter.exception, site.exception) || !passes(filter.verdict, site.verdict) || !hasText(site.words)) return false;
  if (filter.effect.size === 0 && !filter.routes && !filter.fresh) return true;
  const found = findings.get(site.finding);
  return found !== undefined && findingPasses(found.finding);
}

const isFiltered = () => filter.text !== "" || filter.effect.size + filter.exception.size + filter.verdict.size > 0 || filter.routes || filter.fresh;

const results = document.getElementById("results");
for (const group of groups) {
  group.element = lazy("group", groupSummary(group, data), () => [group.unit && group.unit.failure && h("p", {}, group.unit.failure), group.list = h("div", {})].filter(Boolean));
  group.render = () => {
    const shown = group.findings.filter(findingPasses);
    group.list.replaceChildren(...shown.map((finding) => (finding.element ??= findingElement(finding, group, data))));
    const sites = group.sites.filter(sitePasses);
    if (sites.length === 0) return;
    const title = h("summary", {}, `${plural(sites.length, "pair", "pairs")} of site and exception`);
    const table = lazy("sites", title, () => [siteTable(group.sites.filter(sitePasses), data)]);
    if (shown.length === 0 || filter.verdict.size > 0) table.show();
    group.list.append(table);
  };
  group.element.addEventListener("toggle", () => group.element.open && group.stale && refresh(group));
  group.stale = true;
  results.append(group.element);
}

function refresh(group) {
  group.element.build();
  group.render();
  group.stale = false;
}

const status = h("span", { role: "status", "aria-live": "polite", id: "shown" });
const nothing = h("p", { id: "nothing", hidden: true }, "Nothing passes the filters.");
results.append(nothing);

function apply() {
  let [functions, shown, pairs] = [0, 0, 0];
  for (const group of groups) {
    const ofFindings = group.findings.filter(findingPasses).length;
    const ofSites = group.sites.filter(sitePasses).length;
    const isEmpty = group.findings.length === 0 && group.sites.length === 0;
    const visible = ofFindings > 0 || ofSites > 0 || (isEmpty && hasText(group.words) && filter.effect.size + filter.exception.size + filter.verdict.size === 0 && !filter.routes && !filter.fresh);
    group.element.hidden = !visible;
    functions += visible;
    shown += ofFindings;
    pairs += ofSites;
    group.stale = true;
    if (visible && group.element.open) refresh(group);
  }
  const parts = [plural(shown, "finding", "findings")];
  if (data.sites.length > 0) parts.push(plural(pairs, "pair of site and exception", "pairs of site and exception"));
  parts.push(plural(functions, "function", "functions"));
  status.textContent = parts.join(" · ");
  nothing.hidden = functions > 0;
  document.getElementById("clear").hidden = !isFiltered();
  for (const button of document.querySelectorAll("button[data-set]")) {
    button.setAttribute("aria-pressed", String(filter[button.dataset.set].has(button.dataset.value)));
  }
  for (const button of document.querySelectorAll("button[data-flag]")) button.setAttribute("aria-pressed", String(filter[button.dataset.flag]));
}

// The address holds the filters, so that a view can be linked to.
function remember() {
  const parts = [];
  if (filter.text) parts.push(`text=${encodeURIComponent(filter.text)}`);
  for (const name of ["effect", "exception", "verdict"]) if (filter[name].size > 0) parts.push(`${name}=${[...filter[name]].join(",")}`);
  for (const name of ["routes", "fresh"]) if (filter[name]) parts.push(`${name}=1`);
  try {
    history.replaceState(null, "", `#${parts.join("&")}`);
  } catch {
    // Some browsers keep local files from it; the page works without.
  }
}

function change() {
  remember();
  apply();
}

const search = h("input", { type: "search", id: "search", placeholder: "Search functions, files, operators, ids   ( / )", "aria-label": "Search", autocomplete: "off", spellcheck: "false" });
let pending = 0;
search.addEventListener("input", () => {
  filter.text = search.value.trim().toLowerCase();
  clearTimeout(pending);
  pending = setTimeout(change, groups.length > 50 ? 80 : 0);
});

function clear() {
  filter.text = search.value = "";
  for (const name of ["effect", "exception", "verdict"]) filter[name].clear();
  filter.routes = filter.fresh = false;
}

function setButton(set, value, text, counted, title) {
  const press = () => {
    if (!filter[set].delete(value)) filter[set].add(value);
    change();
  };
  return h("button", { type: "button", "data-set": set, "data-value": value, "aria-pressed": "false", title, onclick: press }, text, h("span", { class: "count" }, number(counted)));
}

function flagButton(flag, text, counted) {
  const press = () => {
    filter[flag] = !filter[flag];
    change();
  };
  return h("button", { type: "button", "data-flag": flag, "aria-pressed": "false", onclick: press }, text, h("span", { class: "count" }, number(counted)));
}

function choices(name, buttons) {
  return buttons.length > 0 && h("div", { class: "choices", role: "group", "aria-label": name }, h("span", { class: "name" }, name), buttons);
}

function buildFilters() {
  const form = document.getElementById("filters");
  form.addEventListener("submit", (event) => event.preventDefault());
  const tally = (wanted) => data.findings.filter(wanted).length;
  const totals = count(data.sites);
  const effects = data.severities.map((of) => [of, tally((finding) => finding.severity === of.name)]).filter(([, counted]) => counted > 0);
  const exceptions = data.exceptions.map((name) => [name, tally((finding) => exceptionsOf(finding).includes(name))]);
  const present = exceptions.filter(([name, counted]) => counted > 0 || data.sites.some((site) => site.exception === name));
  const routes = tally((finding) => finding.exception && finding.exception.reachable_from.length > 0);
  const extra = [];
  if (routes > 0) extra.push(flagButton("routes", "from public functions", routes));
  if (data.known) extra.push(flagButton("fresh", "not in the baseline", tally((finding) => !known.has(finding.id))));
  form.append(...[
    search,
    choices(data.analysis === "exceptions" ? "effect" : "severity", effects.map(([of, counted]) => setButton("effect", of.name, of.name, counted, of.meaning))),
    choices("exception", present.map(([name, counted]) => setButton("exception", name, name, counted))),
    data.sites.length > 0 && choices("verdict", Object.keys(VERDICTS).map((name) => setButton("verdict", name, VERDICTS[name], totals[name]))),
    choices("only", extra),
    h("div", { class: "shown" }, status, h("button", { type: "button", id: "clear", hidden: true, onclick: () => { clear(); change(); } }, "Clear filters")),
  ].filter(Boolean));
}

// Reasons with their counts, most frequent first.
function reasons(title, list) {
  const tally = new Map();
  for (const why of list) tally.set(why, (tally.get(why) || 0) + 1);
  if (tally.size === 0) return null;
  const ordered = [...tally].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
  const rows = ordered.slice(0, 50).map(([why, counted]) => h("li", {}, `${number(counted)} × ${why}`));
  return h("details", {}, h("summary", {}, `${title}: ${plural(ordered.length, "reason", "reasons")}`), h("ul", { class: "plain" }, rows));
}

function buildOverview() {
  const totals = count(data.sites);
  const total = data.sites.length;
  const overview = document.getElementById("overview");
  if (data.status !== "complete") overview.append(h("p", {}, level("warn", "cut short"), " A limit ended the run: not all planned work was done."));
  if (total > 0) {
    const share = (100 * (totals.reachable + totals.unreachable)) / total;
    const legend = Object.keys(VERDICTS).map((verdict) => h("li", {}, h("span", { class: `swatch fill-${verdict}` }), `${number(totals[verdict])} ${VERDICTS[verdict]}`));
    overview.append(
      h("h2", {}, `${share.toFixed(1)} % of ${plural(total, "pair", "pairs")} of site and exception decided`),
      bar(totals, true), h("ul", { class: "legend" }, legend));
  }
  if (data.functions.length > 0) {
    const tally = (wanted) => number(data.functions.filter(wanted).length);
    overview.append(h("p", {}, `${plural(data.functions.length, "function", "functions")}: ${tally((of) => !of.failure && of.status === "complete")} to their end (${tally((of) => !of.failure && of.all_paths)} on every path), ${tally((of) => !of.failure && of.status !== "complete")} cut short, ${tally((of) => of.failure)} not analysed`));
  }
  if (data.findings.length === 0) {
    const proved = total > 0 && totals.unreachable === total;
    const what = data.analysis === "exceptions" ? "exception" : "difference";
    overview.append(h("p", {}, proved ? "No exception can occur: proved over the IR." : `No ${what} was found. This is a search, not a proof.`));
  }
  overview.append(...[
    reasons("Unknown", data.sites.filter((site) => site.why).map((site) => site.why)),
    reasons("Not analysed", data.functions.filter((of) => of.failure).map((of) => of.failure)),
  ].filter(Boolean));
}

function buildAbout() {
  const assumptions = [...new Set(data.sites.flatMap((site) => site.assumptions || []))].sort();
  const item = (name, ...content) => [h("dt", {}, name), h("dd", {}, ...content)];
  const builds = data.target.builds.map((of) => h("li", {}, h("code", {}, `${of.role}: ${[of.compiler || of.source, ...of.flags].join(" ")}`)));
  document.getElementById("about").append(h("dl", {},
    assumptions.length > 0 && item("proofs assume", h("ul", { class: "plain" }, assumptions.map((text) => h("li", {}, text)))),
    data.notes.length > 0 && item("notes", h("ul", { class: "plain" }, data.notes.map((text) => h("li", {}, text)))),
    item("inputs tested", number(data.inputs_tested)),
    builds.length > 0 && item("builds", h("ul", { class: "plain" }, builds)),
    data.processor && item("processor", data.processor),
    item("labrys", `${data.version}, seed ${data.seed}`),
    item("command", h("code", { class: "command" }, data.command.join(" ")))));
}

// Opens what the address names: #finding=ID or #function=NAME, else filters.
function follow() {
  const query = new URLSearchParams(location.hash.slice(1));
  const named = query.get("finding") ?? (findings.has(location.hash.slice(1)) ? location.hash.slice(1) : null);
  const found = named === null ? undefined : findings.get(named);
  const group = found ? found.group : groups.find((of) => query.has("function") && of.name === query.get("function"));
  if (group) {
    if ((found && !findingPasses(found.finding)) || group.element.hidden) clear();
    apply();
    group.element.show();
    refresh(group);
    document.querySelectorAll(".finding.target").forEach((element) => element.classList.remove("target"));
    const target = found ? found.finding.element : group.element;
    if (found) {
      target.show();
      target.classList.add("target");
    }
    target.scrollIntoView();
    target.querySelector("summary").focus({ preventScroll: true });
    return;
  }
  filter.text = search.value = (query.get("text") || "").toLowerCase();
  for (const name of ["effect", "exception", "verdict"]) filter[name] = new Set((query.get(name) || "").split(",").filter(Boolean));
  for (const name of ["routes", "fresh"]) filter[name] = query.get(name) === "1";
  apply();
}

buildOverview();
buildFilters();
buildAbout();
follow();
// A page with few functions needs no click to show what it has.
if (groups.length <= 3) {
  for (const group of groups) {
    group.element.show();
    refresh(group);
  }
  const first = groups[0] && groups[0].findings[0];
  if (first && !location.hash) first.element.show();
}
addEventListener("hashchange", follow);
addEventListener("keydown", (event) => {
  const typing = event.target instanceof HTMLInputElement;
  if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
    event.preventDefault();
    search.focus();
  } else if (event.key === "Escape" && typing) {
    clear();
    change();
  }
});
// Paper cannot be opened: what is shown is printed with its findings, up to so many.
const FINDINGS_PRINTED = 300;
addEventListener("beforeprint", () => {
  let printed = 0;
  for (const group of groups) {
    if (group.element.hidden || printed >= FINDINGS_PRINTED) continue;
    group.element.show();
    refresh(group);
    for (const finding of group.findings.filter(findingPasses).slice(0, FINDINGS_PRINTED - printed)) {
      finding.element.show();
      printed++;
    }
  }
});
