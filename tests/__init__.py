"""Tests of the Python front end, one folder for each package, and of the repository as a whole."""
