"""How is a session begun at a host whose pages are for members, and kept?"""
