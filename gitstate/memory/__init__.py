"""What is kept, and how strongly."""
