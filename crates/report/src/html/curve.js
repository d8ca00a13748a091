// Pictures of errors along an input, and of arrays.

const WIDTH = 640, HEIGHT = 190, LEFT = 56, RIGHT = 10, TOP = 20, BOTTOM = 34;

// As `h`, for what stands in a picture.
function svg(tag, properties, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(properties)) element.setAttribute(name, visible(String(value)));
  element.append(...children.flat(Infinity).filter(Boolean).map((child) => (typeof child === "string" ? visible(child) : child)));
  return element;
}

const across = (index, count) => LEFT + ((index + 0.5) / count) * (WIDTH - LEFT - RIGHT);
const shortly = (value) => (value === 0 ? "0" : Math.abs(value) >= 1e-2 && Math.abs(value) < 1e4 ? String(Number(value.toPrecision(3))) : value.toExponential(0));

// Horizontal lines with their values, from 0 to `top`.
function levels(top, unit) {
  const step = [1, 2, 5, 10, 20, 50, 100, 200, 500].find((size) => top / size <= 6) || top / 5;
  const lines = [];
  for (let value = 0; value <= top; value += step) {
    const y = HEIGHT - BOTTOM - (value / top) * (HEIGHT - TOP - BOTTOM);
    lines.push(svg("line", { x1: LEFT, x2: WIDTH - RIGHT, y1: y, y2: y, class: "level-line" }));
    lines.push(svg("text", { x: LEFT - 6, y: y + 4, "text-anchor": "end" }, String(value)));
  }
  lines.push(svg("text", { x: LEFT, y: TOP - 8 }, unit));
  return lines;
}

function picture(caption, ...content) {
  const image = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": caption }, ...content);
  return h("figure", { class: "picture" }, image, h("figcaption", {}, caption));
}

// Bars of error in bits, one a point; `ticks` are pairs of a point's index and its label.
function errorBars(points, marked, ticks, caption) {
  const top = Math.max(4, ...points.map(([, bits]) => bits || 0));
  const width = Math.max(1, (WIDTH - LEFT - RIGHT) / points.length - 1);
  const bars = points.map(([value, bits], index) => {
    if (bits === null) return null;
    const height = Math.max(1, (bits / top) * (HEIGHT - TOP - BOTTOM));
    const at = { x: across(index, points.length) - width / 2, y: HEIGHT - BOTTOM - height, width, height };
    return svg("rect", { ...at, class: index === marked ? "worst" : "error" }, svg("title", {}, `${value}: ${bits} bits`));
  });
  const labels = ticks.map(([index, label]) => svg("text", { x: across(index, points.length), y: HEIGHT - BOTTOM + 15, "text-anchor": "middle" }, label));
  const x = across(marked, points.length);
  const mark = svg("path", { d: `M${x} ${HEIGHT - BOTTOM + 19} l-5 9 h10 z`, class: "worst" });
  return picture(caption, levels(top, "bits"), bars, labels, mark);
}

// The error over an input's whole range, and around the witness.
function curvePictures(curve, output) {
  const { whole, near } = curve;
  const at = Math.min(curve.at, whole.length - 1);
  const every = Math.max(1, Math.floor(whole.length / 8));
  const ticks = whole.map(([value], index) => [index, shortly(value)]).filter(([index]) => index % every === Math.floor(every / 2));
  const pictures = [errorBars(whole, at, ticks, `error of ${output} over the range of ${curve.input}, the rest as in the witness; each float has the same room`)];
  const middle = curve.below;
  if (near.length > 8) {
    const distance = (index) => (index === middle ? "witness" : `${index < middle ? "-" : "+"}2^${Math.abs(index - middle) - 1}`);
    const step = Math.max(4, Math.ceil(near.length / 10));
    const marks = near.map((_, index) => [index, distance(index)]).filter(([index]) => (index - middle) % step === 0);
    pictures.push(errorBars(near, middle, marks, `around the witness: so many floats below and above its ${curve.input}`));
  }
  return pictures;
}

// The numbers of an array on a scale of magnitudes, negative ones below.
function arrayPicture(input) {
  const numbers = scalars(input).map((value) => [value.name, Number(value.decimal)]);
  const powers = numbers.filter(([, value]) => value !== 0 && Number.isFinite(value)).map(([, value]) => Math.log2(Math.abs(value)));
  if (powers.length === 0) return null;
  const low = Math.floor(Math.min(...powers)) - 1, high = Math.max(...powers);
  const isSigned = numbers.some(([, value]) => value < 0);
  const middle = isSigned ? HEIGHT / 2 : HEIGHT - TOP, room = middle - TOP;
  const width = Math.max(1, (WIDTH - LEFT - RIGHT) / numbers.length - 1);
  const bars = numbers.map(([name, value], index) => {
    const height = value === 0 || !Number.isFinite(value) ? 0 : Math.max(1, ((Math.log2(Math.abs(value)) - low) / (high - low)) * room);
    const at = { x: across(index, numbers.length) - width / 2, y: value < 0 ? middle : middle - height, width, height };
    return svg("rect", { ...at, class: value < 0 ? "negative" : "error" }, svg("title", {}, `${name} = ${value}`));
  });
  const axis = svg("line", { x1: LEFT, x2: WIDTH - RIGHT, y1: middle, y2: middle, class: "level-line" });
  const size = shortly(2 ** high);
  const label = (y, words) => svg("text", { x: LEFT - 6, y, "text-anchor": "end" }, words);
  const labels = [label(TOP + 4, size), isSigned && label(HEIGHT - TOP + 4, `-${size}`)];
  const below = isSigned ? "; negative ones below" : "";
  return picture(`the elements of ${input.name} by magnitude, from ${shortly(2 ** (low + 1))}${below}`, axis, bars, labels);
}
