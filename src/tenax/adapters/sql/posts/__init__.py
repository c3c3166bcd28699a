"""What have hosts set in jobs? A sealed jar for each job and host."""
