"""The figures of docs/theory.md, from what the program says: traces, models, scores of rows that `generate` made.

Names follow the paper: w weights, x a row, y its label, t the step, m the rows, lambda the strength of the regulariser,
P the objective, D the dual bound, P* the optimum, a_i the dual variable of row i, E the epochs. Nothing depends on
the clock, so each figure comes out the same again.
"""
import csv
import json
import math

from harness import run, traced
from plot import Axis, Dots, Panel, Series, figure

TEXT_LAMBDA = 1e-3
STEPS = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768)


class Workshop:
    """Runs the program in a folder, where it also keeps the data."""

    def __init__(self, program, folder):
        self.program, self.folder = program, folder
        self.made = {}

    def data(self, name, *options):
        """A generated file, made once."""
        path = self.folder / name
        if name not in self.made:
            run(self.program, "generate", *options, "-o", path, "--quiet")
            self.made[name] = path
        return path

    def text(self):
        """2,000 short documents, one label in twenty wrong."""
        return self.data("text.svm", "--kind", "text", "--rows", 2000, "--features", 5000, "--label-noise", 0.05,
                         "--seed", 5)

    def train(self, path, strength, *options):
        """What `train --json` says."""
        return json.loads(run(self.program, "train", path, self.folder / "theory.model", "--bias", "none", "--lambda",
                              strength, "--threads", 1, "--scale", "none", "--json", "--quiet", *options))

    def pegasos(self, path, strength, *options):
        return self.train(path, strength, "--solver", "pegasos", "--tol", 0, *options)

    def trace(self, path, strength, *options):
        """The lines of `--trace`."""
        trace = self.folder / "theory.csv"
        self.pegasos(path, strength, "--trace", trace, *options)
        return list(traced(trace))

    def optimum(self, path, strength):
        return self.train(path, strength, "--tol", 1e-9)["dual"]

    def counts(self, path, strength, *options):
        """Pegasos with a kernel: for each row that ever violated its margin the count, its label and its features."""
        seen = self.pegasos(path, strength, *options)
        text = self.folder / "theory.libsvm"
        run(self.program, "convert", self.folder / "theory.model", text, "--to", "libsvm", "--quiet")
        lines = text.read_text().split("\nSV\n")[1].splitlines()
        for line in lines:
            coefficient, *pairs = line.split()
            count = round(abs(float(coefficient)) * strength * seen["training"]["steps"])
            x = {int(index): float(value) for index, value in (pair.split(":") for pair in pairs)}
            yield count, math.copysign(1, float(coefficient)), x


def points_of(path):
    """(label, features) of a generated table."""
    with open(path, newline="") as lines:
        return [(float(label), *map(float, x)) for label, *x in list(csv.reader(lines))[1:]]


def sub_gradient(shop):
    """The hinge and sub-gradients at its kink; P of seven rows in one dimension, and full steps on it."""
    path, strength = shop.data("line.csv", "--kind", "blobs", "--features", 1, "--rows", 7, "--noise", 1, "--seed",
                               6), 0.1
    rows = [(-label, x) for label, x in points_of(path)]  # with --positive -1, w is positive

    def objective(w):
        return strength / 2 * w * w + sum(max(0, 1 - y * w * x) for y, x in rows) / len(rows)
    steps = shop.trace(path, strength, "--batch", len(rows), "--positive", -1,
                       "--max-epochs", 40)
    iterates = [(line["norm"], line["objective"]) for line in steps]
    for w, value in iterates:
        assert math.isclose(objective(w), value, rel_tol=1e-6), "the objective drawn is not the program's"
    limit = 1.05 * iterates[0][0]
    kinks = [1 / (y * x) for y, x in rows if 0 < 1 / (y * x) < limit]
    hinge = Series("loss", [(-0.5, 1.5), (1, 0), (2.5, 0)], marks=False)
    tangents = [point for slope in (-0.75, -0.5, -0.25) for point in ((-0.5, -1.5 * slope), (2.5, 1.5 * slope), None)]
    curve = [limit * step / 240 for step in range(241)]
    return figure("Sub-gradients: a slope where there are several",
                  "Left: the hinge loss of one row against its margin y<w,x>, and three lines through its kink at 1 that "
                  "lie below it: each slope is a sub-gradient. Right: the objective of seven rows with one feature, its "
                  "kinks, and steps 2 to 40 of plain sub-gradient descent, which come from far out on the right.",
                  [Panel("one row", Axis("margin y⟨w, x⟩"), Axis("loss", low=-0.5),
                         [hinge, Series("lines below the loss, through its kink", tangents, guide=True)]),
                   Panel(f"seven rows, lambda {strength:g}, every step on all of them", Axis("w", low=0, high=3.2),
                         Axis("P(w)", low=0.4, high=1.1),
                         [Series("P", [(w, objective(w)) for w in curve], marks=False),
                          Dots("kinks, one a row", [(w, objective(w), 4.5) for w in kinks], hollow=True),
                          Series(f"w after 2, 3, … 40 steps (after the first it is {iterates[0][0]:.1f})", iterates, line=False)])])


