// What is let through, and how many a further choice would let through.

const SETS = ["effect", "exception", "verdict"];
const FLAGS = ["routes", "fresh"];

// Empty sets let everything through. `routes`: only what public functions reach. `fresh`: only what the baseline lacks.
function makeFilter(groups, data) {
  const known = new Set(data.known || []);
  const findings = new Map(groups.flatMap((group) => group.findings.map((entry) => [entry.finding.id, entry])));
  const filter = { text: "", effect: new Set(), exception: new Set(), verdict: new Set(), routes: false, fresh: false };
  const choices = ({ effect, exception, verdict }) => effect.size + exception.size + verdict.size;
  const isFresh = (entry) => !known.has(entry.finding.id);
  let wanted = { text: "", words: [""] };
  const hasText = (text) => {
    if (wanted.text !== filter.text) wanted = { text: filter.text, words: filter.text.toLowerCase().split(/\s+/) };
    return wanted.words.every((word) => text.includes(word));
  };

  // Which of the filter's parts let a finding through.
  function ofFinding(entry) {
    return {
      text: hasText(entry.words),
      effect: filter.effect.size === 0 || filter.effect.has(entry.finding.severity),
      exception: filter.exception.size === 0 || entry.exceptions.some((of) => filter.exception.has(of)),
      verdict: filter.verdict.size === 0 || filter.verdict.has("reachable"),
      routes: !filter.routes || isReached(entry.finding),
      fresh: !filter.fresh || isFresh(entry),
    };
  }

  // The same of a pair; filters that only findings have keep all pairs out but those of the findings.
  function ofPair({ of, words: text }) {
    const entry = filter.effect.size > 0 || filter.routes || filter.fresh ? findings.get(of.finding) : undefined;
    const found = entry && ofFinding(entry);
    return {
      text: hasText(text),
      effect: filter.effect.size === 0 || (found?.effect ?? false),
      exception: filter.exception.size === 0 || (filter.exception.has(of.exception) && (found?.exception ?? true)),
      verdict: filter.verdict.size === 0 || filter.verdict.has(of.verdict),
      routes: !filter.routes || (found?.routes ?? false),
      fresh: !filter.fresh || (found?.fresh ?? false),
    };
  }

  // Whether all parts but one do.
  const but = (passed, part) => Object.keys(passed).every((name) => name === part || passed[name]);

  return Object.assign(filter, {
    known,
    findings,
    isActive: () => filter.text !== "" || choices(filter) > 0 || filter.routes || filter.fresh,
    hasFinding: (entry) => but(ofFinding(entry)),
    hasPair: (pair) => but(ofPair(pair)),
    // A function without findings and sites is only found by its words.
    hasGroup: (group) => hasText(group.words) && choices(filter) === 0 && !filter.routes && !filter.fresh,
    clear() {
      filter.text = "";
      for (const name of SETS) filter[name].clear();
      for (const name of FLAGS) filter[name] = false;
    },
    // How many there would be with one more choice, by `set:value` or flag: pairs of a verdict, else findings; pairs of an
    // exception, too, where the verdicts leave no finding.
    tally() {
      const counts = new Map();
      const withoutFindings = filter.verdict.size > 0 && !filter.verdict.has("reachable");
      const add = (key) => counts.set(key, (counts.get(key) || 0) + 1);
      for (const entry of findings.values()) {
        const passed = ofFinding(entry);
        if (but(passed, "effect")) add(`effect:${entry.finding.severity}`);
        if (but(passed, "exception")) entry.exceptions.forEach((of) => add(`exception:${of}`));
        if (but(passed, "routes") && isReached(entry.finding)) add("routes");
        if (but(passed, "fresh") && isFresh(entry)) add("fresh");
      }
      for (const group of groups) {
        for (const pair of group.pairs) {
          const passed = ofPair(pair);
          if (but(passed, "verdict")) add(`verdict:${pair.of.verdict}`);
          if (withoutFindings && but(passed, "exception")) add(`exception:${pair.of.exception}`);
        }
      }
      return counts;
    },
    // The part of an address behind its `#`.
    address() {
      const parts = [];
      if (filter.text) parts.push(`text=${encodeURIComponent(filter.text)}`);
      for (const name of SETS) if (filter[name].size > 0) parts.push(`${name}=${[...filter[name]].join(",")}`);
      for (const name of FLAGS) if (filter[name]) parts.push(`${name}=1`);
      return parts.join("&");
    },
    read(query) {
      filter.text = (query.get("text") || "").trim();
      for (const name of SETS) filter[name] = new Set((query.get(name) || "").split(",").filter(Boolean));
      for (const name of FLAGS) filter[name] = query.get(name) === "1";
    },
  });
}

