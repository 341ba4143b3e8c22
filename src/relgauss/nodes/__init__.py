"""What a participant in a federation does with its own records, in one process or on a network."""
