"""Tests of the front, room by room, and of the house as a whole."""
