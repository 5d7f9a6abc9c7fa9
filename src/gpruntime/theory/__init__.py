"""What a proof needs, computed on exact chains: bounds with a certificate."""
