"""Private gradient descent.

``objectives`` are the losses, ``clipped_gradients`` and ``quadratic`` their gradients with bounds;
``descend`` has the state, the step and the average.
"""