def step(shop):
    """P − P* for steps that begin earlier and later, and for averages of the iterates."""
    path = shop.text()
    optimum = shop.optimum(path, TEXT_LAMBDA)

    def course(label, *options):
        return Series(label, [(t, shop.pegasos(path, TEXT_LAMBDA, "--steps", t, *options)["objective"] - optimum)
                              for t in STEPS])
    guide = Series("1/(lambda t)", [(t, 1 / (TEXT_LAMBDA * t)) for t in (STEPS[0], STEPS[-1])], guide=True)
    last = course("step 1/(lambda t), last iterate")
    x, y = Axis("steps t", log=True), Axis("P − P*", log=True)
    return figure("The step: 1/(lambda t) needs no tuning, and starts wild",
                  "The objective above its optimum against steps, on 2,000 short documents. Left: the step 1/(lambda t), "
                  "and the same begun as if 2,000 or 20,000 steps were over. Right: the last iterate, and means of the "
                  "iterates, plain and weighted by step.",
                  [Panel("begun earlier or later", x, y,
                         [last, course("1/(lambda (t + 2,000))", "--step-offset", 2000),
                          course("1/(lambda (t + 20,000))", "--step-offset", 20000), guide]),
                   Panel("what is handed out", x, y,
                         [last, course("mean of all iterates", "--average", "mean"),
                          course("mean weighted by step", "--average", "weighted"), guide])])


def unwinding(shop):
    """Rows in the plane, as large as the number of times they were added to w, after one epoch and after forty."""
    path, strength = shop.data("plane.csv", "--kind", "blobs", "--features", 2, "--rows", 80, "--noise", 1.5, "--seed",
                               4), 0.05
    rows = points_of(path)
    panels = []
    for epochs in (1, 40):
        counts = list(shop.counts(path, strength, "--kernel", "linear", "--max-epochs", epochs))
        n = strength * epochs * len(rows)
        w = [sum(count * y * x.get(j, 0) for count, y, x in counts) / n for j in (1, 2)]
        norm = shop.pegasos(path, strength, "--max-epochs", epochs)["norm"]
        assert math.isclose(math.hypot(*w), norm, rel_tol=1e-5), "the sum of rows is not the solver's w"
        panels.append(plane_panel(f"after {epochs} epoch{'s' if epochs > 1 else ''}: "
                                  f"{sum(count for count, _, _ in counts)} additions of {len(counts)} rows",
                                  rows, counts, epochs, [line_where(w, 0), None, *line_where(w, 1), None,
                                                         *line_where(w, -1)]))
    return figure("Unwinding: w is a sum of the rows that violated their margin",
                  "Eighty rows in the plane, of two classes. A filled dot is as large as the share of epochs in which the "
                  "row was added to w. Lines: where <w,x> is 0, and where it is 1 and -1. After forty epochs the rows "
                  "inside the margin have been added nearly every time, those on its edge sometimes, the others never.",
                  panels)


def line_where(w, value, reach=20):
    """Two points of the line <w,x> = value, far apart."""
    square = w[0] ** 2 + w[1] ** 2
    foot = (w[0] * value / square, w[1] * value / square)
    along = (-w[1] * reach / square ** 0.5, w[0] * reach / square ** 0.5)
    return [(foot[0] - along[0], foot[1] - along[1]), (foot[0] + along[0], foot[1] + along[1])]


def plane_panel(title, rows, counts, epochs, lines):
    """Rows of both classes, their counts, and lines."""
    def axis(number):
        values = [row[number] for row in rows]
        slack = 0.08 * (max(values) - min(values))
        return Axis(f"x{number}", low=min(values) - slack, high=max(values) + slack)
    lines = [point for part in lines for point in (part if isinstance(part, list) else [part])]
    series = []
    for label, name in ((1, "positive"), (-1, "negative")):
        series.append(Dots(f"{name} rows", [(x1, x2, 2.5) for y, x1, x2 in rows if y == label], hollow=True))
        series.append(Dots(f"{name}, by count", like=f"{name} rows", points=[
            (x.get(1, 0), x.get(2, 0), 8 * (count / epochs) ** 0.5)
            for count, y, x in counts if y == label]))
    series.append(Series("score −1, 0, 1", lines, guide=True))
    return Panel(title, axis(1), axis(2), series)


