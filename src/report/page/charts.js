// Plots as SVG: lines, points and areas over two axes, with a cursor for mouse and keyboard.
"use strict";

const kColours = ["--one", "--two", "--three", "--four", "--five", "--six"];
const colour = (k) => `var(${kColours[k % kColours.length]})`;

// element("p", {class: "soft"}, "text", child, …)
function element(name, attributes = {}, ...children) {
  const node = document.createElement(name);
  return fill(node, attributes, children);
}
function shape(name, attributes = {}, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);
}
function fill(node, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (key === "style" && typeof value === "object") Object.assign(node.style, value);
    else node.setAttribute(key, value);
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return node;
}

// Numbers for people: up to `digits` that count, small and large ones with an exponent.
function text_of(value, digits = 4) {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  if (Number.isInteger(value) && Math.abs(value) < 1e15) return value.toLocaleString("en");
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-4 || size >= 1e7)) {
    const [mantissa, power] = value.toExponential(Math.max(0, digits - 1)).split("e");
    return `${Number(mantissa)}e${Number(power)}`.replace("-", "−").replace("e-", "e−");
  }
  return String(Number(value.toPrecision(digits))).replace("-", "−");
}
const percent_of = (value, digits = 4) =>
  value === null || value === undefined ? "–" : `${text_of(100 * value, digits)} %`;

// ---- axes ----

// Round steps that cut [low, high] into about `count` pieces.
function linear_ticks(low, high, count) {
  const rough = (high - low) / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((k) => k * power).find((each) => each >= rough * 0.99);
  const ticks = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; ++k) {
    ticks.push(Math.abs(k * step) < 1e-12 * step ? 0 : k * step);
  }
  return ticks;
}
function log_ticks(low, high) {
  const all = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); ++power) {
    for (const digit of [1, 2, 5]) all.push(digit * 10 ** power);
  }
  const inside = all.filter((tick) => tick >= low * 0.999 && tick <= high * 1.001);
  const tens = inside.filter((tick) => Math.abs(Math.log10(tick) % 1) < 1e-9);
  if (inside.length <= 8) return inside;
  const every = Math.ceil(tens.length / 8);
  return tens.filter((_, k) => k % every === 0);
}

// From values to places: {ticks, at(value), text(value)}.
function scale_of(values, { log = false, low, high, zero = false } = {}) {
  let finite = values.filter((value) => Number.isFinite(value) && (!log || value > 0));
  if (finite.length === 0) finite = log ? [1, 10] : [0, 1];
  let from = low ?? Math.min(...finite);
  let to = high ?? Math.max(...finite);
  if (zero && !log) from = Math.min(from, 0);
  if (from === to) {
    if (log) { from /= 2; to *= 2; } else { from -= 0.5 * (Math.abs(from) || 1); to += 0.5 * (Math.abs(to) || 1); }
  }
  if (log) {
    const [a, b] = [Math.log(from), Math.log(to)];
    return { ticks: log_ticks(from, to), at: (value) => (Math.log(value) - a) / (b - a), log };
  }
  if (low === undefined) from -= 0.03 * (to - from) * (zero && from === 0 ? 0 : 1);
  if (high === undefined) to += 0.03 * (to - from);
  return { ticks: linear_ticks(from, to, window.innerWidth < 640 ? 4 : 6), at: (value) => (value - from) / (to - from), log };
}

const kFrame = { width: 560, height: 320, left: 62, right: 14, top: 12, bottom: 46 };
let plots = 0;  // for ids that are there once

