"""The page: what the bytes of one answer say. Pure; nothing here waits, asks or remembers."""
