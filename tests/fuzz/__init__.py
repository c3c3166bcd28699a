"""Does the compiled pass say what the tree says, whatever the page? `make fuzz` asks without end."""
