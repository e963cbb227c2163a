"""The paper's experiments on batches, sampling, lambda and projection, as figures.

Every point is one `pegasos train DATA --bias none --lambda L --solver pegasos --tol 0 --seed S …`, with `--steps` or a line
of its `--trace`. Time is counted in rows seen, so the figures come out the same on a slow machine. P* is the lower
bound of the default solver at --tol 1e-7. Lines are medians over SEEDS, bands reach from the least to the greatest.
"""
import json
import statistics

import harness
from harness import run, traced
from plot import Axis, Panel, Series, figure

# The sets that stand for the paper's CCAT, cov1 and Adult, and their lambdas.
SETS = {"rcv1_ccat": 1e-4, "covtype_20k.scale01": 1e-6, "a9a": 3.07e-5}
SEEDS = (1, 2, 3, 4, 5)
LEAST_GAP = 1e-6  # what is nearer to P* than this is drawn here: P* itself is known no better
LAMBDAS = tuple(10 ** (-exponent / 2) for exponent in range(2, 13))
ACCURACY = 0.1  # of the figure on lambda: P − P* to reach
FIXED_ROWS = 100_000  # of the same: rows after which P − P* is taken


class Experiment:
    """Pure Pegasos on one set, at one lambda."""

    def __init__(self, data, name, folder, strength):
        self.name, self.strength = name, strength
        self._source = (data, name, folder)
        text = harness.unpack(data, name, folder)
        self.rows = harness.row_count(text)
        self.path = folder / f"{name}.pgd"  # opens at once
        if not self.path.exists():
            run(harness.PROGRAM, "convert", text, self.path, "--to", "binary", "--quiet")
        self.model, self.trace = folder / "figure.model", folder / "figure.csv"
        self.optimum = self._train("--tol", "1e-7")["dual"]

    def at(self, strength):
        return Experiment(*self._source, strength)

    def _train(self, *options):
        return json.loads(run(harness.PROGRAM, "train", self.path, self.model, "--bias", "none", "--lambda",
                              self.strength, "--threads", 1, "--quiet", "--json", *options))

    def _above(self, objective):
        return max(LEAST_GAP, objective - self.optimum)

    def after(self, rows, seed, *options, batch=1):
        """P − P* after that many rows, in steps of a batch."""
        steps = max(1, round(rows / batch))
        epochs = steps * batch // self.rows + 1
        seen = self._train("--solver", "pegasos", "--tol", 0, "--seed", seed, "--batch", batch, "--steps", steps,
                           "--max-epochs", epochs, *options)
        return self._above(seen["objective"])

    def epochs(self, count, seed, *options):
        """Pairs of rows seen and P − P*, after each epoch."""
        self._train("--solver", "pegasos", "--tol", 0, "--seed", seed, "--max-epochs", count, "--trace", self.trace,
                    *options)
        return [(line["rows_seen"], self._above(line["objective"])) for line in traced(self.trace)]


def median_series(label, runs):
    """Runs are lists of (x, y) with the same x."""
    points, band = [], []
    for column in zip(*runs):
        values = [value for _, value in column]
        points.append((column[0][0], statistics.median(values)))
        band.append((column[0][0], min(values), max(values)))
    return Series(label, points, band)


def powers_up_to(limit, factor=2):
    value = 1
    while value < limit:
        yield round(value)
        value *= factor
    yield limit


def batch(experiments):
    """P − P* against the batch k, after a fixed number of rows and after a fixed number of steps."""
    fixed_rows, fixed_steps, steps = [], [], 100
    for experiment in experiments:
        label, sizes = experiment.name, list(powers_up_to(experiment.rows, 4))
        rows = 10 * experiment.rows
        fixed_rows.append(median_series(label, [
            [(k, experiment.after(rows, seed, "--sampling", "iid", batch=k)) for k in sizes] for seed in SEEDS]))
        fixed_steps.append(median_series(label, [
            [(k, experiment.after(steps * k, seed, "--sampling", "iid", batch=k)) for k in sizes] for seed in SEEDS]))
    x = Axis("batch k, rows a step", log=True)
    return figure("Batches: the same rows, and the same steps",
                  "Left: the objective above its optimum after ten times as many rows as the data has, against the "
                  f"batch size, from one row to all. Right: after {steps} steps. Rows are drawn with replacement.",
                  [Panel("after 10 m rows, in T = 10 m/k steps", x, Axis("P − P*", log=True), fixed_rows),
                   Panel(f"after T = {steps} steps, of k rows each", x, Axis("P − P*", log=True), fixed_steps)])


