"""Online learning with partial_fit: rows arrive in batches and are not kept."""

import numpy as np
from sklearn.datasets import make_classification

from pegasos import PegasosClassifier

X, y = make_classification(20000, 30, n_informative=15, random_state=0)
X = X.astype(np.float32)
X_test, y_test = X[15000:], y[15000:]

model = PegasosClassifier(lambda_reg=0.1)
for begin in range(0, 15000, 1000):
    rows = slice(begin, begin + 1000)
    model.partial_fit(X[rows], y[rows], classes=[0, 1])
    if begin % 5000 == 0:
        print(f"after {begin + 1000} rows: {model.score(X_test, y_test):.3f}")

whole = PegasosClassifier(lambda_reg=0.1, random_state=0).fit(X[:15000], y[:15000])
print(f"all rows at once, to a proven gap: {whole.score(X_test, y_test):.3f}")
assert model.score(X_test, y_test) > whole.score(X_test, y_test) - 0.05
