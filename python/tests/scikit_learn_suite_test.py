"""scikit-learn's own tests of its support vector machines, run on the drop-ins.

scikit_learn_suite.txt lists those of scikit-learn 1.2 that pass, scikit_learn_suite_reasons.txt says why the others cannot.
"""

import os
import pathlib
import re
import subprocess
import sys
import xml.etree.ElementTree as tree

import pytest
import sklearn

HERE = pathlib.Path(__file__).resolve().parent
LIST = HERE / "scikit_learn_suite.txt"
REASONS = HERE / "scikit_learn_suite_reasons.txt"
MODULES = ("sklearn.svm.tests.test_svm", "sklearn.linear_model.tests.test_sgd")


def run(module, folder):
    """Names of the tests that passed and that did not."""
    results = folder / (module + ".xml")
    environment = dict(os.environ, PYTHONPATH=f"{os.environ['PYTHONPATH']}:{HERE}")
    subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "sklearn_with_drop_ins", "-W", "ignore",
         "-c", os.devnull, "--rootdir", str(folder), f"--junitxml={results}", "--pyargs", module, "-k", "not Regressor and not OneClass and not NuSV"],
        cwd=folder, env=environment, capture_output=True, timeout=200,
    )
    passed, others = set(), set()
    for case in tree.parse(results).getroot().iter("testcase"):
        name = f"{module}::{case.get('name')}"
        (others if len(case) else passed).add(name)
    return passed, others


def reasons():
    lines = [line for line in REASONS.read_text().splitlines() if not line.startswith("#")]
    return dict(line.split(": ", 1) for line in lines)


def function(name):
    return re.sub(r"\[.*", "", name.split("::")[1])


@pytest.mark.skipif(not sklearn.__version__.startswith("1.2."), reason="the list is of scikit-learn 1.2")
@pytest.mark.parametrize("module", MODULES)
def test_those_that_passed_still_do_and_the_others_have_a_reason(module, tmp_path):
    wanted = {line for line in LIST.read_text().splitlines() if line.startswith(module + "::")}
    passed, others = run(module, tmp_path)
    assert wanted and not wanted - passed
    assert not {function(name) for name in others} - set(reasons())


if __name__ == "__main__":  # writes the list anew, and prints those that do not pass, with the reason
    import tempfile

    lines = []
    for module in MODULES:
        passed, others = run(module, pathlib.Path(tempfile.mkdtemp()))
        lines += sorted(passed)
        print(*(f"{name}: {reasons().get(function(name))}" for name in sorted(others)), sep="\n")
        print(f"{module}: {len(passed)} of {len(passed) + len(others)} pass", file=sys.stderr)
    LIST.write_text("".join(line + "\n" for line in lines))
