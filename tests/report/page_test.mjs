// The report in a real browser: Debian's Chromium without a window, driven by playwright-core; axe-core
// looks for what would keep people out.
//
// usage: node page_test.mjs PROGRAM MODULES CASE
//   PROGRAM   the built pegasos
//   MODULES   the folder with playwright-core and axe-core
//   CASE      one of the functions in `cases` below
// Screenshots go to the folder $PEGASOS_SCREENSHOTS, if it is set.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";

const [program, modules, wanted] = process.argv.slice(2);
const load = createRequire(path.join(modules, "node_modules", "any.js"));
const { chromium } = load("playwright-core");
const axe = fs.readFileSync(load.resolve("axe-core/axe.min.js"), "utf8");
const folder = fs.mkdtempSync(path.join(os.tmpdir(), "pegasos-report-"));

function pegasos(...parameters) {
  return execFileSync(program, parameters, { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}
const json = (...parameters) => JSON.parse(pegasos(...parameters, "--json", "--quiet"));

let browser;
// Opens a page from disk and holds it to what every page must keep: no complaint, no request.
async function open(file, { width = 1200, scheme = "light" } = {}) {
  const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme: scheme });
  const complaints = [];
  page.on("console", (message) => { if (message.type() !== "log") complaints.push(message.text()); });
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("request", (request) => { if (!request.url().startsWith("file:")) complaints.push(`asks for ${request.url()}`); });
  page.complaints = complaints;
  await page.goto(`file://${path.join(folder, file)}`);
  assert.deepEqual(complaints, []);
  assert.ok(fs.statSync(path.join(folder, file)).size < 500_000, "the page is larger than 500 KB");
  return page;
}

async function picture(page, name) {
  const to = process.env.PEGASOS_SCREENSHOTS;
  if (to) await page.screenshot({ path: path.join(to, `${name}.png`), fullPage: true });
}

async function no_serious_barrier(page) {
  await page.evaluate(axe);
  const found = await page.evaluate(() => window.axe.run());
  const serious = found.violations.filter((each) => ["serious", "critical"].includes(each.impact));
  assert.deepEqual(serious.map((each) => `${each.id}: ${each.nodes.map((node) => node.html).slice(0, 3).join(" ")}`), []);
}

const fits = (page) => page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth);

// Two classes in a plane, with probabilities and rows for testing.
function two_classes() {
  pegasos("generate", "--kind", "moons", "--rows", "400", "--seed", "1", "-o", "moons.svm");
  pegasos("generate", "--kind", "moons", "--rows", "300", "--seed", "2", "-o", "moons.t");
  pegasos("train", "moons.svm", "moons.model", "--kernel", "rbf", "-c", "10", "--test", "moons.t", "--report", "moons.html", "--quiet");
}

