"""What is proven about a model, proving it anew, and the report."""

from sklearn.datasets import load_wine

from pegasos import PegasosClassifier

X, y = load_wine(return_X_y=True)
model = PegasosClassifier(scaling="standard", tol=1e-4, random_state=0).fit(X, y)

# No weights can have an objective below the lower bound; ours is within the gap of it.
print(model.certificate_)
for one in model.certificate_.classifiers:
    print(f"  class {one.name}: objective {one.objective:.6f}, lower bound {one.dual:.6f}, gap {one.gap:.1e}")

# The course of training: objective and bound close in on each other.
last = {name: values[-1] for name, values in model.history_.items()}
print("the last event:", last)

# From the data and the weights alone; a model that claims too much would be found out.
print("verified:", model.verify(X, y).finding)
model.report("wine.html", X, y)
model.save("wine.model")  # the command line reads it: pegasos inspect wine.model
assert model.verify(X, y)
