// Functions with their findings and sites: what the list of results is made of.

const NO_COUNTS = { reachable: 0, unreachable: 0, unreachable_within_bound: 0, unknown: 0 };

function count(pairs) {
  const counts = { ...NO_COUNTS };
  for (const pair of pairs) counts[pair.verdict]++;
  return counts;
}

const isReached = (finding) => finding.exception !== undefined && finding.exception.reachable_from.length > 0;
const words = (parts) => parts.filter((part) => part !== undefined).join(" ").toLowerCase();

// A finding, and what it is found by.
function findingEntry(finding, group) {
  const places = finding.exception ? [finding.exception.site] : finding.observations.flatMap((seen) => seen.trace);
  return {
    finding,
    group,
    exceptions: finding.exception ? [finding.exception.exception] : [...new Set(finding.observations.flatMap((seen) => seen.flags))],
    words: words([group.words, finding.id, finding.summary, ...places.flatMap((of) => [of.file, of.function, of.operator])]),
    element: null,
  };
}

// A site's pairs with exceptions, and what they are found by.
function pairEntries(site, group) {
  const ofSite = words([group.words, site.file, site.function, site.operator]);
  return site.pairs.map((of) => ({ site, of, words: of.why === undefined ? ofSite : `${ofSite} ${of.why.toLowerCase()}` }));
}

// One group for each function; where a library was analysed, also for functions that only sites name.
function makeGroups(data) {
  const groups = new Map();
  const isLibrary = data.functions.length > 0;
  const group = (name) => {
    if (!groups.has(name)) groups.set(name, { name, unit: null, findings: [], pairs: [], element: null, words: name.toLowerCase() });
    return groups.get(name);
  };
  const owners = new Map();
  for (const unit of data.functions) {
    const of = group(unit.function);
    of.unit = unit;
    of.words = words([of.name, unit.file, unit.failure]);
    for (const id of unit.findings) owners.set(id, unit.function);
  }
  if (!isLibrary) group(data.target.function);
  for (const finding of data.findings) {
    const of = group(owners.get(finding.id) ?? (data.target.function || data.target.file));
    of.findings.push(findingEntry(finding, of));
  }
  for (const site of data.sites) {
    const of = group(isLibrary ? site.function : data.target.function);
    of.pairs.push(...pairEntries(site, of));
  }
  const rank = new Map(data.severities.map((of, index) => [of.name, index]));
  for (const of of groups.values()) {
    of.counts = of.unit ? of.unit.sites : count(of.pairs.map((pair) => pair.of));
    of.worst = Math.min(...of.findings.map(({ finding }) => rank.get(finding.severity)), 99);
    const severe = of.findings.filter(({ finding }) => rank.get(finding.severity) === of.worst);
    of.severe = severe.length;
    of.reached = severe.filter(({ finding }) => isReached(finding)).length;
  }
  return [...groups.values()];
}

const byName = (a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);

// The orders that functions can be shown in.
const ORDERS = {
  severity: (a, b) => a.worst - b.worst || b.reached - a.reached || b.severe - a.severe || b.counts.reachable - a.counts.reachable || byName(a, b),
  findings: (a, b) => b.findings.length - a.findings.length || byName(a, b),
  unknown: (a, b) => b.counts.unknown - a.counts.unknown || byName(a, b),
  place: (a, b) => {
    const [x, y] = [a, b].map((of) => of.unit?.file ?? "\uffff");
    return x === y ? (a.unit?.line ?? 0) - (b.unit?.line ?? 0) || byName(a, b) : x < y ? -1 : 1;
  },
  name: byName,
};

// The folder that all functions' files are in; "" where there is none.
function commonFolder(data) {
  const folders = [...new Set(data.functions.map((of) => of.file).filter(Boolean))].map((file) => file.split("/").slice(0, -1));
  if (folders.length === 0) return "";
  let common = folders[0];
  for (const folder of folders) {
    const differs = common.findIndex((part, index) => part !== folder[index]);
    if (differs >= 0) common = common.slice(0, differs);
  }
  return common.length > 0 && common.join("/") !== "" ? `${common.join("/")}/` : "";
}
