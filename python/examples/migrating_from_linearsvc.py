"""Migrate from sklearn.svm.LinearSVC: change the import."""

from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC as TheirLinearSVC

from pegasos import PegasosClassifier
from pegasos.sklearn import LinearSVC

X, y = load_breast_cancer(return_X_y=True)
X = StandardScaler().fit_transform(X)

theirs = TheirLinearSVC(dual=False, random_state=0).fit(X, y)
ours = LinearSVC(dual=False, random_state=0).fit(X, y)  # the same parameters
print("rows with different predictions:", (theirs.predict(X) != ours.predict(X)).sum())
print("certificate:", ours.certificate_)

# The package's own estimator: tol sets how close to the optimum the model must be.
own = PegasosClassifier("squared_hinge", tol=1e-6, random_state=0).fit(X, y)
print("certificate:", own.certificate_)
assert (theirs.predict(X) != ours.predict(X)).mean() < 0.01
