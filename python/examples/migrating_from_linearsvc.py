"""From sklearn.svm.LinearSVC: change the import, then drop what is no longer needed."""

from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC as TheirLinearSVC

from pegasos import PegasosClassifier
from pegasos.sklearn import LinearSVC

X, y = load_breast_cancer(return_X_y=True)
X = StandardScaler().fit_transform(X)

theirs = TheirLinearSVC(dual=False, random_state=0).fit(X, y)
ours = LinearSVC(dual=False, random_state=0).fit(X, y)  # the same parameters
print("rows on which they differ:", (theirs.predict(X) != ours.predict(X)).sum())
print("what is proven:", ours.certificate_)

# The package's own estimator: one more thing to say, how near the optimum is near enough.
own = PegasosClassifier("squared_hinge", tol=1e-6, random_state=0).fit(X, y)
print("what is proven:", own.certificate_)
assert (theirs.predict(X) != ours.predict(X)).mean() < 0.01
