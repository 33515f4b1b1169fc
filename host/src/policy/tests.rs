//! What policy files of both syntaxes mean, and how their mistakes are shown.
