"""What the charts draw, and what they leave out."""
