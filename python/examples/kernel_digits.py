"""An RBF kernel on scikit-learn's digits, exact and approximated."""

from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from pegasos import PegasosClassifier

X, y = load_digits(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X / 16, y, random_state=0)

exact = PegasosClassifier(kernel="rbf", C=10, random_state=0).fit(X_train, y_train)
print("exact:", exact.score(X_test, y_test), "with", len(exact.support_), "support vectors;", exact.certificate_)

fourier = PegasosClassifier(kernel="rbf", C=10, approximation="rff", n_components=512, random_state=0)
fourier.fit(X_train, y_train)
print("random Fourier features:", fourier.score(X_test, y_test))
assert exact.score(X_test, y_test) > 0.98
