// The report's data: a graph of distinct values, compressed (see `packed.rs`, which writes it).

async function unpack(text) {
  const characters = atob(text);
  const bytes = new Uint8Array(characters.length);
  for (let at = 0; at < bytes.length; at++) bytes[at] = characters.charCodeAt(at);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return unfold(await new Response(stream).json());
}

// One value for each node, which all its users share: nothing may change them.
function unfold({ shapes, nodes }) {
  const values = [];
  for (const node of nodes) {
    if (!Array.isArray(node)) values.push(node);
    else if (node[0] === 0) values.push(node.slice(1).map((part) => values[part]));
    else {
      const object = {};
      shapes[node[0] - 1].forEach((key, index) => { object[key] = values[node[index + 1]]; });
      values.push(object);
    }
  }
  return values.at(-1);
}

// Source lines by file and number.
function linesOf(sources) {
  const files = new Map();
  for (const [file, runs] of Object.entries(sources)) {
    const lines = new Map();
    for (const run of runs) run.texts.forEach((text, index) => lines.set(run.first + index, text));
    files.set(file, lines);
  }
  return files;
}

// The data, or nothing but a message of what is wrong.
async function load() {
  const loading = document.getElementById("loading");
  loading.hidden = false;
  try {
    if (typeof DecompressionStream === "undefined") {
      throw new Error("This browser cannot unpack the page's data: it has no DecompressionStream. Chromium has it since version 80, Safari since 16.4, Firefox since 113.");
    }
    const { run, ...lists } = await unpack(document.getElementById("data").textContent).catch((error) => {
      throw new Error(`The page's data are damaged (${error.message}).`);
    });
    loading.remove();
    return { ...run, ...lists, sources: linesOf(lists.sources) };
  } catch (error) {
    loading.id = "problem";
    loading.textContent = `${error.message} The same results are in report.json beside this page.`;
    throw error;
  }
}
