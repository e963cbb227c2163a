"""The package as a whole: examples in docstrings, types, the examples folder, and the wheel."""

import doctest
import importlib
import os
import pathlib
import re
import subprocess
import sys
import venv

import pytest

import pegasos

ROOT = pathlib.Path(__file__).resolve().parent.parent


@pytest.mark.parametrize(
    "module", ["pegasos", "pegasos.estimators", "pegasos.sklearn", "pegasos.svmlight", "pegasos.transformers", "pegasos.tuning"]
)
def test_examples_in_docstrings(module):
    ran = doctest.testmod(importlib.import_module(module))
    assert ran.attempted > 0 and ran.failed == 0


def test_examples_in_the_guide():
    guide = ROOT.parent / "docs" / "python.md"
    ran = doctest.testfile(str(guide), module_relative=False, encoding="utf-8")
    assert ran.attempted > 10 and ran.failed == 0


@pytest.mark.parametrize("example", sorted(path.name for path in (ROOT / "examples").glob("*.py")))
def test_example_runs(example, tmp_path):
    subprocess.run([sys.executable, str(ROOT / "examples" / example)], cwd=tmp_path, check=True, timeout=120)


def test_types():
    pytest.importorskip("mypy")
    ran = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--python-version", "3.11", "--config-file", str(ROOT / "pyproject.toml"), "--cache-dir", os.devnull, str(ROOT / "pegasos")],
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stdout


def test_wheel_installs_and_works_elsewhere(tmp_path):
    """Packed offline around the binding under test, and installed into a new environment."""
    pytest.importorskip("wheel")
    # Not built again: other tests run in the build folder at the same time.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    environment["PEGASOS_BINDING"] = pegasos._core.__file__
    # pip writes beside the sources, so it gets links to them in a folder of its own.
    source = tmp_path / "project" / "python"
    source.mkdir(parents=True)
    for file in ("pyproject.toml", "setup.py", "README.md", "pegasos"):
        (source / file).symlink_to(ROOT / file)
    (tmp_path / "project" / "include").symlink_to(ROOT.parent / "include")
    venv.create(tmp_path / "env", with_pip=False, system_site_packages=True)
    python = str(tmp_path / "env" / "bin" / "python")
    build = [sys.executable, "-m", "pip", "--isolated", "wheel", "-q", "--no-build-isolation", "--no-deps", "--no-index", "-w", str(tmp_path), str(source)]
    ran = subprocess.run(build, env=environment, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    (wheel,) = tmp_path.glob("*.whl")
    install = [sys.executable, "-m", "pip", "--isolated", "--python", python, "install", "-q", "--no-deps", "--no-index", str(wheel)]
    ran = subprocess.run(install, env=environment, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    code = (
        "import pegasos, sklearn.datasets as d; m = pegasos.PegasosClassifier(kernel='rbf').fit(*d.load_iris(return_X_y=True));"
        "print(pegasos.__file__, m.certificate_)"
    )
    ran = subprocess.run([python, "-c", code], env=environment, cwd=tmp_path, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.startswith(str(tmp_path / "env")) and "within" in ran.stdout
    (binding,) = (tmp_path / "env").rglob("_core*.so")
    # The names of sources that assert() writes: those of system headers may be whole paths, ours may not.
    sources = re.findall(rb"(?<=\0)/[^\0\n]+?\.(?:cpp|h)(?=\0)", binding.read_bytes())
    assert [name for name in sources if not name.startswith(b"/usr/")] == []


@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="for Linux")
def test_values_that_are_mapped_many_times():
    """The short version of a campaign with more than 2^31 values."""
    campaign = ROOT.parent / "tests" / "campaigns" / "many_values_python"
    build = pathlib.Path(pegasos._core.__file__).parents[2]
    for wide in ([], ["--wide"]):
        ran = subprocess.run([sys.executable, str(campaign), str(build), "3000000", *wide], capture_output=True, text=True)
        assert ran.returncode == 0, ran.stderr


def test_plots():
    pytest.importorskip("matplotlib")
    import sklearn.datasets

    from pegasos.plotting import plot_decision_regions, plot_history

    X, y = sklearn.datasets.load_iris(return_X_y=True)
    model = pegasos.PegasosClassifier(kernel="rbf", random_state=0).fit(X[:, :2], y)
    assert len(plot_history(model).lines) == 6
    assert plot_decision_regions(model, X[:, :2], y).collections
    with pytest.raises(ValueError, match="2 features"):
        plot_decision_regions(model, X, y)
