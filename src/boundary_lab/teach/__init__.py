"""What the notebooks need beside the core: values, verdicts and pictures to look at.

Nothing of the core imports this package; it needs the extra `lab`.
"""

from boundary_lab.rejected import outcome
from boundary_lab.teach.figures import Lane, Picture
from boundary_lab.teach.predict import Prediction
from boundary_lab.teach.show import outcome_of, show

__all__ = ["Lane", "Picture", "Prediction", "outcome", "outcome_of", "show"]