// A plot of series {name, points: [[x, y], …], kind: "line" | "points" | "steps", dashed, colour,
// errors: [e, …]} with a cursor that snaps to the nearest x and tells the values there.
function plot({ label, series, x, y, x_log, y_log, x_range, y_range, marks = [], tell, extra, zero, wide }) {
  // Text has the size it has in the page, so a narrow window gets a narrow drawing.
  const size = window.innerWidth < 640 ? { ...kFrame, width: 350, height: 270 }
    : wide ? { ...kFrame, width: 1040, height: 400 } : kFrame;
  const usable = (point) =>
    Number.isFinite(point[0]) && Number.isFinite(point[1]) && (!x_log || point[0] > 0) && (!y_log || point[1] > 0);
  const lines = series.map((each, k) => ({ colour: colour(k), kind: "line", ...each }))
    .map((each) => ({ ...each, shown: each.points.filter(usable) }))
    .filter((each) => each.shown.length > 0);
  const spread = lines.flatMap((each) => (each.errors ?? []).flatMap((error, k) =>
    each.points[k] && error ? [each.points[k][1] - error, each.points[k][1] + error] : []));
  const xs = scale_of(lines.flatMap((each) => each.shown.map((point) => point[0])), { log: x_log, low: x_range?.[0], high: x_range?.[1] });
  const ys = scale_of(lines.flatMap((each) => each.shown.map((point) => point[1])).concat(spread),
                      { log: y_log, low: y_range?.[0], high: y_range?.[1], zero });
  // The title of the axis stands left of the longest number on it.
  const longest = Math.max(0, ...ys.ticks.map((tick) => text_of(tick).length));
  const frame = { ...size, left: Math.max(size.left, 34 + 6.8 * longest) };
  const inner_width = frame.width - frame.left - frame.right;
  const inner_height = frame.height - frame.top - frame.bottom;
  const px = (value) => frame.left + xs.at(value) * inner_width;
  const py = (value) => frame.top + (1 - ys.at(value)) * inner_height;

  const svg = shape("svg", { class: "plot", viewBox: `0 0 ${frame.width} ${frame.height}`, role: "img", tabindex: 0,
                             "aria-label": `${label}. Arrow keys read the values.` });
  // What lies outside the axes is not drawn.
  const inside = `inside-${++plots}`;
  svg.append(shape("clipPath", { id: inside }, shape("rect", { x: frame.left - 1, y: frame.top - 1, width: inner_width + 2, height: inner_height + 2 })));
  const area = shape("g", { "clip-path": `url(#${inside})` });
  if (extra) area.append(...extra(px, py));
  for (const tick of xs.ticks) {
    svg.append(shape("line", { class: "grid", x1: px(tick), x2: px(tick), y1: frame.top, y2: frame.top + inner_height }),
               shape("text", { x: px(tick), y: frame.height - frame.bottom + 17, "text-anchor": "middle" }, text_of(tick)));
  }
  for (const tick of ys.ticks) {
    svg.append(shape("line", { class: "grid", x1: frame.left, x2: frame.width - frame.right, y1: py(tick), y2: py(tick) }),
               shape("text", { x: frame.left - 7, y: py(tick) + 4, "text-anchor": "end" }, text_of(tick)));
  }
  svg.append(
    shape("path", { class: "axis", d: `M${frame.left} ${frame.top}V${frame.top + inner_height}H${frame.width - frame.right}` }),
    shape("text", { x: frame.left + inner_width / 2, y: frame.height - 8, "text-anchor": "middle" }, x),
    shape("text", { x: 14, y: frame.top + inner_height / 2, "text-anchor": "middle",
                    transform: `rotate(-90 14 ${frame.top + inner_height / 2})` }, y));
  for (const mark of marks) {
    svg.append(shape("line", { class: "cursor", x1: px(mark.x), x2: px(mark.x), y1: frame.top, y2: frame.top + inner_height }),
               shape("text", { x: px(mark.x) + 4, y: frame.top + 11 }, mark.text));
  }
  for (const each of lines) area.append(...drawn(each, px, py));
  svg.append(area);

  const readout = element("div", { class: "readout", "aria-live": "polite" });
  add_cursor(svg, readout, lines, px, py, frame, inner_height, tell ?? ((name, point) => `${name} ${text_of(point[1])}`), x);
  return [svg, readout, legend_of(lines)];
}

