"""Pictures of machines: every function takes `ax` and returns it, and matplotlib is loaded by the first call.

    from mercer import plots
    ax = plots.decision_regions(SVC().fit(X, y), X, y)
    ax.legend()

decision.py       classifiers in the plane
regression.py     the curve with its tube, and the residuals
process.py        the band of a Gaussian process
reliability.py    whether probabilities come true; ROC
gram.py           a Gram and its eigenvalues
path.py           coefficients along a path, objectives by iteration
losses.py         curves of losses
embedding.py      items as points on two axes
clusters.py       items around their medoids, and silhouettes
density.py        a density: a curve with its band, or contours that hold shares of the probability
witness.py        where one sample is denser than the other
smooth.py         a smooth through a scatterplot, with its band
search.py         the score of a search over one parameter or two
style.py          colours, and the figures that are drawn on

Labels are set, and the caller draws the legend.  Nothing is shown or saved, and no setting of matplotlib changes.
"""

from mercer.plots.clusters import medoids, silhouette_curve, silhouettes
from mercer.plots.decision import decision_regions
from mercer.plots.density import density
from mercer.plots.embedding import component_contours, embedding
from mercer.plots.gram import gram_heatmap, spectrum
from mercer.plots.losses import losses
from mercer.plots.path import svm_path, trace
from mercer.plots.process import process_band
from mercer.plots.regression import regression_tube, residuals
from mercer.plots.reliability import coverage, reliability, roc
from mercer.plots.search import search_curve, search_surface
from mercer.plots.smooth import smooth
from mercer.plots.style import INK, MUTED, PALETTE, figure, style, svg
from mercer.plots.witness import witness

__all__ = [
    "INK",
    "MUTED",
    "PALETTE",
    "component_contours",
    "coverage",
    "decision_regions",
    "density",
    "embedding",
    "figure",
    "gram_heatmap",
    "losses",
    "medoids",
    "process_band",
    "regression_tube",
    "reliability",
    "residuals",
    "roc",
    "search_curve",
    "search_surface",
    "silhouette_curve",
    "silhouettes",
    "smooth",
    "spectrum",
    "style",
    "svg",
    "svm_path",
    "trace",
    "witness",
]
