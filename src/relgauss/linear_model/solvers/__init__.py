"""The ways from whitened rows to a solution; ``SOLVERS`` are those of a regression by mechanism."""

from relgauss.linear_model.solvers.base import Solver
from relgauss.linear_model.solvers.clipped import ClippedSolver
from relgauss.linear_model.solvers.isometric import IsometricSolver
from relgauss.linear_model.solvers.public_iterate import PublicIterateSolver
from relgauss.linear_model.solvers.relative import RelativeSolver

SOLVERS: dict[str, type[Solver]] = {
    "clipped": ClippedSolver,
    "public-iterate": PublicIterateSolver,
    "isometric": IsometricSolver,
    "relative": RelativeSolver,
}

__all__ = ["SOLVERS", "ClippedSolver", "Solver"]
