"""Parts: what a user can put in place of a name. A part is a plain function, and what was said about it.

Where a name goes, a file goes: `mine.py:two_thirds` is the part of that name in that file, `mine.py:plus:c=3` the same
with a parameter. A file is loaded, which runs it, only where a user names it (`gpruntime.model.loading`).

A part of one's own is known by its name and the digest of its source, `two_thirds@0f3a…`: that is what stands in a
cell's address and in the table of a study. A spec that is read from a table need not have the part loaded: it has a
`name`, and says so in one line when it is asked to run.
"""

from __future__ import annotations

import difflib
import functools
import importlib.metadata
import inspect
import linecache
import re
import stat
import sys
import types
from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, ParamSpec, Self, TypeVar
from urllib.parse import quote, unquote

from gpruntime.model.errors import BadInput, BadPart, known
from gpruntime.model.loading import check_may_load
from gpruntime.model.parameters import check_own, join, settle, split
from gpruntime.model.printable import printable
from gpruntime.model.references import MISSING
from gpruntime.model.source import LOADED, Source, digest_of, source_of

_FILE = re.compile(r"(?P<file>.+\.py):(?P<name>[A-Za-z_]\w*)(?P<rest>:.*)?", re.DOTALL)
_OWN = re.compile(r"[A-Za-z_]\w*@[0-9a-f]{16}(:.*)?", re.DOTALL)
_GROUP = "gpruntime.parts"  # entry points of packages
_MAX_BYTES = 10**6
_FOREIGN = "foreign"  # names a part of another tool, of which there are runs and no source
_ALONE = "gpruntime_part_"  # begins the names of modules that are made of sources
P = ParamSpec("P")
Result = TypeVar("Result")
NOT_LOADED = "its source is not loaded: name the file it is in, as FILE.py:NAME"


