"""The journey: plan the requests, ask the models, score the replies, write the page."""
