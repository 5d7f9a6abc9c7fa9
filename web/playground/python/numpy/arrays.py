"""Arrays of numbers: a list with places in it, so that a part of one is a view. Integers wrap as NumPy's do."""

import itertools
import math
import operator
import struct
import types


class generic:
    """Of all scalars."""

    def view(self, kind):
        return array([self], type(self)).view(kind)[0]

    def item(self):
        return (float if isinstance(self, float) else int)(self)

    @property
    def dtype(self):
        return dtype(type(self))


number = type("number", (generic,), {})
integer, floating = type("integer", (number,), {}), type("floating", (number,), {})
int8, int32, int64, uint8, uint64 = (type(name, (int, integer), {}) for name in "int8 int32 int64 uint8 uint64".split())
float64, bool_ = type("float64", (float, floating), {}), type("bool_", (generic,), {})


class dtype:
    """What the numbers of an array are; one object each."""

    _known = {}  # by whatever names it

    def __new__(cls, kind):
        return cls._known[kind]

    def __class_getitem__(cls, _):
        return cls

    def newbyteorder(self, _):
        return self

    def cast(self, value):
        if self.kind == "f":
            return float(value)
        if self.kind == "b":
            return bool(value)
        bits = 8 * self.itemsize
        value = int(value) & (1 << bits) - 1
        return value - (1 << bits) if self.kind == "i" and value >> (bits - 1) else value


for _type, _name, _letter, *_others in (
    (int64, "int64", "q", int, "<i8", "i8"),
    (uint64, "uint64", "Q", "<u8", "u8"),
    (int32, "int32", "i", "<i4"),
    (int8, "int8", "b"),
    (uint8, "uint8", "B"),
    (float64, "float64", "d", float, "<f8"),
    (bool_, "bool", "?", bool, "bool_"),
):
    _made = object.__new__(dtype)
    _made.type, _made.name, _made.letter, _made.kind = _type, _name, _letter, _name[0]
    _made.itemsize = struct.calcsize(_letter)
    _made.str = f"{'<' if _made.itemsize > 1 else '|'}{_made.kind}{_made.itemsize}"
    dtype._known |= dict.fromkeys((_made, _type, _name, *_others), _made)
_kind = dtype  # where a parameter has the name
_BOOL, _INT, _FLOAT = dtype(bool), dtype(int), dtype(float)

# ---- arrays