function drawn(each, px, py) {
  const style = { stroke: each.colour };
  const parts = [];
  if (each.errors) {
    each.points.forEach((point, k) => {
      const error = each.errors[k];
      if (!Number.isFinite(error) || !Number.isFinite(point[1])) return;
      parts.push(shape("line", { x1: px(point[0]), x2: px(point[0]), y1: py(point[1] - error), y2: py(point[1] + error),
                                 "stroke-width": 1.5, style }));
    });
  }
  if (each.kind === "points" || each.kind === "both") {
    for (const point of each.shown) {
      parts.push(shape("circle", { cx: px(point[0]), cy: py(point[1]), r: each.radius ?? 3, style: { fill: each.colour },
                                   "fill-opacity": each.opacity ?? 1 }));
    }
  }
  if (each.kind !== "points") {
    const path = each.shown.map((point, k) =>
      (k === 0 ? "M" : each.kind === "steps" ? `H${px(point[0]).toFixed(1)}V` : "L") +
      (k > 0 && each.kind === "steps" ? py(point[1]).toFixed(1) : `${px(point[0]).toFixed(1)} ${py(point[1]).toFixed(1)}`)).join("");
    parts.push(shape("path", { class: "curve", d: path, style, "stroke-dasharray": each.dashed ? "6 4" : undefined }));
  }
  return parts;
}

function legend_of(lines) {
  if (lines.length < 2) return null;
  return element("ul", { class: "legend" }, lines.filter((each) => each.name).map((each) =>
    element("li", {}, element("i", {
      class: each.kind === "points" ? "dot" : each.dashed ? "dashed" : "",
      style: each.kind === "points" ? { background: each.colour } : { borderColor: each.colour } }), each.name)));
}

// The cursor stands at one x of all series; mouse, touch and arrow keys move it.
function add_cursor(svg, readout, lines, px, py, frame, inner_height, tell, x_name) {
  const followed = lines.filter((each) => each.kind !== "points" || each.follow);
  const stops = [...new Set(followed.flatMap((each) => each.shown.map((point) => point[0])))].sort((a, b) => a - b);
  if (stops.length === 0) return;
  const line = shape("line", { class: "cursor", y1: frame.top, y2: frame.top + inner_height, visibility: "hidden" });
  const dots = followed.map((each) => shape("circle", { r: 4, style: { fill: each.colour }, visibility: "hidden" }));
  svg.append(line, ...dots);
  let place = stops.length - 1;
  const show = (index) => {
    place = Math.max(0, Math.min(stops.length - 1, index));
    const at = stops[place];
    line.setAttribute("x1", px(at));
    line.setAttribute("x2", px(at));
    line.setAttribute("visibility", "visible");
    const said = followed.map((each, k) => {
      const point = each.shown.reduce((best, next) => Math.abs(next[0] - at) < Math.abs(best[0] - at) ? next : best);
      const near = Math.abs(px(point[0]) - px(at)) < 6;
      dots[k].setAttribute("visibility", near ? "visible" : "hidden");
      dots[k].setAttribute("cx", px(point[0]));
      dots[k].setAttribute("cy", py(point[1]));
      return near ? tell(each.name ?? "", point, each) : null;
    }).filter(Boolean);
    readout.textContent = `${x_name} ${text_of(at)}: ${said.join(", ")}`;
  };
  const hide = () => {
    for (const node of [line, ...dots]) node.setAttribute("visibility", "hidden");
    readout.textContent = "";
  };
  svg.addEventListener("pointermove", (event) => {
    const box = svg.getBoundingClientRect();
    const at = (event.clientX - box.left) / box.width * frame.width;
    let best = 0;
    stops.forEach((stop, k) => { if (Math.abs(px(stop) - at) < Math.abs(px(stops[best]) - at)) best = k; });
    show(best);
  });
  svg.addEventListener("pointerleave", hide);
  svg.addEventListener("blur", hide);
  svg.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1, PageUp: -10, PageDown: 10, Home: -stops.length, End: stops.length }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    show(place + step);
  });
}