class Part:
    """One of ours, known by its `id`, or a user's own, known by its name and digest.

    Attributes:
        id: what stands in a spec.
        name: for people.
        function: the function itself.
        source: for a user's own, all of its source; None for ours.
    """

    field: ClassVar[str]
    _live: ClassVar[dict[tuple[str, str], Part]] = {}  # a user's own, and ours with parameters, by field and id
    _functions: ClassVar[dict[tuple[str, str], Callable[..., Any]]] = {}  # their functions, by module and name

    def __init__(self, id_: str, name: str, function: Callable[..., Any], **said: Any) -> None:
        self.id, self.name, self.function = id_, name, function
        self.is_own = False
        self.parameters: dict[str, Any] = {}
        self.defaults: dict[str, Any] = dict(said.pop("parameters", {}))
        self._said = said
        self._decorated_with: tuple[types.FunctionType, ...] = ()

    @classmethod
    def own(cls, function: Callable[..., Any], source: str | None = None, **said: Any) -> Self:
        """A part from a user's function, or class."""
        name = getattr(function, "__name__", "")
        if not cls.can_be(function) or not name.isidentifier():
            kind = "class" if cls.can_be(Part) else "function made by def"
            raise BadPart(cls.field, name or str(function), f"must be a {kind}")
        Part._functions[function.__module__, name] = function
        part = cls(name, name, function, **said)
        part.is_own = True
        part._decorated_with = tuple(one for one in said.values() if isinstance(one, types.FunctionType))
        if source is not None:
            part.__dict__["source"] = source
        return part._settled({})

    @classmethod
    def can_be(cls, function: object) -> bool:
        """Whether a part of this kind is made from such a thing: a function, or a class."""
        return isinstance(function, types.FunctionType)

    @cached_property
    def source(self) -> str | None:
        """See the class."""
        return self._gathered.text if self.is_own else None

    @cached_property
    def _gathered(self) -> Source:
        return source_of(self.function, self.field, self._decorated_with)

    def require(self) -> None:
        """Raises `BadInput` if nothing can be run: it is known by its id only, or what it refers to has changed."""
        if (why := Part._live.get((self.field, self.id), self)._why_changed()) is not None:
            raise BadInput(self.field, self.function.__name__ if self.is_loaded else self.name, why)
        if not self.is_loaded:
            raise BadPart(self.field, self.id, NOT_LOADED)

    def _why_changed(self) -> str | None:
        """Why its source, and so its address, no longer says what runs; None if it does."""
        if not self.is_own or not self.is_loaded or (reference := self._gathered.changed()) is None:
            return None
        name, own = reference.name, self.function.__name__
        if not reference.kept and reference.meaning is MISSING:
            return f"{name} was defined after {own}, which refers to it: define it before {own}"
        try:
            now = source_of(self.function, self.field, self._decorated_with)
        except BadInput:
            now = None
        if now is None or now.text != self._gathered.text:
            which = "it" if name == own else own
            return f"{name} has changed since {which} was defined: define {which} again"
        self.__dict__["_gathered"] = now  # the same in other words, such as a function that was defined again
        return None

    def _settled(self, given: Mapping[str, Any]) -> Self:
        """The same with these parameters, entered: its id can stand for it, and equal ids are one part."""
        base = f"{self.function.__name__}@{digest_of(self.source)}" if self.source is not None else self.id
        base = base.partition(":")[0]
        twin = self.__class__.__new__(self.__class__)
        twin.__dict__.update(self.__dict__)  # with the source that the address was made of
        twin.parameters = settle(self.field, base, given, self.defaults)
        if self.is_own:
            check_own(self.field, twin.parameters)
        twin.id = join(base, twin.parameters, self.defaults)
        twin.name = join(self.name.partition(":")[0], twin.parameters, self.defaults)
        if not self.is_own and twin.id == self.id:
            return self
        twin._settle()
        live = Part._live.get((self.field, twin.id))
        if live is None or self._comes_after(live):
            live = Part._live[self.field, twin.id] = twin
        return live  # type: ignore[return-value]

    def _comes_after(self, live: Part) -> bool:
        """Whether it takes the place of a part with its id: as a user's later definition, whose globals are its own."""
        again = self.function is not live.function and not self.function.__module__.startswith(_ALONE)
        return self.is_own and (again or live._why_changed() is not None)

    def _settle(self) -> None:
        """Sets what depends on the parameters: for parts that have such a thing."""

    def __call__(self, *args: Any) -> Any:
        """The function itself, parameters left to their values."""
        return self.function(*args, *self.parameters.values())

    def __str__(self) -> str:
        return self.id

    def __repr__(self) -> str:
        return f"<{self.__class__.__name__.lower()} {self.id}>"

    def __reduce__(self) -> Any:
        return restored, (self.__class__, self.id, self.source)

    # ---- by name

    @classmethod
    def named(cls, text: object, ours: Mapping[str, Self]) -> Self:
        """The part itself, one of `ours` by its name, one in a file, one loaded before, or one of a package."""
        if isinstance(text, cls):
            if text.is_own:
                if text.is_loaded:
                    text.require()
                return cls._loaded_before(text.id)
            if ours.get(text.id.partition(":")[0]) is text or ours.get(text.id) is text:
                return text
            return cls.named(text.id, ours)
        if isinstance(text, Part):
            raise BadInput(cls.field, text.id, f"is no {cls.__name__.lower()} but for {text.field}")
        if isinstance(text, types.FunctionType | type):
            kind = "class" if isinstance(text, type) else "function"
            raise BadInput(cls.field, text.__name__, f"is a bare {kind}: put @{cls.__name__.lower()} above it")
        if not isinstance(text, str):
            known(cls.field, text, ours, "FILE.py:NAME")
        assert isinstance(text, str)
        if _OWN.fullmatch(text):
            return cls._loaded_before(text)
        if (brought := cls._from_elsewhere(text, ours, Path())) is not None:
            return brought
        name, given = split(cls.field, text)
        part = ours[known(cls.field, name, ours, "FILE.py:NAME")]
        return part._settled(given) if given else part

    @classmethod
    def in_folder(cls, value: Any, folder: Path) -> Self | None:
        """A part that was given as itself, is in a file of this folder, or in a package; None for anything else."""
        if isinstance(value, Part):
            return cls._check(value.id, value, value.name)
        if not isinstance(value, str) or _OWN.fullmatch(value):
            return None
        return cls._from_elsewhere(value, cls.registry(), folder)

    @classmethod
    def _from_elsewhere(cls, text: str, ours: Mapping[str, Self], folder: Path) -> Self | None:
        """The part in a file, or of a package; None if the text names neither.

        A name of ours comes first, whatever its parameters look like: the id of a part never names a file.
        """
        base = text.partition(":")[0]
        if base in ours:
            return None
        if found := _FILE.fullmatch(text):
            module = load_file(cls.field, str(folder / found["file"]))
            return cls._picked(text, module, found["name"], found["rest"] or "")
        if (entry := _entry_point(base)) is not None:
            check_may_load(cls.field, text)
            return cls._check(text, entry.load(), base)._settled(split(cls.field, text)[1])
        return None

    @staticmethod
    def registry() -> Mapping[str, Any]:
        """Ours, by name."""
        raise NotImplementedError

    @classmethod
    def _loaded_before(cls, text: str) -> Self:
        live = Part._live.get((cls.field, text))
        if live is not None and live._why_changed() is None:
            return live  # type: ignore[return-value]
        name, given = split(cls.field, text)
        for (field, id_), part in list(Part._live.items()):
            if field == cls.field and id_.partition(":")[0] == name and part._why_changed() is None:
                return part._settled(given)  # type: ignore[return-value]
        return cls.unloaded(text)

    @classmethod
    def unloaded(cls, text: str) -> Self:
        """A part known by its id only."""
        part = cls.__new__(cls)
        name = text.partition("@")[0]
        if name == _FOREIGN:
            said = unquote(split(cls.field, text)[1].get("name", name))
            name = printable(said).replace("$", r"\x24")  # in figures the sign begins a formula
        Part.__init__(part, text, name, _not_loaded(cls.field, text))
        part.is_own = True
        part.__dict__["source"] = None
        return part

    @property
    def is_foreign(self) -> bool:
        """Whether it is another tool's: see `foreign_id`."""
        return self.id.startswith(f"{_FOREIGN}@")

    @property
    def base(self) -> str:
        """Its id without parameters."""
        return self.id.partition(":")[0]

    @property
    def file(self) -> str | None:
        """The file it was loaded from, where a user named it as FILE.py:NAME in this process."""
        module = self.function.__module__
        return next((found["__file__"] for found in _loaded.values() if found["__name__"] == module), None)

    @property
    def is_loaded(self) -> bool:
        """Whether its function is here."""
        return not self.is_own or self.source is not None

    @classmethod
    def _picked(cls, text: str, module: Mapping[str, Any], name: str, rest: str) -> Self:
        if name not in module:
            parts = [key for key, value in module.items() if isinstance(value, cls)]
            there = ", ".join(parts) or f"none; put @{cls.__name__.lower()} above a function"
            raise BadInput(cls.field, text, f"there is no {name} in that file; of this kind it has {there}")
        part = cls._check(text, module[name], name)
        part.require()
        return part._settled(split(cls.field, name + rest)[1]) if rest else part

    @classmethod
    def _check(cls, text: str, found: Any, name: str) -> Self:
        if isinstance(found, cls):
            return found
        raise BadInput(cls.field, text, f"{name} is not made by @{cls.__name__.lower()}")


