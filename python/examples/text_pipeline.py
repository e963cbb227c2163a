"""Text classification: tf-idf, a linear classifier, and the features with the largest weights."""

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline

from pegasos import PegasosClassifier

SUBJECTS = {"sea": ["wave", "boat", "salt", "tide", "harbour"], "hill": ["rock", "path", "snow", "peak", "valley"]}
COMMON = ["day", "we", "went", "saw", "far", "cold", "wind", "sun", "morning", "evening"]

rng = np.random.default_rng(1)
texts, labels = [], []
for _ in range(400):
    label = rng.choice(list(SUBJECTS))
    words = list(rng.choice(COMMON, 12)) + list(rng.choice(SUBJECTS[label], 2))
    texts.append(" ".join(rng.permutation(words)))
    labels.append(label)

model = make_pipeline(TfidfVectorizer(dtype=np.float32), PegasosClassifier(random_state=1))
print("5-fold accuracy:", cross_val_score(model, texts, labels).mean())

model.fit(texts, labels)
classifier = model[-1]
print(classifier.certificate_)
names = model[0].get_feature_names_out()
order = np.argsort(classifier.coef_[0])
print("largest weights for", classifier.classes_[0], ":", list(names[order[:5]]))
print("largest weights for", classifier.classes_[1], ":", list(names[order[-5:]]))
assert classifier.gap_ <= 1e-3