def kernel_counts(shop):
    """The same in the space of a Gaussian kernel: half moons."""
    path, strength, gamma = shop.data("moons.csv", "--kind", "moons", "--rows", 120, "--noise", 0.2, "--seed", 3), 0.01, 2
    rows = points_of(path)
    panels = []
    for epochs in (1, 40):
        counts = list(shop.counts(path, strength, "--kernel", "rbf", "--gamma", gamma, "--max-epochs", epochs))
        panels.append(plane_panel(f"after {epochs} epoch{'s' if epochs > 1 else ''}: {len(counts)} support vectors",
                                  rows, counts, epochs, contours(shop, rows)))
    return figure("Kernels by counts: the same sum, where w cannot be written down",
                  "Half moons of 120 rows and a Gaussian kernel. A filled dot is as large as the share of epochs in which "
                  "the row violated its margin: these counts are all that is kept. Lines: where the score is -1, 0 and 1.",
                  panels)


def contours(shop, rows, cells=36):
    """Where the model just trained scores -1, 0 and 1: short lines through the cells of a grid (marching squares)."""
    sides = []
    for number in (1, 2):
        values = [row[number] for row in rows]
        slack = 0.1 * (max(values) - min(values))
        low, high = min(values) - slack, max(values) + slack
        sides.append([low + (high - low) * step / cells for step in range(cells + 1)])
    grid, scores = shop.folder / "grid.csv", shop.folder / "grid.scores"
    grid.write_text("x1,x2\n" + "".join(f"{x:.6f},{y:.6f}\n" for y in sides[1] for x in sides[0]))
    run(shop.program, "predict", grid, shop.folder / "theory.model", scores, "--scores", "--quiet")
    values = [float(line) for line in scores.read_text().split()]
    pieces = []
    for level in (-1, 0, 1):
        for j in range(cells):
            for i in range(cells):
                corners = [(sides[0][i + di], sides[1][j + dj], values[(j + dj) * (cells + 1) + i + di] - level)
                           for di, dj in ((0, 0), (1, 0), (1, 1), (0, 1))]
                crossings = [crossing(corners[k - 1], corners[k]) for k in range(4)
                             if (corners[k - 1][2] > 0) != (corners[k][2] > 0)]
                for pair in range(0, len(crossings), 2):
                    pieces += [*crossings[pair:pair + 2], None]
    return pieces


def crossing(one, other):
    """The point between two corners at which a straight line through their values is zero."""
    share = one[2] / (one[2] - other[2])
    return one[0] + share * (other[0] - one[0]), one[1] + share * (other[1] - one[1])


def lemma(shop):
    """What the lemma bounds, and both bounds, against steps; and the dual bound that it contains."""
    path = shop.text()
    optimum = shop.optimum(path, TEXT_LAMBDA)
    lines = [line for line in shop.trace(path, TEXT_LAMBDA, "--max-epochs", 64)
             if math.log2(line["epoch"]).is_integer()]

    def dual(line):
        return line["mean_step_objective"] - line["lemma_tight_bound"]
    for line in lines[:2]:  # later D is that of the last epochs alone, which is better
        assert math.isclose(dual(line), line["dual"], rel_tol=1e-7), "the lemma's difference is not the dual bound"

    def course(label, value):
        return Series(label, [(line["steps"], value(line)) for line in lines])
    x = Axis("steps T", log=True)
    return figure("The lemma: what is promised, what is measured, and the bound inside it",
                  "Left, against steps, from above: the bound of the paper's lemma, the same bound with the sub-gradients "
                  "that were met, the mean excess of the objectives met on the way, which both bound, and the excess of the "
                  "last iterate. Right: the mean objective met on the way, and the same less the second bound, which is "
                  "the dual bound; the optimum lies between them.",
                  [Panel("2,000 short documents, lambda 0.001, shuffled", x, Axis("above P*", log=True),
                         [course("G²(1 + ln T)/(2 lambda T)", lambda line: line["lemma_bound"]),
                          course("Σ|grad_t|²/(2 lambda t T)", lambda line: line["lemma_tight_bound"]),
                          course("mean of f_t(w_t), on the left less P*",
                                 lambda line: line["mean_step_objective"] - optimum),
                          course("P(last w) − P*", lambda line: line["objective"] - optimum)]),
                   Panel("the same, not as an excess", x, Axis("objective", log=True),
                         [course("mean of f_t(w_t), on the left less P*", lambda line: line["mean_step_objective"]),
                          course("mean less the second bound", dual),
                          Series("P*", [(line["steps"], optimum) for line in lines], guide=True)])])