def one_line(field: str) -> Callable[[Callable[P, Result]], Callable[P, Result]]:
    """Makes a decorator end in one line, a `BadPart`, where it is given other arguments than it takes.

    Type checkers and editors see the decorator's own signature.
    """

    def checked(decorator: Callable[P, Result]) -> Callable[P, Result]:
        name, signature = f"@{decorator.__name__}", inspect.signature(decorator)
        takes = [key for key, one in signature.parameters.items() if one.kind is one.KEYWORD_ONLY]
        needs = [key for key in takes if signature.parameters[key].default is inspect.Parameter.empty]

        @functools.wraps(decorator)
        def called(*args: P.args, **kwargs: P.kwargs) -> Result:
            if takes and args:
                raise BadPart(field, name, f"write {name}({', '.join(f'{key}=…' for key in needs)})")
            for key in kwargs.keys() - set(takes):
                near = difflib.get_close_matches(key, takes, 1)
                hint = f"; did you mean {near[0]}?" if near else f": it takes {', '.join(takes)}"
                raise BadPart(field, name, f"takes no {key}{hint}")
            if missing := [f"{key}=…" for key in needs if key not in kwargs]:
                raise BadPart(field, name, f"needs {' and '.join(missing)}")
            if not takes and len(args) != 1:
                raise BadPart(field, name, f"write {name} without arguments")
            return decorator(*args, **kwargs)

        return called

    return checked


