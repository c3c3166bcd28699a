"""Which cookies has a site set in a job, and which go back to it?"""
