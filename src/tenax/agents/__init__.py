"""The same for language models: tools of the Model Context Protocol, without logic of their own."""
