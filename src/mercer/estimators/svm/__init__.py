"""Support vector machines: one dual problem, its proof, and what scikit-learn's users expect around them."""
