const data = await load();
folder = commonFolder(data);
const groups = makeGroups(data);
const filter = makeFilter(groups, data);
let order = "severity";

const results = document.getElementById("results");
const nothing = h("p", { id: "nothing", hidden: true }, "Nothing passes the filters.");
const list = h("div", {});
results.append(list, nothing);
// The part of the list that is there.
let parts = null;

const elementOf = (group) => (group.element ??= groupElement(group, filter, data));
// The list grows before its end is seen.
const watcher = new IntersectionObserver((entries) => entries.some((of) => of.isIntersecting) && parts.extend(PART), { rootMargin: "600px" });

function apply() {
  let [findings, pairs] = [0, 0];
  const visible = [];
  for (const group of groups) {
    const ofFindings = group.findings.filter(filter.hasFinding).length;
    const ofPairs = group.pairs.filter(filter.hasPair).length;
    const isEmpty = group.findings.length === 0 && group.pairs.length === 0;
    group.element?.refresh();
    if (ofFindings === 0 && ofPairs === 0 && !(isEmpty && filter.hasGroup(group))) continue;
    visible.push(group);
    findings += ofFindings;
    pairs += ofPairs;
  }
  visible.sort(ORDERS[order]);
  watcher.disconnect();
  const shown = h("div", {});
  parts = inParts(shown, shown, visible, elementOf, "function", "functions");
  list.replaceChildren(parts.element);
  watcher.observe(parts.more);
  nothing.hidden = visible.length > 0;
  const counts = [plural(findings, "finding", "findings")];
  if (data.sites.length > 0) counts.push(plural(pairs, "pair of site and exception", "pairs of site and exception"));
  counts.push(plural(visible.length, "function", "functions"));
  controls.update(counts.join(" · "));
}

// The address holds the filters, so that a view can be linked to.
function change() {
  const address = [filter.address(), order === "severity" ? "" : `order=${order}`].filter(Boolean).join("&");
  try {
    history.replaceState(null, "", `#${address}`);
  } catch {
    // Some browsers keep local files from it; the page works without.
  }
  apply();
}

// Opens a function, and a finding in it.
function open(group, entry) {
  if (entry ? !filter.hasFinding(entry) : !group.findings.some(filter.hasFinding) && !group.pairs.some(filter.hasPair)) filter.clear();
  apply();
  parts.include(group);
  const element = elementOf(group);
  element.reveal(entry);
  document.querySelectorAll(".finding.target").forEach((of) => of.classList.remove("target"));
  entry?.element.show();
  entry?.element.classList.add("target");
  const target = entry ? entry.element : element;
  target.scrollIntoView();
  target.querySelector("summary").focus({ preventScroll: true });
}

// Opens what the address names: #finding=ID or #function=NAME, else filters.
function follow() {
  const query = new URLSearchParams(location.hash.slice(1));
  const entry = filter.findings.get(query.get("finding") ?? location.hash.slice(1));
  const group = entry ? entry.group : groups.find((of) => of.name === query.get("function"));
  if (group) {
    open(group, entry);
    return;
  }
  filter.read(query);
  order = Object.hasOwn(ORDERS, query.get("order")) ? query.get("order") : "severity";
  orders.value = order;
  apply();
}

const form = document.getElementById("filters");
const controls = buildFilters(form, filter, groups, data, change);
const orders = h("select", { id: "order", onchange: () => { order = orders.value; change(); } }, Object.keys(ORDERS).map((name) => h("option", { value: name }, `by ${name}`)));
if (groups.length > 1) form.querySelector(".shown").append(h("label", {}, "functions ", orders));
if (data.coverage) {
  form.hidden = true;
  showCoverage(data, document.getElementById("overview"), results);
} else {
  buildOverview(document.getElementById("overview"), groups, data);
}
buildAbout(document.getElementById("about"), data);
follow();
// A page with few functions needs no click to show what it has.
if (groups.length <= 3) {
  for (const group of groups) elementOf(group).reveal();
  if (!location.hash) groups[0]?.findings[0]?.element.show();
}
addEventListener("hashchange", follow);
addEventListener("keydown", (event) => {
  const typing = event.target === controls.search;
  if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
    event.preventDefault();
    controls.search.focus();
  } else if (event.key === "Escape" && typing) {
    filter.clear();
    change();
  }
});
// Paper cannot be opened: what is shown is printed with its findings, up to so many; most fill a page.
const FINDINGS_PRINTED = 50;
addEventListener("beforeprint", () => {
  document.querySelectorAll("#overview details").forEach((of) => { of.open = true; });
  let left = FINDINGS_PRINTED;
  for (const group of groups.filter((of) => of.element?.isConnected).sort(ORDERS[order])) {
    const shown = group.findings.filter(filter.hasFinding).slice(0, left);
    if (left === 0) break;
    group.element.reveal(shown.at(-1));
    shown.forEach((entry) => entry.element.show());
    left -= shown.length;
  }
});
