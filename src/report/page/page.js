// The page: every section is made from the data of a run if it has what the section shows.


const panel = (title, ...content) => element("section", { class: "panel" }, element("h3", {}, title), ...content);
const wide = (title, ...content) => element("section", { class: "panel wide" }, element("h3", {}, title), ...content);

function card(label, value, range) {
  return element("div", { class: "card" }, element("div", { class: "label" }, label),
                 element("div", { class: "value" }, value), range ? element("div", { class: "range" }, range) : null);
}

// rows of cells; columns: {title, text: true for words}
function table(columns, rows, { caption, chosen, css } = {}) {
  const body = rows.map((row, r) => element("tr", { class: r === chosen ? "chosen" : undefined },
    row.map((cell, c) => cell instanceof Node && cell.tagName === "TD" ? cell
      : element("td", { class: columns[c].text ? "text" : undefined }, cell))));
  return element("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": caption ?? "Table" },
    element("table", { class: css },
      element("thead", {}, element("tr", {}, columns.map((column) =>
        element("th", { scope: "col", class: column.text ? "text" : undefined }, column.title)))),
      element("tbody", {}, body)));
}

const in_details = (summary, ...content) => element("details", {}, element("summary", {}, summary), ...content);

// ---- what was trained ----

function overview(run) {
  return [
    element("dl", { class: "facts" }, run.facts.flatMap(([name, value]) =>
      [element("dt", {}, name), element("dd", {}, value)])),
    run.command ? element("p", { class: "soft" }, "Equivalent command:") : null,
    run.command ? element("pre", {}, run.command) : null,
  ];
}

function certificate(run) {
  if (!run.certificate) return [];
  const { words, proven } = run.certificate;
  return [element("div", { class: proven ? "verdict" : "verdict open", "data-part": "certificate" },
    words.map((sentence) => element("p", {}, sentence)))];
}

function classifiers(run) {
  if (!run.classifiers || run.classifiers.length === 0) return [];
  const shown = table([{ title: "classifier", text: true }, { title: "objective" }, { title: "lower bound" }, { title: "within" }],
    run.classifiers.map((each) => [each.name, text_of(each.objective, 6), text_of(each.dual, 6),
                                each.relative_gap === null ? "not proven" : percent_of(each.relative_gap, 3)]),
    { caption: "Certificates of all classifiers" });
  return [in_details(`Certificates of all ${run.classifiers.length} classifiers`, shown)];
}

function convergence(runs) {
  const traced = runs.filter((run) => run.trace && run.trace.length > 0);
  if (traced.length === 0) return [];
  const single = traced.length === 1;
  const series = traced.flatMap((run, k) => {
    const points = (key) => run.trace.map((each) => [each.seconds, each[key] ?? NaN]);
    const prefix = single ? "" : `${run.name}: `;
    return [
      { name: `${prefix}objective`, points: points("objective"), colour: colour(single ? 0 : k) },
      { name: `${prefix}dual bound`, points: points("dual"), colour: colour(single ? 2 : k), dashed: !single },
      ...(single ? [{ name: "lemma bound", points: points("bound"), colour: colour(1), dashed: true }] : []),
    ];
  });
  const gaps = traced.map((run, k) => ({
    name: single ? "gap" : run.name, colour: colour(k),
    points: run.trace.map((each) => [each.seconds, each.dual > 0 ? (each.objective - each.dual) / each.dual : NaN]) }));
  const panels = [panel("Objective and bounds over time",
    ...plot({ label: "Objective, dual bound and theoretical bound over training time", series, x: "seconds", y: "objective",
              x_log: true, y_log: true }),
    element("p", { class: "soft" }, "No weights can have an objective below the dual bound."))];
  if (gaps.some((each) => each.points.some((point) => point[1] > 0))) {
    panels.push(panel("Certified distance to the optimum",
      ...plot({ label: "Relative duality gap over training time", series: gaps, x: "seconds", y: "relative gap", x_log: true, y_log: true,
                tell: (name, point) => `${name} ${percent_of(point[1], 3)}` })));
  }
  const errors = traced.map((run) => ({ name: single ? "error" : run.name,
    points: run.trace.map((each) => [each.seconds, each.test_error ?? NaN]) }));
  if (errors.some((each) => each.points.filter((point) => Number.isFinite(point[1])).length > 1)) {
    panels.push(panel("Error on test rows over time",
      ...plot({ label: "Error on test rows over training time", series: errors, x: "seconds", y: "error", x_log: true, zero: true })));
  }
  return panels;
}

