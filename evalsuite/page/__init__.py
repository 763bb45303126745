"""results.json and records -> the leaderboard page; its scripts are in leaderboard/."""
