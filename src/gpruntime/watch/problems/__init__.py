"""What our problems tell the page beyond the usual (`gpruntime.watch.annotations`), found by their ids."""
