"""A pytest plugin that puts the drop-ins where scikit-learn's own tests look for its estimators.

usage: python3 -m pytest -p sklearn_with_drop_ins --pyargs sklearn.svm.tests.test_svm
"""

import sklearn.linear_model
import sklearn.svm

from pegasos import sklearn as drop_in

for name in ("LinearSVC", "LinearSVR", "SVC", "SVR"):
    setattr(sklearn.svm, name, getattr(drop_in, name))
sklearn.linear_model.SGDClassifier = drop_in.SGDClassifier
