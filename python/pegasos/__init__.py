"""Support vector machines with a certificate: scikit-learn estimators built on the Pegasos library.

>>> from sklearn.datasets import load_iris
>>> from pegasos import PegasosClassifier
>>> X, y = load_iris(return_X_y=True)
>>> model = PegasosClassifier(kernel='rbf', random_state=1).fit(X, y)
>>> model.score(X, y) > 0.95
True
"""

import numpy

from . import _core, _versions

_versions.check(numpy.__version__, _core.pybind11_version)

from ._core import CorruptFile, InvalidOption, ParseError, PegasosError, __version__
from .certificate import Certificate, Verification
from .estimators import PegasosClassifier, PegasosRegressor
from .svmlight import dump_svmlight_file, load_svmlight_file
from .transformers import Nystroem, RandomFourierFeatures, TensorSketch
from .tuning import TunedPoint, TuneResult, tune

__all__ = [
    "Certificate",
    "CorruptFile",
    "InvalidOption",
    "Nystroem",
    "ParseError",
    "PegasosClassifier",
    "PegasosError",
    "PegasosRegressor",
    "RandomFourierFeatures",
    "TensorSketch",
    "TuneResult",
    "TunedPoint",
    "Verification",
    "__version__",
    "dump_svmlight_file",
    "load_svmlight_file",
    "tune",
]
