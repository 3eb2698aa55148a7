"""Files, names, text, limits and engines that lie: nothing of the user's changes, nothing stays, nothing hangs."""