// ---- tuning ----

function tuning(run) {
  if (!run.tuning) return [];
  const { points, score, chosen, best } = run.tuning;
  const paths = [...new Set(points.map((point) => point.path))];
  const has = (point, key) => point[key] !== null && point[key] !== undefined;
  const is_wide = points.some((point) => has(point, "loss"));
  const name_of = (point) => [...["loss", "scaling"].filter((key) => has(point, key)).map((key) => point[key]),
    ...["gamma", "degree", "epsilon"].filter((key) => has(point, key)).map((key) => `${key} ${text_of(point[key])}`)].join(", ") || score;
  const series = paths.map((path) => {
    const here = points.filter((point) => point.path === path);
    return { name: name_of(here[0]), kind: "both", points: here.map((point) => [point.lambda, point.mean]),
             errors: here.map((point) => point.standard_error) };
  });
  return [wide("Regularisation path",
    ...plot({ wide: true, label: `Cross-validated ${score} over lambda with standard errors`, series, x: "lambda", y: score, x_log: true,
              marks: [{ x: points[chosen].lambda, text: "chosen" }],
              tell: (name, point, each) => `${name} ${text_of(point[1])} ± ${text_of(each.errors[each.points.indexOf(point)], 2)}` }),
    element("p", { class: "soft" }, "Bars are one standard error of the mean over the folds."),
    in_details("Table", table(
      [...(is_wide ? [{ title: "loss" }, { title: "scaling" }] : []),
       { title: "lambda" }, { title: "C" }, { title: "gamma" }, { title: score }, { title: "± one standard error" }],
      points.map((point, k) => [...(is_wide ? [point.loss, point.scaling] : []), text_of(point.lambda) + (k === chosen ? " chosen" : k === best ? " best" : ""), text_of(point.c),
                                text_of(point.gamma), text_of(point.mean), text_of(point.standard_error, 2)]),
      { caption: "All points of the search", chosen })))];
}

// ---- how good it is ----

const interval_text = (each) => each.low !== undefined && each.low !== null ? `${text_of(each.low)} to ${text_of(each.high)}` : null;
const share_card = (label, each) => each && each.value !== null
  ? card(label, percent_of(each.value, 4), each.low !== undefined ? `${percent_of(each.low)} to ${percent_of(each.high)}` : null) : null;
const number_card = (label, each) => each && each.value !== null ? card(label, text_of(each.value), interval_text(each)) : null;

function quality(run) {
  const seen = run.evaluation;
  if (!seen) return [];
  const cards = seen.kind === "numbers"
    ? [number_card("mean absolute error", seen.mae), number_card("root mean squared error", seen.rmse),
       number_card("R²", seen.r2), number_card("median error", seen.median_error)]
    : seen.kind === "sets"
    ? [share_card("exact match", seen.exact), share_card("Hamming loss", seen.hamming_loss), number_card("micro F1", seen.micro_f1),
       number_card("macro F1", seen.macro_f1)]
    : [share_card("accuracy", seen.accuracy), share_card("balanced accuracy", seen.balanced_accuracy),
       ...(seen.kind === "two" ? [number_card("F1", seen.f1)] : [number_card("macro F1", seen.macro_f1)]),
       number_card("ROC AUC", seen.roc_auc), number_card("PR AUC", seen.pr_auc), number_card("MCC", seen.matthews),
       seen.probability ? number_card("log loss", seen.probability.log_loss) : null,
       seen.probability ? number_card("Brier score", seen.probability.brier) : null,
       seen.probability ? number_card("calibration error", { value: seen.probability.error }) : null];
  return [element("p", {}, `Measured on ${seen.rows.toLocaleString("en")} ${seen.rows === 1 ? "row" : "rows"} of ${seen.on}.`,
                  seen.trained_on ? " The model was trained on these rows, so its error on new rows will be higher." : ""),
          element("div", { class: "cards", "data-part": "metrics" }, cards)];
}

