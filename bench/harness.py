"""What bench/compare and bench/paper share: running programs, unpacking data, and the problems to be solved.

P(w) = lambda/2 |w|^2 + mean loss; LIBSVM and LIBLINEAR minimise the same with C = 1/(lambda rows).
"""
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
MEASURE = ROOT / "build/bench/bench/pegasos_measure"
PROGRAM = ROOT / "build/bench/pegasos"
GAMMA = None  # of Gaussian kernels, in the place of the sets' own

# The lambdas at which the linear sets are compared everywhere.
LAMBDAS = {"rcv1_ccat": 1e-4, "a9a": 3.07e-5, "w8a": 2.01e-5, "ijcnn1": 2e-5,
           "covtype_20k.scale01": 1e-5, "kdd99": 1e-5}
# Gaussian kernel machines: gamma, lambda, what values are divided by, and the positive label. Digit 8 of usps is
# labelled 9, and its gamma is searched for: the paper's is for another scaling.
KERNEL_SETS = {"reuters_moneyfx": (1, 1.29e-4, 1, "1"),
               "a9a": (0.05, 3.07e-5, 1, "1"),
               "ijcnn1": (2, 2.0004e-5, 1, "1"),
               "usps": (None, 1.36e-4, 1, "9"),
               "mnist": (0.02, 1.67e-5, 255, "8")}


def run(*command, **options):
    return subprocess.run([str(part) for part in command], check=True, text=True,
                          stdout=subprocess.PIPE, **options).stdout


def run_for_seconds(*command):
    """What a command says, and the processor seconds it took: on an idle machine those of the clock for a program of
    one thread, and on a busy one still nearly the same."""
    child = subprocess.Popen([str(part) for part in command], text=True, stdout=subprocess.PIPE)
    said = child.stdout.read()
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        raise subprocess.CalledProcessError(child.returncode, command)
    return said, usage.ru_utime + usage.ru_stime


def measure(*arguments):
    return json.loads(run(MEASURE, *arguments))


def prepare():
    run(ROOT / "scripts/setup", "build", "bench")
    run("cmake", "--preset", "bench", cwd=ROOT)
    run("cmake", "--build", "--preset", "bench", cwd=ROOT)


def unpack(data, name, folder):
    target = folder / name
    if not target.exists():
        with open(target, "wb") as out:
            subprocess.run(["xz", "-dc", str(data / f"{name}.xz")], check=True, stdout=out)
    return target


def row_count(path):
    with open(path, "rb") as lines:
        return sum(1 for _ in lines)


def table(title, header, rows):
    print(f"\n### {title}\n")
    print("| " + " | ".join(header) + " |")
    print("|" + "---|" * len(header))
    for row in rows:
        print("| " + " | ".join(row) + " |")
    sys.stdout.flush()


def rewritten(data, name, target, divisor, new_label, limit=None):
    """The set with other labels and its values divided once, for everybody."""
    if target.exists():
        return target
    with open(unpack(data, name, target.parent)) as lines, open(target, "w") as out:
        for count, line in enumerate(lines):
            if limit is not None and count == limit:
                break
            label, *pairs = line.split()
            if divisor != 1:
                pairs = [f"{index}:{float(value) / divisor:.6g}"
                         for index, value in (pair.split(":") for pair in pairs)]
            out.write(" ".join([new_label(label), *pairs]) + "\n")
    return target


def two_classes(data, name, folder, divisor, positive, limit=None):
    return rewritten(data, name, folder / f"{name}.two", divisor,
                     lambda label: "1" if float(label) == float(positive) else "-1", limit)


def all_classes(data, name, folder, divisor, limit=None):
    return rewritten(data, name, folder / f"{name}.all", divisor, lambda label: label, limit)


def best_gamma(path, strength, folder):
    """The one of a few that errs least on the last fifth of the rows."""
    lines = path.read_text().splitlines(keepends=True)
    cut = len(lines) * 4 // 5
    (folder / "search.train").write_text("".join(lines[:cut]))
    (folder / "search.test").write_text("".join(lines[cut:]))
    errors = {}
    for gamma in (0.003, 0.005, 0.01, 0.02, 0.04, 0.08):
        seen = train_kernel(folder / "search.train", folder / "search.model", gamma, strength,
                            "--test", folder / "search.test")
        errors[gamma] = seen["test_error"]
    return min(errors, key=errors.get)


def kernel_sets(data, folder, names, limit=None):
    """Name, training rows, test rows, gamma and lambda of each kernel machine."""
    for name in names:
        gamma, strength, divisor, positive = KERNEL_SETS[name]
        path = two_classes(data, name, folder, divisor, positive, limit)
        test = two_classes(data, f"{name}.t", folder, divisor, positive)
        yield name, path, test, GAMMA or gamma or best_gamma(path, strength, folder), strength


def train_kernel(path, model, gamma, strength, *more):
    """What the program says about the machine it trained; `processor_seconds` are those of the whole command."""
    said, seconds = run_for_seconds(PROGRAM, "train", path, model, "--kernel", "rbf", "--gamma", gamma, "--lambda",
                                    strength, "--positive", 1, "--threads", 1, "--json", "--quiet", *more)
    return {**json.loads(said), "processor_seconds": seconds}


def libsvm_train(path, model, gamma, strength):
    """Processor seconds, the dual objective in our units, and the support vectors. LIBSVM always has a free bias."""
    cost = 1 / (strength * row_count(path))
    said, seconds = run_for_seconds("svm-train", "-t", 2, "-m", 4000, "-g", gamma, "-c", cost, path, model)
    objective = -strength * float(re.search(r"obj = (\S+),", said)[1])
    vectors = int(re.search(r"total_sv (\d+)", model.read_text())[1])
    return seconds, objective, vectors


def libsvm_error(path, model, folder):
    said = run("svm-predict", path, model, folder / "libsvm.out")
    return 1 - float(re.search(r"Accuracy = ([\d.]+)%", said)[1]) / 100


def our_error(path, model):
    return 1 - json.loads(run(PROGRAM, "evaluate", path, model, "--json", "--quiet"))["accuracy"]


def traced(trace):
    """The lines of a --trace file, as numbers by name; empty cells are left out."""
    header, *lines = trace.read_text().splitlines()
    names = header.split(",")
    for line in lines:
        yield {name: float(cell) for name, cell in zip(names, line.split(",")) if cell}
