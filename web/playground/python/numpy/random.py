"""NumPy's random words, bit for bit."""

import itertools

from numpy.arrays import array, uint64

_MASK_32, _MASK_64 = 2**32 - 1, 2**64 - 1


class SeedSequence:
    """Entropy and a spawn key, mixed into a pool of four words of 32 bits."""

    def __init__(self, entropy, spawn_key=()):
        words = _words_of(entropy)
        if spawn_key:
            words += [0] * (4 - len(words))
        for key in spawn_key:
            words += _words_of(key)
        constant = 0x43B0D7E5

        def hashed(value):
            nonlocal constant
            value ^= constant
            constant = constant * 0x931E8875 & _MASK_32
            value = value * constant & _MASK_32
            return value ^ value >> 16

        def mixed(x, y):
            value = (0xCA01F9DD * x - 0x4973F715 * y) & _MASK_32
            return value ^ value >> 16

        self.pool = [hashed(words[place] if place < len(words) else 0) for place in range(4)]
        for source, target in itertools.product(range(4), repeat=2):
            if source != target:
                self.pool[target] = mixed(self.pool[target], hashed(self.pool[source]))
        for word, target in itertools.product(words[4:], range(4)):
            self.pool[target] = mixed(self.pool[target], hashed(word))

    def generate_state(self, count):
        """Words of 64 bits."""
        constant, halves = 0x8B51F9DD, []
        for value, _ in zip(itertools.cycle(self.pool), range(2 * count)):
            value ^= constant
            constant = constant * 0x58F38DED & _MASK_32
            value = value * constant & _MASK_32
            halves.append(value ^ value >> 16)
        return [low | high << 32 for low, high in zip(halves[::2], halves[1::2])]


def _words_of(number):
    words = [number & _MASK_32]
    while number := number >> 32:
        words.append(number & _MASK_32)
    return words


class SFC64:
    """The generator."""

    def __init__(self, seed):
        self._state = (*seed.generate_state(3), 1)
        self.random_raw(12)

    def random_raw(self, count):
        """The next words."""
        a, b, c, counter = self._state
        words = []
        for _ in range(count):
            word = (a + b + counter) & _MASK_64
            a, b, counter = b ^ b >> 11, (c + (c << 3)) & _MASK_64, (counter + 1) & _MASK_64
            c = ((c << 24 | c >> 40) + word) & _MASK_64
            words.append(word)
        self._state = a, b, c, counter
        return array(words, uint64)
