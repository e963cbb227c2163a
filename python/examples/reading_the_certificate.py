"""Read a model's certificate, verify it, and write a report."""

from sklearn.datasets import load_wine

from pegasos import PegasosClassifier

X, y = load_wine(return_X_y=True)
model = PegasosClassifier(scaling="standard", tol=1e-4, random_state=0).fit(X, y)

# No weights have an objective below the lower bound; this model is within the gap of it.
print(model.certificate_)
for one in model.certificate_.classifiers:
    print(f"  class {one.name}: objective {one.objective:.6f}, lower bound {one.dual:.6f}, gap {one.gap:.1e}")

# During training, the objective and the bound converge.
last = {name: values[-1] for name, values in model.history_.items()}
print("last event:", last)

# Verification uses only the data and the weights, so a false claim would be detected.
print("verified:", model.verify(X, y).finding)
model.report("wine.html", X, y)
model.save("wine.model")  # the command line reads it: pegasos inspect wine.model
assert model.verify(X, y)