def sampling(experiments):
    """P − P* against epochs, for each way of drawing rows."""
    ways = (("iid", "i.i.d. (the paper)"), ("fixed", "one fixed permutation"), ("shuffle", "shuffled every epoch"))
    panels = []
    for experiment in experiments:
        series = []
        for way, label in ways:
            runs = [experiment.epochs(64, seed, "--sampling", way) for seed in SEEDS]
            runs = [[(rows / experiment.rows, gap) for rows, gap in seen if is_kept(rows / experiment.rows)]
                    for seen in runs]
            series.append(median_series(label, runs))
        wide = experiment.rows // 8
        for way, label in (("iid", "i.i.d., batches of m/8"), ("without-replacement", "without replacement, batches of m/8")):
            runs = [[(epoch, experiment.after(epoch * experiment.rows, seed, "--sampling", way, batch=wide))
                     for epoch in (1, 2, 4, 8, 16, 32, 64)] for seed in SEEDS[:3]]
            series.append(median_series(label, runs))
        panels.append(Panel(experiment.name, Axis("epochs, m rows each", log=True), Axis("P − P*", log=True), series))
    return figure("Sampling: permutations against drawing with replacement",
                  "The objective above its optimum against epochs, for three data sets: rows drawn independently, in one "
                  "fixed permutation, in a fresh permutation each epoch, and in batches of an eighth of all rows with and "
                  "without replacement inside the batch.", panels)


def is_kept(epoch):
    """Epochs 1, 2, 3, 4, 6, 8, 12, 16, 24, …: enough of them to draw."""
    return epoch in {1, 3} or any(epoch in (2 ** power, 3 * 2 ** (power - 1)) for power in range(1, 12))


def lambda_(experiments):
    """Rows to reach an accuracy, and what is reached after fixed rows, against 1/lambda."""
    reached, left = [], []
    for experiment in experiments:
        rows_needed, gaps = [], []
        for strength in LAMBDAS:
            at = experiment.at(strength)
            needed = [rows_to(at, ACCURACY, seed) for seed in SEEDS[:3]]
            rows_needed.append((1 / strength, needed))
            gaps.append((1 / strength, [at.after(FIXED_ROWS, seed, "--sampling", "iid") for seed in SEEDS[:3]]))
        reached.append(spread(experiment.name, [(x, seen) for x, seen in rows_needed if None not in seen]))
        left.append(spread(experiment.name, gaps))
    x = Axis("1/lambda", log=True)
    ends = (1 / LAMBDAS[0], 1 / LAMBDAS[-1])
    guide = Series("proportional to 1/lambda", [(end, end * 10) for end in ends], guide=True)
    guide_left = Series("proportional to 1/lambda", [(end, end / FIXED_ROWS) for end in ends], guide=True)
    return figure("Lambda: the work grows like 1/lambda",
                  f"Left: rows seen until the objective is within {ACCURACY:g} of its optimum, against 1/lambda. Right: the "
                  f"objective above its optimum after {FIXED_ROWS:,} rows. Both beside a line of slope one.",
                  [Panel(f"rows until P − P* ≤ {ACCURACY:g}", x, Axis("rows seen", log=True), [*reached, guide]),
                   Panel(f"after {FIXED_ROWS:,} rows", x, Axis("P − P*", log=True), [*left, guide_left])])


def spread(label, points):
    """From (x, values of all seeds)."""
    return Series(label, [(x, statistics.median(values)) for x, values in points],
                  [(x, min(values), max(values)) for x, values in points])


def rows_to(experiment, accuracy, seed, most=2**22):
    """About the least number of rows after which P − P* is within the accuracy: found by doubling and then by halving
    the (logarithmic) interval three times, to a tenth. None if it is more than the most."""
    def met(rows):
        return experiment.after(round(rows), seed, "--sampling", "iid") <= accuracy
    rows = 4
    while not met(rows):
        rows *= 2
        if rows > most:
            return None
    low, high = rows / 2, rows
    for _ in range(3):
        middle = (low * high) ** 0.5
        low, high = (low, middle) if met(middle) else (middle, high)
    return round(high)


def projection(experiments):
    """P − P* against rows, with the projection and without."""
    panels = []
    for experiment in experiments:
        counts = list(powers_up_to(64 * experiment.rows, 4))[1:]
        series = [median_series(label, [[(rows, experiment.after(rows, seed, "--sampling", "iid", *options))
                                         for rows in counts] for seed in SEEDS[:3]])
                  for label, options in (("without projection", ()), ("with projection", ("--project",)))]
        panels.append(Panel(f"{experiment.name}, lambda {experiment.strength:g}", Axis("rows seen", log=True),
                            Axis("P − P*", log=True), series))
    return figure("Projection: a help at the start, no difference later",
                  "The objective above its optimum against rows seen, for three data sets, with the step back onto the ball "
                  "that holds the optimum and without it.", panels)


FIGURES = {"batch": batch, "sampling": sampling, "lambda": lambda_, "projection": projection}


def make(what, data, folder, names, out):
    experiments = [Experiment(data, name, folder, SETS[name]) for name in names]
    out.mkdir(parents=True, exist_ok=True)
    target = out / f"paper-{what}.svg"
    target.write_text(FIGURES[what](experiments))
    print(f"{target}: made")