def foreign_id(name: str) -> str:
    """The id of a problem or an algorithm of another tool: there are runs of it, and it can never be run here."""
    return f"{_FOREIGN}@{digest_of(name)}:name={quote(name, safe='()*+', errors='replace')}"


def restored(kind: type[Part], id_: str, source: str | None) -> Part:
    """A part that was pickled, or kept with a study: in this process already, or from its source."""
    if "@" not in id_:
        return kind.named(id_, kind.registry())
    part = kind._loaded_before(id_)
    if part.is_loaded or source is None:
        return part
    name = id_.partition("@")[0]
    part = kind._check(id_, _module(kind.field, id_, source).get(name), name)
    part.__dict__["source"] = source
    return part._settled(split(kind.field, id_)[1])


def standing_alone(part: Part) -> Callable[..., Any]:
    """The function of a part; a user's own from its source, in a module that every process makes and names alike.

    So what was compiled in one process is found by another, whatever file or notebook it came from.
    """
    if part.source is None:
        return part.function
    module = _module(part.field, part.id, part.source)
    return Part._functions[module["__name__"], part.function.__name__]


def _module(field: str, id_: str, source: str) -> dict[str, Any]:
    name = _ALONE + id_.partition(":")[0].replace("@", "_")
    if name not in sys.modules:
        module = types.ModuleType(name)
        vars(module).update(_execute(field, id_, source, f"<{name}>", name))
        sys.modules[name] = module
    return vars(sys.modules[name])


def load_file(field: str, name: str) -> dict[str, Any]:
    """What a file of Python defines; the file is run."""
    check_may_load(field, name)
    path = Path(name)
    try:
        found = path.stat()
        if not stat.S_ISREG(found.st_mode):  # a pipe would be waited for
            raise BadInput(field, name, "cannot be read: is no ordinary file")
        if found.st_size > _MAX_BYTES:
            raise BadInput(field, name, f"has more than {_MAX_BYTES:,} bytes: hardly a file of definitions")
        text = path.read_text("utf-8")
    except BadInput:
        raise
    except (OSError, UnicodeDecodeError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "is not text"
        raise BadInput(field, name, f"cannot be read: {reason}") from None
    key = str(path.resolve()), digest_of(text)
    if key not in _loaded:
        _loaded[key] = _execute(field, name, text, str(path.resolve()), LOADED + digest_of("".join(key)))
    return _loaded[key]


_loaded: dict[tuple[str, str], dict[str, Any]] = {}


def _execute(field: str, name: str, text: str, file: str, module_name: str) -> dict[str, Any]:
    linecache.cache[file] = len(text), None, text.splitlines(keepends=True), file  # for inspect: as it was when run
    module = {"__name__": module_name, "__file__": file}
    try:
        exec(compile(text, file, "exec"), module)  # noqa: S102
    except BadInput:
        raise
    except (Exception, SystemExit) as error:
        where = _line_of(error, file)
        raise BadInput(field, name, f"cannot be loaded: {where}{type(error).__name__}: {error}") from error
    return module


def _line_of(error: BaseException, file: str) -> str:
    """The line of the file at which it went wrong."""
    if isinstance(error, SyntaxError):
        return f"line {error.lineno}: "
    lines = []
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == file:
            lines.append(trace.tb_lineno)
        trace = trace.tb_next
    return f"line {lines[-1]}: " if lines else ""


def _entry_point(name: str) -> importlib.metadata.EntryPoint | None:
    return next((entry for entry in importlib.metadata.entry_points(group=_GROUP) if entry.name == name), None)


def _not_loaded(field: str, text: str) -> Callable[..., Any]:
    def function(*_: Any) -> Any:
        raise BadPart(field, text, NOT_LOADED)

    return function