const cases = {
  // The numbers under the slider are those that evaluate counts at that threshold.
  async two_classes_and_the_slider() {
    two_classes();
    const page = await open("moons.html");
    await picture(page, "two-classes");
    const slider = page.locator("input[type=range]");
    const cell = async (key) => Number((await page.locator(`[data-cell=${key}]`).textContent()).replaceAll(",", ""));
    const table = await page.evaluate(() => JSON.parse(document.getElementById("data").textContent).runs[0].thresholds.table);
    const shown = async () => ({ tp: await cell("tp"), fp: await cell("fp"), fn: await cell("fn"), tn: await cell("tn") });
    const counted = (threshold) => {
      const seen = json("evaluate", "moons.t", "moons.model", "--threshold", String(threshold), "--bootstrap", "0");
      const { true_positive: tp, false_positive: fp, false_negative: fn, true_negative: tn } = seen.confusion;
      return { tp, fp, fn, tn };
    };
    assert.deepEqual(await shown(), counted(0));
    for (const place of [0, Math.floor(table.length / 3), table.length - 1]) {
      await slider.fill(String(place));
      assert.deepEqual(await shown(), counted(table[place][0]));
    }
    await slider.focus();
    const before = await shown();
    for (let k = 0; k < 40; ++k) await page.keyboard.press("ArrowLeft");
    assert.notDeepEqual(await shown(), before);
    assert.ok((await page.locator("[data-part=certificate]").textContent()).includes("optimum"));
    assert.ok((await page.locator("pre").first().textContent()).includes("pegasos train"));
    await page.close();
  },

  // Plots hold the data of the run, and tell values to mouse and keyboard.
  async plots_hold_the_data() {
    two_classes();
    const page = await open("moons.html");
    const run = await page.evaluate(() => JSON.parse(document.getElementById("data").textContent).runs[0]);
    assert.ok(run.trace.length > 1);
    assert.ok(run.trace.every((moment) => moment.dual <= moment.objective * (1 + 1e-12)));
    const plot = page.locator("svg.plot").first();
    const curve = await plot.locator("path.curve").first().getAttribute("d");
    assert.equal(curve.match(/[ML]/g).length, run.trace.filter((moment) => moment.seconds > 0).length);
    const said = page.locator("svg.plot + .readout").first();
    await plot.focus();
    await page.keyboard.press("End");
    assert.match(await said.textContent(), /seconds .*objective/);
    await page.keyboard.press("ArrowLeft");
    const at_left = await said.textContent();
    await plot.hover({ position: { x: 300, y: 100 } });
    assert.notEqual(await said.textContent(), "");
    assert.match(at_left, /dual bound/);
    assert.equal(run.picture.grid.cells.length, run.picture.grid.rows);
    assert.ok(run.picture.points.length > 200);
    assert.ok(await page.locator("svg.plot rect").count() > 50, "no decision regions");
    const regions = new Set(run.picture.grid.cells.join(""));
    assert.equal(regions.size, 2);
    await page.close();
  },

  async dark_narrow_and_on_paper() {
    two_classes();
    const background = (page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const light = await open("moons.html");
    const dark = await open("moons.html", { scheme: "dark" });
    assert.notEqual(await background(light), await background(dark));
    await picture(dark, "dark");
    const narrow = await open("moons.html", { width: 380 });
    assert.ok(await fits(narrow), "a narrow window has to be scrolled sideways");
    await picture(narrow, "narrow");
    await dark.emulateMedia({ media: "print" });
    assert.equal(await background(dark), "rgb(255, 255, 255)");
    assert.equal(await dark.locator("input[type=range]").isVisible(), false);
    const paper = await light.pdf({ format: "A4" });
    assert.ok(paper.length > 20_000);
    if (process.env.PEGASOS_SCREENSHOTS) fs.writeFileSync(path.join(process.env.PEGASOS_SCREENSHOTS, "paper.pdf"), paper);
  },

  async open_to_everybody() {
    two_classes();
    for (const scheme of ["light", "dark"]) {
      const page = await open("moons.html", { scheme });
      await no_serious_barrier(page);
      await page.close();
    }
  },

  // Many classes, numbers, a path of lambdas, and several models side by side.
  async every_kind_of_run() {
    pegasos("generate", "--kind", "blobs", "--classes", "4", "--features", "5", "--rows", "400", "-o", "blobs.svm");
    pegasos("train", "blobs.svm", "blobs.model", "--report", "many.html", "--quiet");
    const many = await open("many.html");
    assert.ok((await many.textContent("main")).includes("The model was trained on these rows"));
    assert.equal(await many.locator("table.heat tbody tr").count(), 4);
    await no_serious_barrier(many);
    await picture(many, "many-classes");

    pegasos("generate", "--kind", "linear", "--rows", "500", "-o", "numbers.svm");
    pegasos("train", "numbers.svm", "numbers.model", "--task", "regression", "--report", "numbers.html", "--quiet");
    const numbers = await open("numbers.html");
    assert.ok((await numbers.textContent("main")).includes("Predicted against true"));
    assert.ok(await numbers.locator("svg.plot circle").count() > 200);
    await picture(numbers, "numbers");
    // Long numbers on an axis leave room for its title.
    fs.writeFileSync(path.join(folder, "prices.csv"), "size,price\n" +
      Array.from({ length: 80 }, (_, k) => `${k % 40},${100000 + 9000 * (k % 40) + (k * 7919) % 30000}\n`).join(""));
    pegasos("train", "prices.csv", "prices.model", "--label", "price", "--task", "regression", "--report", "prices.html", "--quiet");
    const prices = await open("prices.html");
    const gaps = await prices.locator("svg.plot").evaluateAll((plots) => plots.map((plot) => {
      const title = plot.querySelector("text[transform]").getBoundingClientRect();
      const numbers = [...plot.querySelectorAll('text[text-anchor="end"]')].map((text) => text.getBoundingClientRect().left);
      return Math.min(...numbers) - title.right;
    }));
    assert.ok(gaps.length > 2 && gaps.every((gap) => gap > 0), gaps.join(" "));

    two_classes();
    pegasos("tune", "moons.svm", "--report", "tune.html", "--quiet");
    const tune = await open("tune.html");
    assert.ok((await tune.textContent("main")).includes("Regularisation path"));
    await no_serious_barrier(tune);
    await picture(tune, "tune");

    pegasos("train", "moons.svm", "line.model", "--quiet");
    pegasos("report", "moons.t", "moons.model", "line.model", "--output", "both.html", "--quiet");
    const both = await open("both.html", { width: 700 });
    assert.ok((await both.textContent("main")).includes("Comparison"));
    assert.ok(await fits(both));
    await no_serious_barrier(both);
    await picture(both, "both");
  },

  // Names are data, not markup.
  async names_are_harmless() {
    fs.writeFileSync(path.join(folder, "names.csv"), "label,<script>alert(1)</script>,</script><b>&amp;\n" +
      Array.from({ length: 60 }, (_, k) => `${k % 2 ? "<i>yes</i>" : "no"},${k % 7},${(k * k) % 5 + (k % 2) * 3}\n`).join(""));
    pegasos("train", "names.csv", "names.model", "--label", "label", "--report", "names.html", "--quiet");
    const page = await open("names.html");
    assert.equal(await page.locator("main script, main b, main i:not(.legend i)").count(), 0);
    assert.ok((await page.textContent("main")).includes("<i>yes</i>"));
  },
};

browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
try {
  await cases[wanted]();
} finally {
  await browser.close();
  fs.rmSync(folder, { recursive: true });
}