// The confusion of two classes at any threshold, from exact counts at each step of the slider.
function threshold_panel(run) {
  const steps = run.thresholds;
  if (!steps) return [];
  const { positives, negatives, at, names, table: counts } = steps;
  const first = counts.reduce((best, each, k) => Math.abs(each[0] - at) < Math.abs(counts[best][0] - at) ? k : best, 0);
  const slider = element("input", { type: "range", id: `threshold-${run.place}`, min: 0, max: counts.length - 1, step: 1, value: first });
  const said = element("output", { for: slider.id });
  const cells = {};
  const cell = (key) => cells[key] = element("td", { "data-cell": key });
  const numbers = element("div", { class: "cards" });
  const shown = element("div", { class: "scroll" }, element("table", {},
    element("thead", {}, element("tr", {}, element("th", { scope: "col" }, "true \\ predicted"),
      names.map((name) => element("th", { scope: "col" }, name)))),
    element("tbody", {},
      element("tr", {}, element("th", { scope: "row" }, names[0]), cell("tp"), cell("fn")),
      element("tr", {}, element("th", { scope: "row" }, names[1]), cell("fp"), cell("tn")))));
  const update = () => {
    const [threshold, tp, fp] = counts[Number(slider.value)];
    const values = { tp, fp, fn: positives - tp, tn: negatives - fp };
    for (const [key, value] of Object.entries(values)) cells[key].textContent = text_of(value);
    said.textContent = `${steps.unit} above ${text_of(threshold)} is predicted as ${names[0]}`;
    slider.setAttribute("aria-valuetext", said.textContent);
    const precision = tp + fp > 0 ? tp / (tp + fp) : 0;
    const recall = positives > 0 ? tp / positives : 0;
    numbers.replaceChildren(
      card("accuracy", percent_of((tp + values.tn) / (positives + negatives))), card("precision", text_of(precision)),
      card("recall", text_of(recall)), card("F1", text_of(precision + recall > 0 ? 2 * precision * recall / (precision + recall) : 0)),
      card("false positive rate", percent_of(negatives > 0 ? fp / negatives : 0)));
  };
  slider.addEventListener("input", update);
  update();
  return [wide("Confusion matrix at a threshold",
    element("label", { class: "slider", for: slider.id }, "Threshold"), slider, element("p", {}, said), numbers, shown)];
}

function curves(runs) {
  const seen = runs.filter((run) => run.evaluation?.classes?.some((each) => each.roc.length > 0));
  if (seen.length === 0) return [];
  const series = (key) => seen.flatMap((run) => {
    const classes = run.evaluation.kind === "two" ? run.evaluation.classes.slice(0, 1) : run.evaluation.classes;
    const most = seen.length > 1 && run.evaluation.kind !== "two" ? 0 : 6;
    return classes.filter((each) => each[key].length > 0).slice(0, most).map((each) => ({
      name: seen.length > 1 ? run.name : run.evaluation.kind === "two" ? key === "roc" ? "ROC" : "precision" : each.name,
      points: each[key].map((point) => [point[0], point[1]]), kind: key === "roc" ? "line" : "steps" }));
  });
  const roc = series("roc");
  if (roc.length === 0) return [];
  return [
    panel("ROC", ...plot({ label: "True positive rate over false positive rate", x: "false positive rate", y: "true positive rate",
      series: roc, x_range: [0, 1], y_range: [0, 1],
      extra: (px, py) => [shape("line", { class: "cursor", x1: px(0), y1: py(0), x2: px(1), y2: py(1) })] })),
    panel("Precision and recall", ...plot({ label: "Precision over recall", series: series("pr"), x: "recall", y: "precision",
      x_range: [0, 1], y_range: [0, 1] })),
  ];
}

function calibration(run) {
  const bins = run.evaluation?.probability?.bins;
  if (!bins || bins.length === 0) return [];
  return [panel("Calibration", ...plot({ label: "Observed frequency over predicted probability", x: "predicted probability", y: "observed frequency",
    x_range: [0, 1], y_range: [0, 1], series: [{ name: "observed", kind: "both", points: bins.map((bin) => [bin[0], bin[1]]) }],
    extra: (px, py) => [shape("line", { class: "cursor", x1: px(0), y1: py(0), x2: px(1), y2: py(1) })] }),
    element("p", { class: "soft" }, "On the diagonal, 70 of 100 rows with a predicted probability of 70 % are positive."))];
}

function scores(run) {
  const seen = run.histogram;
  if (!seen) return [];
  const series = seen.names.map((name, k) => ({ name, kind: "steps", points: seen.edges.map((edge, b) => [edge, seen.counts[k][b] ?? 0]) }));
  return [panel(seen.title, ...plot({ label: seen.title, series, x: seen.unit, y: "rows", zero: true,
    marks: seen.mark === null ? [] : [{ x: seen.mark, text: "threshold" }] }))];
}

