"""Rules of the house that hold for every file."""
