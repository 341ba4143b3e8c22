"""Where noise comes from: the operating system (secure) or a seeded generator (simulated)."""