function class_table(run) {
  const seen = run.evaluation;
  if (!seen?.classes) return [];
  const rows = seen.classes.map((each) => [each.name, text_of(each.precision), text_of(each.recall), text_of(each.f1), text_of(each.rows)]);
  for (const name of ["macro", "micro", "weighted"]) {
    const each = seen[name];
    if (each) rows.push([element("td", {}, element("em", {}, `${name} mean`)), text_of(each.precision), text_of(each.recall), text_of(each.f1), text_of(each.rows)]);
  }
  return [panel("Metrics per class", table(
    [{ title: "class" }, { title: "precision" }, { title: "recall" }, { title: "F1" }, { title: "rows" }], rows, { caption: "Metrics per class" }))];
}

function confusion(run) {
  const seen = run.evaluation;
  if (!seen?.confusion || run.thresholds) return [];
  const names = seen.classes.map((each) => each.name);
  if (names.length > 40) return [];
  const rows = seen.confusion.map((counts, r) => {
    const total = counts.reduce((sum, each) => sum + each, 0) || 1;
    return [element("td", {}, element("strong", {}, names[r])), ...counts.map((count) => element("td", {
      style: { background: `rgba(var(--heat), ${(0.55 * count / total).toFixed(3)})` } }, count === 0 ? "" : text_of(count)))];
  });
  return [wide("Confusion matrix", element("p", { class: "soft" }, "Rows are true classes, columns predicted classes; shading shows the share of the row."),
    table([{ title: "true \\ predicted" }, ...names.map((name) => ({ title: name }))], rows, { caption: "Confusion matrix", css: "heat" }))];
}

// ---- regression ----

function residuals(run) {
  const points = run.pairs;
  if (!points || points.length === 0) return [];
  const all = points.flat();
  const [low, high] = [Math.min(...all), Math.max(...all)];
  return [
    panel("Predicted against true", ...plot({ label: "Predicted over true values", x: "true", y: "predicted",
      series: [{ name: "rows", kind: "points", follow: true, points, radius: 2.5, opacity: 0.5 }],
      extra: (px, py) => [shape("line", { class: "cursor", x1: px(low), y1: py(low), x2: px(high), y2: py(high) })] })),
    panel("Residuals", ...plot({ label: "True minus predicted over predicted", x: "predicted", y: "true − predicted",
      series: [{ name: "rows", kind: "points", follow: true, points: points.map(([truth, said]) => [said, truth - said]), radius: 2.5, opacity: 0.5 }],
      extra: (px, py) => [shape("line", { class: "cursor", x1: px(low), y1: py(0), x2: px(high), y2: py(0) })] })),
  ];
}

// ---- what it looks at ----

function bars(list) {
  const largest = Math.max(...list.map(([, value]) => Math.abs(value)), 1e-300);
  return element("div", { class: "bars" }, list.flatMap(([name, value]) => [
    element("span", { class: "name" }, name),
    element("span", { class: "track", "aria-hidden": "true" }, element("span", {
      class: value < 0 ? "minus" : "plus", style: { width: `${(100 * Math.abs(value) / largest).toFixed(1)}%` } })),
    element("span", { class: "number" }, text_of(value))]));
}

function features(run) {
  return (run.features ?? []).map((group) => panel(group.title, bars(group.list)));
}

function mistakes(run) {
  if (!run.mistakes || run.mistakes.length === 0) return [];
  const classes = run.evaluation?.kind !== "numbers";
  return [wide("Worst errors", element("p", { class: "soft" }, classes
    ? "Misclassified rows with the largest scores. Some of their labels may be wrong." : "Rows with the largest errors."),
    table([{ title: "row" }, { title: "true", text: true }, { title: "predicted", text: true },
           { title: classes ? "score" : "error" }, { title: "main contributions", text: true }],
      run.mistakes.map((each) => [text_of(each.row), each.truth, each.called, text_of(each.score),
        element("td", { class: "text" }, each.because.flatMap(([name, value], k) => [k > 0 ? ", " : "",
          element("span", { class: value < 0 ? "minus-text" : "plus-text" }, `${name} ${text_of(value, 2)}`)]))]),
      { caption: "Worst errors" }))];
}

// ---- pictures ----

