"""Support vector regression with the epsilon-insensitive loss, the Huber loss and a kernel."""

import numpy as np
from sklearn.datasets import load_diabetes
from sklearn.model_selection import cross_val_score

from pegasos import PegasosRegressor

X, y = load_diabetes(return_X_y=True)
y = (y - y.mean()) / y.std()
for name, model in {
    "epsilon-insensitive": PegasosRegressor(scaling="standard", random_state=0),
    "Huber": PegasosRegressor("huber", scaling="standard", random_state=0),
    "Gaussian kernel": PegasosRegressor(kernel="rbf", gamma=0.02, scaling="standard", bias="unregularised", random_state=0),
}.items():
    print(f"{name}: 5-fold R^2 {np.mean(cross_val_score(model, X, y)):.3f}")