def projection(shop):
    """|w| and P, with the projection and without."""
    path = shop.text()
    best = shop.train(path, TEXT_LAMBDA, "--tol", 1e-9)
    norms, gaps = [], []
    for label, options in (("without projection", ()), ("with --project", ("--project",))):
        seen = [(t, shop.pegasos(path, TEXT_LAMBDA, "--steps", t, *options)) for t in STEPS]
        norms.append(Series(label, [(t, answer["norm"]) for t, answer in seen]))
        gaps.append(Series(label, [(t, answer["objective"] - best["dual"]) for t, answer in seen]))
    x, ends = Axis("steps t", log=True), (STEPS[0], STEPS[-1])
    radius = Series("the ball, 1/√lambda", [(t, TEXT_LAMBDA ** -0.5) for t in ends], guide=True)
    norm = Series("|w*|", [(t, best["norm"]) for t in ends], guide=True)
    return figure("The projection: never further out than the optimum can be",
                  "Left: the norm of w against steps with and without projection, the radius 1/sqrt(lambda) of the ball and the "
                  "norm of the optimum inside it. Right: the objective above its optimum for both.",
                  [Panel("how far out", x, Axis("|w|", log=True), [*norms, radius, norm]),
                   Panel("how good", x, Axis("P − P*", log=True), gaps)])


def duals(shop):
    """The shares a_i of epochs in which a row was added, in order: at most 1 for shuffled epochs, beyond for i.i.d."""
    path, m = shop.text(), 2000
    panels = []
    for sampling, title in (("shuffle", "shuffled: every a_i in [0, 1]"),
                            ("iid", "drawn with replacement: a_i beyond 1")):
        series = []
        for epochs in (1, 4, 16):
            shares = sorted((count / epochs for count, _, _ in
                             shop.counts(path, TEXT_LAMBDA, "--kernel", "linear", "--sampling", sampling,
                                         "--max-epochs", epochs)), reverse=True)
            shares += [0.0] * (m - len(shares))
            series.append(Series(f"after {epochs} epoch{'s' if epochs > 1 else ''}", staircase(shares), marks=False))
        series.append(Series("the bound of the dual problem", [(0, 1), (m, 1)], guide=True))
        panels.append(Panel(title, Axis("rows, largest a_i first"), Axis("a_i, violations an epoch", low=0, high=4.2),
                            series))
    return figure("Why shuffled epochs give a certificate",
                  "The number of violations of each row over the number of epochs, sorted, after 1, 4 and 16 epochs. Left, "
                  "shuffled: never above 1, which makes it a point of the dual problem. Right, drawn with replacement: rows "
                  "drawn several times go up to 4.", panels)


def staircase(values):
    """The corners of a falling step function; equal values become one stair."""
    corners = []
    for place, value in enumerate(values):
        if not corners or corners[-1][1] != value:
            corners += [(place, value)]
        if place + 1 == len(values) or values[place + 1] != value:
            corners += [(place + 1, value)]
    return corners


def gap(shop):
    """P from above and D from below; the gap for three lambdas."""
    path = shop.text()
    lines = shop.trace(path, TEXT_LAMBDA, "--max-epochs", 64)
    kept = [line for line in lines if math.log2(line["epoch"]).is_integer()]
    optimum = shop.optimum(path, TEXT_LAMBDA)
    gaps = []
    for strength in (1e-2, 1e-3, 1e-4):
        seen = [line for line in shop.trace(path, strength, "--max-epochs", 64) if math.log2(line["epoch"]).is_integer()]
        gaps.append(Series(f"lambda {strength:g}", [(line["epoch"], line["gap"] / line["dual"]) for line in seen
                                                    if line["dual"] > 0]))
    x = Axis("epochs E", log=True)
    return figure("The duality gap: proof from both sides",
                  "Left: the objective falls and the dual bound rises towards the optimum between them. Right: the gap "
                  "between them, as a share of the bound, for three lambdas, beside a line falling like 1/E.",
                  [Panel("lambda 0.001", x, Axis("objective"),
                         [Series("P, objective of the w at hand", [(line["epoch"], line["objective"]) for line in kept]),
                          Series("D, best bound so far", [(line["epoch"], line["dual"]) for line in kept]),
                          Series("P*", [(1, optimum), (64, optimum)], guide=True)]),
                   Panel("what is proven: (P − D)/D", x, Axis("relative gap", log=True),
                         [*gaps, Series("1/E", [(1, 1), (64, 1 / 64)], guide=True)])])


FIGURES = {"sub-gradient": sub_gradient, "step": step, "unwinding": unwinding, "kernel-counts": kernel_counts,
           "lemma": lemma, "projection": projection, "duals": duals, "gap": gap}
