"""What does a page ask to be told? Forms."""
