"""The exercises, a module for each lesson: `handoff`, `review`, `digest`, `path`, `notes`, `nets`, `sdk`."""
