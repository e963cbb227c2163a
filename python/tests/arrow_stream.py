"""Arrow's C stream interface by hand: what pyarrow and polars export, where neither is installed."""

import ctypes

import numpy as np

_RELEASE = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class Schema(ctypes.Structure):
    pass


Schema._fields_ = [
    ("format", ctypes.c_char_p),
    ("name", ctypes.c_char_p),
    ("metadata", ctypes.c_char_p),
    ("flags", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("children", ctypes.POINTER(ctypes.POINTER(Schema))),
    ("dictionary", ctypes.POINTER(Schema)),
    ("release", _RELEASE),
    ("private_data", ctypes.c_void_p),
]


class Array(ctypes.Structure):
    pass


Array._fields_ = [
    ("length", ctypes.c_int64),
    ("null_count", ctypes.c_int64),
    ("offset", ctypes.c_int64),
    ("n_buffers", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("buffers", ctypes.POINTER(ctypes.c_void_p)),
    ("children", ctypes.POINTER(ctypes.POINTER(Array))),
    ("dictionary", ctypes.POINTER(Array)),
    ("release", _RELEASE),
    ("private_data", ctypes.c_void_p),
]

_GET = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
_ERROR = ctypes.CFUNCTYPE(ctypes.c_char_p, ctypes.c_void_p)


class Stream(ctypes.Structure):
    _fields_ = [("get_schema", _GET), ("get_next", _GET), ("get_last_error", _ERROR), ("release", _RELEASE), ("private_data", ctypes.c_void_p)]


_FORMATS = {"int8": b"c", "uint16": b"S", "int32": b"i", "int64": b"l", "float16": b"e", "float32": b"f", "float64": b"g"}


def _bits(values):
    return np.packbits(np.asarray(values, dtype=bool), bitorder="little")


class Table:
    """Columns are NumPy arrays, lists of numbers and None, or (codes, categories) with codes and None."""

    def __init__(self, columns, chunks=1, format=b"+s"):
        self._columns = columns
        self._chunks = chunks
        self._format = format
        self._kept = []
        self.released = 0

    def _keep(self, value):
        self._kept.append(value)
        return value

    def _release(self, kind):
        def release(address):
            self.released += 1
            kind.from_address(address).release = _RELEASE()

        return self._keep(_RELEASE(release))

    def _child(self, kind, **fields):
        return self._keep(kind(release=self._release(kind), **fields))

    def _pointers(self, kind, children):
        return self._keep((ctypes.POINTER(kind) * len(children))(*(ctypes.pointer(child) for child in children)))

    def _array(self, length, buffers, **fields):
        addresses = [None if one is None else self._keep(np.ascontiguousarray(one)).ctypes.data for one in buffers]
        return self._child(Array, length=length, n_buffers=len(buffers), buffers=self._keep((ctypes.c_void_p * len(buffers))(*addresses)), **fields)

    def _texts(self, texts):
        encoded = [text.encode() for text in texts]
        ends = np.cumsum([0, *(len(text) for text in encoded)]).astype(np.int32)
        return self._array(len(texts), [None, ends, np.frombuffer(b"".join(encoded) + b"\0", dtype=np.uint8)])

    def _schema_of(self, name, column):
        if isinstance(column, tuple):
            texts = self._child(Schema, format=b"u", name=b"")
            return self._child(Schema, format=b"i", name=name.encode(), dictionary=ctypes.pointer(texts))
        if isinstance(column, list):
            return self._child(Schema, format=b"u" if isinstance(column[0], str) else b"g", name=name.encode())
        return self._child(Schema, format=b"b" if column.dtype == bool else _FORMATS[column.dtype.name], name=name.encode())

    def _array_of(self, column, rows):
        """A chunk has the whole column before it, and an offset."""
        length, offset = rows.stop - rows.start, rows.start
        if isinstance(column, np.ndarray):
            return self._array(length, [None, _bits(column) if column.dtype == bool else column], offset=offset)
        codes, categories = column if isinstance(column, tuple) else (column, None)
        known = [one is not None for one in codes]
        if categories is None:
            return self._array(length, [_bits(known), np.array([one or 0.0 for one in codes])], offset=offset, null_count=-1)
        if offset > 0:  # another order of the categories in later chunks
            categories, codes = categories[::-1], [one if one is None else len(categories) - 1 - one for one in codes]
        numbers = np.array([one or 0 for one in codes], dtype=np.int32)
        texts = self._texts(categories)
        return self._array(length, [_bits(known), numbers], offset=offset, null_count=-1, dictionary=ctypes.pointer(texts))

    def __arrow_c_stream__(self, requested_schema=None):
        first = next(iter(self._columns.values()))
        rows = len(first[0] if isinstance(first, tuple) else first)
        cuts = np.linspace(0, rows, self._chunks + 1).astype(int)
        parts = [slice(int(a), int(b)) for a, b in zip(cuts, cuts[1:])]

        def get_schema(_, out):
            children = [self._schema_of(name, column) for name, column in self._columns.items()]
            whole = Schema(format=self._format, name=b"", n_children=len(children), children=self._pointers(Schema, children), release=self._release(Schema))
            ctypes.memmove(out, ctypes.byref(whole), ctypes.sizeof(Schema))
            self._keep(whole)
            return 0

        def get_next(_, out):
            if not parts:
                ctypes.memset(out, 0, ctypes.sizeof(Array))
                return 0
            part = parts.pop(0)
            children = [self._array_of(column, part) for column in self._columns.values()]
            whole = Array(
                length=part.stop - part.start,
                n_buffers=1,
                buffers=self._keep((ctypes.c_void_p * 1)(None)),
                n_children=len(children),
                children=self._pointers(Array, children),
                release=self._release(Array),
            )
            ctypes.memmove(out, ctypes.byref(whole), ctypes.sizeof(Array))
            self._keep(whole)
            return 0

        stream = self._keep(
            Stream(get_schema=self._keep(_GET(get_schema)), get_next=self._keep(_GET(get_next)), get_last_error=self._keep(_ERROR(lambda _: b"no reason")), release=self._release(Stream))
        )
        new = ctypes.pythonapi.PyCapsule_New
        new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        return new(ctypes.addressof(stream), self._keep(ctypes.c_char_p(b"arrow_array_stream")), None)