function picture(run) {
  const seen = run.picture;
  if (!seen) return [];
  const extra = (px, py) => {
    if (!seen.grid) return [];
    const { columns, rows, cells } = seen.grid;
    const [left, right, bottom, top] = seen.range;
    const parts = [];
    const step_x = (right - left) / columns;
    const step_y = (top - bottom) / rows;
    for (let r = 0; r < rows; ++r) {
      let c = 0;
      while (c < columns) {  // cells of one class side by side are one rectangle
        const kind = cells[r].charCodeAt(c);
        const from = c;
        while (c < columns && cells[r].charCodeAt(c) === kind) ++c;
        const [x0, x1] = [px(left + from * step_x), px(left + c * step_x)];
        const [y0, y1] = [py(bottom + (r + 1) * step_y), py(bottom + r * step_y)];
        parts.push(shape("rect", { x: x0.toFixed(1), y: y0.toFixed(1), width: (x1 - x0 + 0.3).toFixed(1), height: (y1 - y0 + 0.3).toFixed(1),
                                   style: { fill: colour(kind - 97) }, "fill-opacity": 0.18 }));
      }
    }
    return parts;
  };
  const series = seen.names.map((name, k) => ({ name, kind: "points", radius: 2.6, opacity: 0.75, colour: colour(k),
    points: seen.points.filter((point) => point[2] === k).map((point) => [point[0], point[1]]) }));
  const vectors = seen.points.filter((point) => point[3] === 1);
  const rings = (px, py) => vectors.map((point) => shape("circle", { cx: px(point[0]).toFixed(1), cy: py(point[1]).toFixed(1), r: 5, fill: "none",
    style: { stroke: "var(--ink)" }, "stroke-opacity": 0.55 }));
  return [wide(seen.title,
    ...plot({ wide: true, label: seen.title, series, x: seen.x, y: seen.y, x_range: seen.range.slice(0, 2), y_range: seen.range.slice(2),
              extra: (px, py) => [...extra(px, py), ...rings(px, py)] }),
    element("p", { class: "soft" }, seen.words))];
}

function findings(run) {
  if (!run.findings) return [];
  const list = run.findings.length === 0
    ? element("p", {}, "No problems found.")
    : element("ul", { class: "findings" }, run.findings.map((each) => element("li", {}, each.text, each.advice ? element("span", { class: "soft" }, ` ${each.advice}`) : "")));
  return [wide("Data checks", list)];
}

// ---- several runs side by side ----

function comparison(runs) {
  if (runs.length < 2) return [];
  const numbers = runs.every((run) => run.evaluation?.kind === "numbers");
  const columns = numbers ? [["MAE", (seen) => text_of(seen?.mae.value)], ["RMSE", (seen) => text_of(seen?.rmse.value)], ["R²", (seen) => text_of(seen?.r2.value)]]
    : [["accuracy", (seen) => percent_of((seen?.accuracy ?? seen?.exact)?.value)], ["macro F1", (seen) => text_of(seen?.macro_f1?.value)],
       ["ROC AUC", (seen) => text_of(seen?.roc_auc?.value)]];
  return [element("h2", { id: "comparison" }, "Comparison"),
    table([{ title: "model", text: true }, { title: "objective" }, { title: "proven within" }, ...columns.map(([title]) => ({ title }))],
      runs.map((run) => [run.name, text_of(run.certificate?.objective, 6), run.certificate ? percent_of(run.certificate.relative_gap, 3) : "–",
                         ...columns.map(([, cell]) => cell(run.evaluation))]), { caption: "Comparison of all models" }),
    element("div", { class: "panels" }, convergence(runs), curves(runs))];
}

function run_sections(run, only) {
  const group = (title, ...parts) => parts.flat().length === 0 ? []
    : [element("h2", {}, only ? title : `${run.name}: ${title.toLowerCase()}`), ...parts.flat()];
  const panels = (...parts) => parts.flat().length === 0 ? [] : [element("div", { class: "panels" }, ...parts.flat())];
  return [
    ...group("Model", overview(run), certificate(run), classifiers(run)),
    ...group("Training", panels(only ? convergence([run]) : [], tuning(run))),
    ...group("Evaluation", quality(run), panels(threshold_panel(run), only ? curves([run]) : [], calibration(run), scores(run),
             class_table(run), confusion(run), residuals(run))),
    ...group("Features and errors", panels(picture(run), features(run), mistakes(run))),
    ...group("Data", panels(findings(run))),
  ];
}

function main() {
  const data = JSON.parse(document.getElementById("data").textContent);
  data.runs.forEach((run, place) => { run.place = place; });
  const only = data.runs.length === 1;
  document.getElementById("report").append(
    element("h1", {}, data.title), element("p", { class: "soft" }, `pegasos ${data.version}`),
    ...comparison(data.runs), ...data.runs.flatMap((run) => run_sections(run, only)));
}
main();
