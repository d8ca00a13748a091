// Characters that do something else than to be seen (see `visible.rs`), as escapes; in a text of several lines, breaks and tabs stay.
const HIDDEN = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2064\u2066-\u2069\ufeff\u{e0000}-\u{e007f}]/gu;

function visible(text) {
  return text.replace(HIDDEN, (character) => {
    const code = character.codePointAt(0);
    return code < 0x80 ? `\\x${code.toString(16).padStart(2, "0")}` : `\\u{${code.toString(16)}}`;
  });
}

// An element with properties and children; texts become text nodes, so that nothing in the data is ever read as HTML.
function h(tag, properties, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties || {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name === "class") element.className = value;
    else if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : visible(String(value)));
  }
  const shown = children.flat(Infinity).filter((child) => child !== undefined && child !== null && child !== false);
  element.append(...shown.map((child) => (typeof child === "string" ? visible(child) : child)));
  return element;
}

const number = (value) => value.toLocaleString("en-US");
const plural = (count, one, many) => `${number(count)} ${count === 1 ? one : many}`;

const VERDICTS = {
  reachable: "reachable",
  unreachable: "unreachable, proved",
  unreachable_within_bound: "unreachable within the loop bound",
  unknown: "unknown",
};
const VERDICT_LEVELS = { reachable: "bad", unreachable: "good", unreachable_within_bound: "good", unknown: "calm" };

function level(of, text) {
  return h("span", { class: `level level-${of}` }, text);
}

// A bar of verdicts; its parts are as long as their counts.
function bar(counts, large) {
  const total = Object.keys(VERDICTS).reduce((sum, verdict) => sum + counts[verdict], 0);
  const words = Object.keys(VERDICTS).filter((verdict) => counts[verdict] > 0);
  const label = words.map((verdict) => `${number(counts[verdict])} ${VERDICTS[verdict]}`).join(", ");
  const element = h("div", { class: large ? "bar large" : "bar", role: "img", "aria-label": label || "no sites", title: label });
  for (const verdict of words) {
    const part = h("span", { class: `fill-${verdict}` });
    part.style.flex = `${counts[verdict] / total} 1 0`;
    element.append(part);
  }
  return element;
}

// What files' names are shown without: the folder that all functions' files are in.
let folder = "";
const short = (file) => (folder !== "" && file.startsWith(folder) ? file.slice(folder.length) : file);

// `f.c:3:20`; `3:20` within a file that is named already.
function place(of, file) {
  if (!of.file) return of.address || "?";
  return [of.file === file && of.line ? undefined : short(of.file), of.line, of.column].filter((part) => part !== undefined).join(":");
}

// A line of the source; undefined where the data do not have it.
const lineOf = (sources, of) => sources.get(of.file)?.get(of.line);

// The source around a line, the operator of a column marked; nothing where the source is not in the data.
function excerpt(sources, of, around) {
  if (lineOf(sources, of) === undefined) return null;
  const lines = sources.get(of.file);
  const element = h("pre", { class: "source", tabindex: "0", "aria-label": `source at ${place(of)}` });
  for (let line = of.line - around; line <= of.line + around; line++) {
    const text = lines.get(line);
    if (text === undefined) continue;
    const here = line === of.line;
    const content = here ? marked(text, of.column) : [text];
    element.append(h("span", { class: here ? "line here" : "line" }, h("span", { class: "number" }, String(line)), ...content, "\n"));
  }
  return element;
}

// A line with what stands at a column marked: a name, or one character. Columns count bytes of UTF-8.
function marked(text, column) {
  if (!column) return [text];
  let bytes = 0;
  let at = 0;
  const encoder = new TextEncoder();
  for (const character of text) {
    if (bytes >= column - 1) break;
    bytes += encoder.encode(character).length;
    at += character.length;
  }
  const token = /^(?:[A-Za-z_]\w*|[\s\S])/u.exec(text.slice(at));
  if (!token) return [text];
  return [text.slice(0, at), h("mark", {}, token[0]), text.slice(at + token[0].length)];
}

// A line without the space around it, marked as `marked` does.
function trimmed(text, column) {
  const parts = marked(text, column);
  const at = parts.findIndex((part) => typeof part !== "string" || part.trim() !== "");
  const shown = parts.slice(Math.max(at, 0));
  if (typeof shown[0] === "string") shown[0] = shown[0].trimStart();
  if (typeof shown.at(-1) === "string") shown.push(shown.pop().trimEnd());
  return shown;
}

// A details element whose body is built when it is first opened.
function lazy(kind, summary, build, properties) {
  const body = h("div", { class: "body" });
  const element = h("details", { class: kind, ...properties }, summary, body);
  let built = false;
  element.build = () => {
    if (!built) {
      built = true;
      body.append(...build());
    }
  };
  element.addEventListener("toggle", () => element.open && element.build());
  element.show = () => {
    element.build();
    element.open = true;
  };
  return element;
}
