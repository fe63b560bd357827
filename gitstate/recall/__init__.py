"""What an agent gets back after its context was compacted."""
