"""The name that `annotations` had: files of users import from here."""

from gpruntime.watch.annotations import *  # noqa: F403
