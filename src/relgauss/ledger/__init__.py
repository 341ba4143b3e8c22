"""What was spent, durably, across runs and processes."""
