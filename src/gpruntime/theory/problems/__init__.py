"""What problems bring along for proofs: a file each, named after it."""
