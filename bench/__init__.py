"""How fast and how small is it, next to the fastest honest loop and to other crawlers?"""