class ndarray:
    """Numbers of one kind: `base` at `places`, row by row."""

    def __init__(self, base, shape, kind, places=None):
        self.base, self.shape, self.dtype = base, shape, kind
        self.places = range(len(base)) if places is None else places

    def __class_getitem__(cls, _):
        return cls

    ndim = property(lambda self: len(self.shape))
    size = property(lambda self: len(self.places))
    nbytes = property(lambda self: self.size * self.dtype.itemsize)
    flags = property(lambda _: types.SimpleNamespace())  # whether it may be written to is nothing to know here

    def __len__(self):
        return self.shape[0]

    def __iter__(self):
        return map(self.__getitem__, range(len(self)))

    def __bool__(self):
        if self.size != 1:
            raise ValueError("The truth value of an array with more than one element is ambiguous")
        return bool(self.flat[0])

    def __repr__(self):
        return f"array({self.tolist()})"

    @property
    def flat(self):
        """Its numbers in a row."""
        return [self.base[place] for place in self.places]

    def _chosen(self, key):
        """The shape and the places of a part, and whether it is a copy."""
        keys = key if isinstance(key, tuple) else (key,)
        if isinstance(keys[0], ndarray) and keys[0].dtype is _BOOL:
            keys = (array([place for place, yes in enumerate(keys[0].flat) if yes], int), *keys[1:])
        shape, offsets, axes, copied = [], [0], iter(range(self.ndim)), False
        for one in keys + (slice(None),) * (self.ndim - len(keys) + sum(one is None for one in keys)):
            if one is None:
                shape.append(1)
                continue
            axis = next(axes)
            among, stride = range(self.shape[axis]), math.prod(self.shape[axis + 1 :])
            if isinstance(one, slice):
                among = among[one]
                shape.append(len(among))
            elif isinstance(one, ndarray | list):
                one, copied = array(one), True
                shape += one.shape
                among = [among[place] for place in one.flat]
            else:
                among = (among[one],)
            offsets = [offset + place * stride for offset in offsets for place in among]
        return tuple(shape), [self.places[offset] for offset in offsets], copied

    def __getitem__(self, key):
        if isinstance(key, int) and len(self.shape) == 1:
            return self.base[self.places[key]]
        shape, places, copied = self._chosen(key)
        if not shape:
            return self.base[places[0]]
        part = ndarray(self.base, shape, self.dtype, places)
        return part.copy() if copied else part

    def __setitem__(self, key, value):
        if isinstance(key, int) and len(self.shape) == 1:
            self.base[self.places[key]] = self.dtype.cast(value)
            return
        shape, places, _ = self._chosen(key)
        for place, item in zip(places, _spread(array(value), shape)):
            self.base[place] = self.dtype.cast(item)

    def tolist(self):
        if self.ndim < 2:
            return self.flat if self.ndim else self.flat[0]
        return [row.tolist() for row in self]

    def item(self):
        (item,) = self.flat
        return item

    def astype(self, kind):
        kind = dtype(kind)
        return ndarray([*map(kind.cast, self.flat)], self.shape, kind)

    def copy(self):
        return ndarray(self.flat, self.shape, self.dtype)

    def tobytes(self):
        return struct.pack(f"<{self.size}{self.dtype.letter}", *self.flat)

    def view(self, kind):
        kind, text = dtype(kind), self.tobytes()
        count = len(text) // kind.itemsize
        last = self.shape[-1] * self.dtype.itemsize // kind.itemsize
        return ndarray([*struct.unpack(f"<{count}{kind.letter}", text)], (*self.shape[:-1], last), kind)

    def reshape(self, *shape):
        shape = shape[0] if isinstance(shape[0], tuple) else shape
        known = math.prod(length for length in shape if length >= 0)
        full = tuple(self.size // known if length < 0 else length for length in shape)
        return ndarray(self.base, full, self.dtype, self.places)

    @property
    def T(self):
        if self.ndim < 2:
            return self
        height, width = self.shape
        places = [self.places[row * width + column] for column in range(width) for row in range(height)]
        return ndarray(self.base, (width, height), self.dtype, places)

    def _folded(self, fold, axis, kind=None):
        if axis is None:
            return fold(self.flat)
        rows = self.T if axis == 0 else self
        return array([fold(row.flat) for row in rows], kind or self.dtype)

    def sum(self, axis=None):
        return self._folded(sum, axis, _FLOAT if self.dtype is _FLOAT else _INT)

    def max(self, axis=None):
        return self._folded(max, axis)

    def min(self, axis=None):
        return self._folded(min, axis)

    def all(self, axis=None):
        return self._folded(all, axis, _BOOL)

    def any(self, axis=None):
        return self._folded(any, axis, _BOOL)

    def mean(self):
        return sum(self.flat) / self.size

    def argmax(self):
        return self.flat.index(max(self.flat))

    def argmin(self):
        return self.flat.index(min(self.flat))

    def fill(self, value):
        self[...] = value

    def __invert__(self):
        return _each(operator.not_, _BOOL, self) if self.dtype is _BOOL else -1 - self

    def __neg__(self):
        return 0 - self

    def __abs__(self):
        return _each(abs, None, self)


def _each(function, kind, *given):
    """A function of numbers on arrays; the kind of what it gives, or None: that of what it is given."""
    given = [array(one) for one in given]
    shape = _common(given)
    if kind is None:
        kinds = [one.dtype for one in given]
        bits = function in (operator.and_, operator.or_, operator.xor) and all(one is _BOOL for one in kinds)
        unsigned = kinds[0] if all(one is kinds[0] and one.kind == "u" for one in kinds) else _INT
        kind = _BOOL if bits else _FLOAT if _FLOAT in kinds else unsigned
    made = [kind.cast(function(*items)) for items in zip(*(_spread(one, shape) for one in given))]
    return ndarray(made, shape, kind) if shape else made[0]


def _common(arrays):
    longest = max((one.ndim for one in arrays), default=0)
    shape = []
    for lengths in zip(*((1,) * (longest - one.ndim) + one.shape for one in arrays)):
        others = {*lengths} - {1}
        if len(others) > 1:
            raise ValueError(f"operands could not be broadcast together with shapes {[one.shape for one in arrays]}")
        shape.append(others.pop() if others else 1)
    return tuple(shape)


def _spread(one, shape):
    """The numbers of an array as those of a larger shape."""
    if one.shape == shape:
        return one.flat
    if one.size == 1:
        return one.flat * math.prod(shape)
    mine = (1,) * (len(shape) - one.ndim) + one.shape
    offsets = [0]
    for axis, length in enumerate(shape):
        stride = math.prod(mine[axis + 1 :]) if mine[axis] > 1 else 0
        offsets = [offset + place * stride for offset in offsets for place in range(length)]
    return [one.base[one.places[offset]] for offset in offsets]


def _operators():
    for name in "add sub mul floordiv mod pow lshift rshift and or xor truediv lt le gt ge eq ne".split():
        function = getattr(operator, name + "_" * (name in ("and", "or")))
        kind = _FLOAT if name == "truediv" else _BOOL if name[0] in "lgen" and len(name) == 2 else None
        setattr(ndarray, f"__{name}__", lambda a, b, f=function, k=kind: _each(f, k, a, b))
        if kind is not _BOOL:
            setattr(ndarray, f"__r{name}__", lambda a, b, f=function, k=kind: _each(f, k, b, a))
            setattr(ndarray, f"__i{name}__", lambda a, b, f=function, k=kind: _into(a, _each(f, k, a, b)))


def _into(target, value):
    target[...] = value
    return target


_operators()
_chosen = ndarray._chosen
ndarray._chosen = lambda self, key: (self.shape, self.places, False) if key is ... else _chosen(self, key)

# ---- what makes arrays


def array(value, dtype=None):
    """A copy, of whatever has numbers in it."""
    kind = None if dtype is None else _kind(dtype)
    if isinstance(value, ndarray):
        return value.copy() if kind in (None, value.dtype) else value.astype(kind)
    if not isinstance(value, list | tuple | range):
        flat, shape = [value], ()
    elif value and isinstance(value[0], list | tuple | range | ndarray):
        rows = [array(row) for row in value]
        flat, shape = [item for row in rows for item in row.flat], (len(rows), *rows[0].shape)
    else:
        flat, shape = list(value), (len(value),)
    if kind is None:
        floats = any(isinstance(item, float) for item in flat) or not flat
        kind = _FLOAT if floats else _BOOL if all(isinstance(item, bool) for item in flat) else _INT
    return ndarray([*map(kind.cast, flat)], shape, kind)


asarray = array


def full(shape, value, dtype=None):
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    return array([value] * math.prod(shape), dtype).reshape(shape)


def zeros(shape, dtype=float):
    return full(shape, 0, dtype)


empty = zeros


def ones(shape, dtype=float):
    return full(shape, 1, dtype)


def arange(*ends, dtype=None):
    return array(range(*ends), dtype or int)


def linspace(low, high, count):
    step = (high - low) / max(count - 1, 1)
    return array([low + place * step for place in range(count - 1)] + [high] if count > 1 else [low] * count, float)


def eye(length, dtype=float):
    return (arange(length)[:, None] == arange(length)).astype(dtype)


def concatenate(parts):
    parts = [array(part) for part in parts]
    return array(
        [item for part in parts for item in part.flat], _FLOAT if any(p.dtype is _FLOAT for p in parts) else int
    )


def stack(parts, axis=0):
    rows = array([*map(array, parts)])
    return rows.T if axis else rows


def where(condition, yes, no):
    kinds = [array(yes).dtype, array(no).dtype]
    kind = kinds[0] if kinds[0] is kinds[1] else _FLOAT if _FLOAT in kinds else _INT
    return _each(lambda is_so, a, b: a if is_so else b, kind, condition, yes, no)


def bincount(numbers, weights=None, minlength=0):
    numbers = array(numbers).flat
    counts = [0] * max(minlength, max(numbers, default=-1) + 1)
    for number, weight in zip(numbers, array(weights).flat if weights is not None else itertools.repeat(1)):
        counts[number] += weight
    return array(counts, int if weights is None else float)


def sort(numbers):
    return array(sorted(array(numbers).flat), array(numbers).dtype)


def cumsum(numbers):
    return array([*itertools.accumulate(array(numbers).flat)], array(numbers).dtype)


def dot(one, other):
    """Of one axis each."""
    return sum(a * b for a, b in zip(array(one).flat, array(other).flat, strict=True))


def count_nonzero(numbers):
    return sum(map(bool, array(numbers).flat))


def take_along_axis(table, places, axis):
    """Along the first."""
    width = table.shape[1]
    found = [[table[row, column] for column, row in enumerate(line.flat)] for line in places]
    return array([item for line in found for item in line], table.dtype).reshape(len(found), width)


def unpackbits(numbers, axis=None, bitorder="big"):
    """Little ends first."""
    bits = [item >> bit & 1 for item in numbers.flat for bit in range(8)]
    return array(bits, uint8).reshape(*(() if axis is None else numbers.shape[:-1]), -1)


def packbits(bits, axis=None, bitorder="big"):
    """Little ends first, of rows whose length is a multiple of 8."""
    flat = bits.flat
    packed = [
        sum(bit << place for place, bit in enumerate(flat[begin : begin + 8])) for begin in range(0, len(flat), 8)
    ]
    return array(packed, uint8).reshape(*bits.shape[:-1], -1)


class ufunc:
    """A function of numbers, on arrays too."""

    def __init__(self, name, function, kind=None):
        self.__name__, self.function, self.kind = name, function, kind

    def __call__(self, *given):
        return _each(self.function, self.kind, *given)


for _made in (
    *(ufunc(name, getattr(math, name), _FLOAT) for name in "sin cos tan exp log log2 log10 sqrt floor ceil".split()),
    ufunc("isfinite", math.isfinite, _BOOL),
    ufunc("isnan", math.isnan, _BOOL),
    ufunc("logical_and", lambda a, b: a and b, _BOOL),
    ufunc("logical_or", lambda a, b: a or b, _BOOL),
    ufunc("logical_xor", lambda a, b: bool(a) != bool(b), _BOOL),
    ufunc("logical_not", operator.not_, _BOOL),
    ufunc("negative", operator.neg),
    ufunc("absolute", abs),
    ufunc("minimum", min),
    ufunc("maximum", max),
):
    globals()[_made.__name__] = _made
