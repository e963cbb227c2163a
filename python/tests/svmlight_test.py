"""svmlight files against scikit-learn's reader and writer."""

import gzip
import io

import numpy as np
import pytest
from scipy import sparse
from sklearn import datasets

import pegasos
from pegasos import dump_svmlight_file, load_svmlight_file

TEXT = b"# a comment\n1 2:2.5 10:-5.2 15:1.5 # and another\n-1.5 5:1 12:-3\n\n3 20:27\n"


def same(ours, theirs):
    np.testing.assert_allclose(ours[0].toarray(), theirs[0].toarray(), rtol=1e-6)
    np.testing.assert_array_equal(ours[1], theirs[1])
    assert ours[0].shape == theirs[0].shape


@pytest.mark.parametrize("parameters", [{}, {"n_features": 30}, {"zero_based": True}, {"zero_based": False}, {"dtype": np.float64}])
def test_reads_what_scikit_learn_reads(parameters, tmp_path):
    expected = datasets.load_svmlight_file(io.BytesIO(TEXT), **parameters)
    same(load_svmlight_file(io.BytesIO(TEXT), **parameters), expected)
    (tmp_path / "rows.svm").write_bytes(TEXT)
    (tmp_path / "rows.gz").write_bytes(gzip.compress(TEXT))
    for path in (tmp_path / "rows.svm", str(tmp_path / "rows.svm"), tmp_path / "rows.gz"):
        same(load_svmlight_file(path, **parameters), expected)
    with open(tmp_path / "rows.svm", "rb") as file:
        same(load_svmlight_file(file, **parameters), expected)


def test_parts_of_a_file_are_the_file(tmp_path):
    path = tmp_path / "rows.svm"
    X, y = datasets.make_classification(200, 5, random_state=0)
    datasets.dump_svmlight_file(X, y, str(path))
    size = path.stat().st_size
    for cut in (1, 77, size // 2, size - 1):
        first = load_svmlight_file(path, n_features=5, offset=0, length=cut)
        second = load_svmlight_file(path, n_features=5, offset=cut)
        theirs = datasets.load_svmlight_file(str(path), n_features=5, offset=cut)
        assert len(second[1]) == len(theirs[1])
        np.testing.assert_allclose(sparse.vstack([first[0], second[0]]).toarray(), X, rtol=1e-6)


def test_scattered_indices_have_their_columns():
    text = b"1 1:1 1000000000:2\n-1 7:3\n"
    X, y = load_svmlight_file(io.BytesIO(text))
    assert X.shape == (2, 10**9)
    assert X[0, 10**9 - 1] == 2 and X[1, 6] == 3


def test_several_labels():
    text = b"1,3 1:1\n2 2:1\n"
    X, y = load_svmlight_file(io.BytesIO(text), multilabel=True)
    assert y == datasets.load_svmlight_file(io.BytesIO(text), multilabel=True)[1]
    with pytest.raises(ValueError, match="multilabel"):
        load_svmlight_file(io.BytesIO(text))
    assert load_svmlight_file(io.BytesIO(TEXT), multilabel=True)[1] == [(1.0,), (-1.5,), (3.0,)]


@pytest.mark.parametrize("zero_based", [True, False])
def test_writes_what_reads_back_the_same(zero_based, tmp_path):
    X = sparse.random(50, 20, 0.2, "csr", np.float32, random_state=1)
    y = np.random.default_rng(0).normal(size=50)
    dump_svmlight_file(X, y, tmp_path / "rows", zero_based=zero_based)
    back = datasets.load_svmlight_file(str(tmp_path / "rows"), dtype=np.float32, n_features=20, zero_based=zero_based)
    np.testing.assert_array_equal(back[0].toarray(), X.toarray())
    np.testing.assert_array_equal(back[1], y)
    file = io.BytesIO()
    dump_svmlight_file(X, y, file, zero_based=zero_based, comment="two\nlines")
    assert file.getvalue() == b"# two\n# lines\n" + (tmp_path / "rows").read_bytes()


def test_what_is_wrong_is_named(tmp_path):
    with pytest.raises(pegasos.ParseError, match="line 1|:1:"):
        load_svmlight_file(io.BytesIO(b"1 1:abc\n"))
    with pytest.raises(FileNotFoundError):
        load_svmlight_file(tmp_path / "nothing")
    with pytest.raises(ValueError, match="query_id"):
        load_svmlight_file(io.BytesIO(TEXT), query_id=True)
    with pytest.raises(ValueError, match="n_features was set to 3"):
        load_svmlight_file(io.BytesIO(TEXT), n_features=3)
    with pytest.raises(ValueError, match="should be the same"):
        dump_svmlight_file([[1.0]], [1, 2], io.BytesIO())
