"""AgentDojo replayed through Bouncer by a script instead of a model: see README.md beside this folder."""
