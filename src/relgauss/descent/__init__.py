"""Private gradient descent: steps are pure, state is explicit."""