// The controls of a filter; `change` is called behind each change.
function buildFilters(form, filter, groups, data, change) {
  form.addEventListener("submit", (event) => event.preventDefault());
  const counters = [];
  const button = (properties, text, key, isPressed, press) => {
    const counter = h("span", { class: "count" });
    const element = h("button", { type: "button", ...properties, onclick: () => { press(); change(); } }, text, counter);
    counters.push((counts) => {
      counter.textContent = number(counts.get(key) || 0);
      element.setAttribute("aria-pressed", String(isPressed()));
      element.classList.toggle("none", !counts.get(key) && !isPressed());
    });
    return element;
  };
  const setButton = (set, value, text, title) =>
    button({ "data-set": set, "data-value": value, title }, text, `${set}:${value}`, () => filter[set].has(value), () => filter[set].delete(value) || filter[set].add(value));
  const flagButton = (flag, text) => button({ "data-flag": flag }, text, flag, () => filter[flag], () => { filter[flag] = !filter[flag]; });
  const row = (name, buttons) => buttons.length > 0 && h("div", { class: "choices", role: "group", "aria-label": name }, h("span", { class: "name" }, name), buttons);

  const all = filter.tally();
  const search = h("input", { type: "search", id: "search", placeholder: "Search functions, files, operators, reasons, ids   ( / )", "aria-label": "Search", autocomplete: "off", spellcheck: "false" });
  let pending = 0;
  search.addEventListener("input", () => {
    filter.text = search.value.trim();
    clearTimeout(pending);
    pending = setTimeout(change, groups.length > 50 ? 80 : 0);
  });
  const effects = data.severities.filter((of) => all.has(`effect:${of.name}`));
  const exceptions = data.exceptions.filter((name) => all.has(`exception:${name}`) || groups.some((group) => group.pairs.some((pair) => pair.of.exception === name)));
  const verdicts = Object.keys(VERDICTS).filter((name) => all.has(`verdict:${name}`));
  const status = h("span", { role: "status", "aria-live": "polite", id: "shown" });
  const clear = h("button", { type: "button", id: "clear", hidden: true, onclick: () => { filter.clear(); change(); } }, "Clear filters");
  form.append(...[
    search,
    row(data.analysis === "exceptions" ? "effect" : "severity", effects.map((of) => setButton("effect", of.name, of.name, of.meaning))),
    row("exception", exceptions.map((name) => setButton("exception", name, name))),
    row("verdict", verdicts.map((name) => setButton("verdict", name, VERDICTS[name]))),
    row("only", [all.has("routes") && flagButton("routes", "from public functions"), data.known && flagButton("fresh", "not in the baseline")].filter(Boolean)),
    h("div", { class: "shown" }, status, clear),
  ].filter(Boolean));
  return {
    search,
    // Shows what the filter is.
    update(text) {
      status.textContent = text;
      clear.hidden = !filter.isActive();
      if (search.value.trim() !== filter.text) search.value = filter.text;
      const counts = filter.tally();
      for (const counter of counters) counter(counts);
    },
  };
}
