"""Tables of Arrow's C stream interface, made by hand everywhere and by pyarrow where it is installed."""

import numpy as np
import pytest
from arrow_stream import Table

from pegasos import PegasosClassifier, PegasosRegressor, RandomFourierFeatures
from pegasos._frames import as_array


@pytest.fixture
def columns():
    rng = np.random.default_rng(0)
    colour = rng.integers(0, 3, 300)
    length = rng.normal(size=300)
    return {
        "length": length,
        "colour": (colour.tolist(), ["red", "green", "blue"]),
        "count": rng.integers(-5, 5, 300).astype(np.int8),
        "old": rng.integers(0, 2, 300).astype(bool),
    }, np.where((colour == 0) ^ (length > 1.5), "yes", "no")


def one_hot(columns):
    colours = np.eye(3)[np.array(columns["colour"][0])]
    return np.column_stack([columns["length"], colours, columns["count"], columns["old"]]).astype(np.float32)


@pytest.mark.parametrize("chunks", [1, 3, 7])
def test_a_table_is_its_numbers_and_categories(columns, chunks):
    columns, y = columns
    table = Table(columns, chunks)
    model = PegasosClassifier(random_state=0, tol=1e-6).fit(table, y)
    assert table.released == 1 + chunks  # the schema and every chunk, once
    assert list(model.feature_names_in_) == list(columns) and model.n_features_in_ == 4
    plain = PegasosClassifier(random_state=0, tol=1e-6).fit(one_hot(columns), y)
    np.testing.assert_array_equal(model.coef_, plain.coef_)
    np.testing.assert_array_equal(model.predict(Table(columns, 2)), plain.predict(one_hot(columns)))
    assert model.verify(Table(columns), y) and model.score(Table(columns), y) > 0.9


@pytest.mark.parametrize("dtype", [np.int8, np.uint16, np.int32, np.int64, np.float16, np.float32, np.float64, bool])
def test_types_of_numbers(dtype):
    values = (np.arange(-20, 20) * (1 if np.dtype(dtype).kind in "if" else 0) + 3).astype(dtype)
    if np.dtype(dtype).kind == "f":
        values = values / dtype(7)
    table = as_array(Table({"a": values, "b": values[::-1]}, 3))
    np.testing.assert_array_equal(table.numbers, np.column_stack([values, values[::-1]]).astype(np.float32))
    assert table.numbers.dtype == np.float32 and table.numbers.flags.c_contiguous
    halves = np.array([0, 1, 0x8001, 0x3C00, 0x7BFF, 0x0400], dtype=np.uint16).view(np.float16)
    np.testing.assert_array_equal(as_array(Table({"a": halves})).numbers[:, 0], halves.astype(np.float32))


def test_missing_values_get_the_usual_error(columns):
    columns, y = columns
    for name, bad in (("length", [None, *columns["length"][1:].tolist()]), ("colour", ([*columns["colour"][0][:-1], None], columns["colour"][1]))):
        with pytest.raises(ValueError, match="NaN"):
            PegasosClassifier().fit(Table({**columns, name: bad}, 2), y)


def test_categories_of_later_tables(columns):
    columns, y = columns
    model = PegasosClassifier(random_state=0).fit(Table(columns), y)
    codes, names = columns["colour"]
    other = {**columns, "colour": ([3 - code for code in codes], ["pink", *names[::-1]])}
    np.testing.assert_array_equal(model.decision_function(Table(other)), model.decision_function(Table(columns)))
    unknown = model.decision_function(Table({**columns, "colour": ([0] * 300, ["pink"])}))
    zeros = one_hot(columns)
    zeros[:, 1:4] = 0
    np.testing.assert_allclose(unknown, zeros @ model.coef_[0] + model.intercept_[0], rtol=1e-6, atol=1e-6)


def test_frames_of_pandas_and_tables_are_the_same(columns):
    pandas = pytest.importorskip("pandas")
    columns, y = columns
    codes, names = columns["colour"]
    frame = pandas.DataFrame({**columns, "colour": pandas.Categorical.from_codes(codes, names)})
    one, other = (PegasosClassifier(random_state=0).fit(X, y) for X in (frame, Table(columns)))
    np.testing.assert_array_equal(one.coef_, other.coef_)
    np.testing.assert_array_equal(one.predict(Table(columns)), other.predict(frame))


def test_what_cannot_be_used_is_named(columns):
    columns, y = columns
    with pytest.raises(ValueError, match="'word' of Arrow type 'u'"):
        PegasosClassifier().fit(Table({**columns, "word": ["a"] * 300}), y)
    with pytest.raises(ValueError, match="not a table"):
        PegasosClassifier().fit(Table(columns, format=b"g"), y)
    numbers = {name: columns[name] for name in ("length", "count")}
    model = PegasosRegressor().fit(Table(numbers), columns["length"])
    with pytest.raises(ValueError, match="should match"):
        model.predict(Table({"count": numbers["count"], "length": numbers["length"]}))
    with pytest.raises(ValueError, match="had none when"):
        model.predict(Table({"length": numbers["length"], "count": columns["colour"]}))
    model = PegasosRegressor().fit(np.zeros((3, 3)), [0, 1, 2])
    with pytest.raises(ValueError, match="X has 2 features, but PegasosRegressor is expecting 3"):
        model.predict(Table(numbers))


def test_transformers_take_tables(columns):
    columns, _ = columns
    numbers = {name: columns[name] for name in ("length", "count")}
    plain = np.column_stack(list(numbers.values())).astype(np.float32)
    ours, theirs = (RandomFourierFeatures(random_state=0, gamma=1.0).fit(X) for X in (Table(numbers), plain))
    np.testing.assert_array_equal(ours.transform(Table(numbers)), theirs.transform(plain))


def test_tables_of_pyarrow(columns):
    arrow = pytest.importorskip("pyarrow")
    columns, y = columns
    codes, names = columns["colour"]
    words = arrow.array([names[code] for code in codes])
    expected = PegasosClassifier(random_state=0).fit(Table(columns), y)
    for kind in (arrow.string(), arrow.large_string(), arrow.string_view()):
        colour = arrow.DictionaryArray.from_arrays(arrow.array(codes, arrow.uint8()), arrow.array(names, kind))
        table = arrow.table({name: colour if name == "colour" else values for name, values in columns.items()})
        for X in (table, table.to_batches()[0], arrow.concat_tables([table[:99], table[99:]])):
            model = PegasosClassifier(random_state=0).fit(X, y)
            np.testing.assert_array_equal(model.decision_function(X), expected.decision_function(Table(columns)))
            assert list(model.feature_names_in_) == list(columns)
    with pytest.raises(ValueError, match="'colour' of Arrow type"):
        PegasosClassifier().fit(arrow.table({"colour": words}), y)
    numbers = arrow.table({"a": arrow.array([1.5, None, 3.0]), "b": [1, 2, 3]})
    with pytest.raises(ValueError, match="NaN"):
        PegasosRegressor().fit(numbers, [1.0, 2.0, 3.0])
    assert PegasosRegressor().fit(numbers[2:], arrow.array([3.0])).n_features_in_ == 2
