"""results -> page: the leaderboard as one HTML file; its scripts lie in leaderboard/."""
