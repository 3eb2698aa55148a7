"""What make runs that is longer than a line."""
