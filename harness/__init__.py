"""The instrument: runs question-answering systems over golden sets and scores what they did."""
