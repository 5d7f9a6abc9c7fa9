"""What our problems tell the page beyond the usual (`gpruntime.watch.standing`), found by their ids."""
