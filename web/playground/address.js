// The address of runs, as gpruntime.model.stream has it: the cell is the SHA-256 of the law's JSON, and NumPy's SeedSequence
// mixes seed and cell into a pool, from which the program seeds each run.

function sha256(text) {
  const rotated = (x, by) => (x >>> by) | (x << (32 - by));
  const primes = [];
  for (let number = 2; primes.length < 64; number++) if (primes.every((prime) => number % prime)) primes.push(number);
  const fraction = (root) => Math.floor((root - Math.floor(root)) * 2 ** 32) | 0;
  const constants = primes.map((prime) => fraction(Math.cbrt(prime)));
  const state = primes.slice(0, 8).map((prime) => fraction(Math.sqrt(prime)));
  const bytes = [...new TextEncoder().encode(text)];
  const bits = bytes.length * 8;
  bytes.push(0x80);
  while (bytes.length % 64 !== 56) bytes.push(0);
  for (let place = 7; place >= 0; place--) bytes.push(place < 4 ? (bits >>> (8 * place)) & 255 : 0);
  for (let begin = 0; begin < bytes.length; begin += 64) {
    const words = [];
    for (let i = 0; i < 64; i++) {
      if (i < 16) {
        const at = begin + 4 * i;
        words.push((bytes[at] << 24) | (bytes[at + 1] << 16) | (bytes[at + 2] << 8) | bytes[at + 3]);
      } else {
        const [early, late] = [words[i - 15], words[i - 2]];
        const first = rotated(early, 7) ^ rotated(early, 18) ^ (early >>> 3);
        const second = rotated(late, 17) ^ rotated(late, 19) ^ (late >>> 10);
        words.push((words[i - 16] + first + words[i - 7] + second) | 0);
      }
    }
    let [a, b, c, d, e, f, g, h] = state;
    for (let i = 0; i < 64; i++) {
      const chosen = (e & f) ^ (~e & g);
      const one = (h + (rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)) + chosen + constants[i] + words[i]) | 0;
      const two = ((rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      [h, g, f, e, d, c, b, a] = [g, f, e, (d + one) | 0, c, b, a, (one + two) | 0];
    }
    [a, b, c, d, e, f, g, h].forEach((word, i) => (state[i] = (state[i] + word) | 0));
  }
  return state.map((word) => word >>> 0);
}

const swapped = (word) => ((word >>> 24) | ((word >>> 8) & 0xff00) | ((word << 8) & 0xff0000) | (word << 24)) >>> 0;

// The cell of a law: four words of 32 bits.
const cellOf = (law) => sha256(law).slice(0, 4).map(swapped);

// SeedSequence's pool with all of the address but the run, and the constant that comes next.
function mixedPool(seed, cell) {
  let constant = 0x43b0d7e5;
  const hashed = (value) => {
    value ^= constant;
    constant = Math.imul(constant, 0x931e8875);
    value = Math.imul(value, constant);
    return value ^ (value >>> 16);
  };
  const mixed = (x, y) => {
    const result = (Math.imul(0xca01f9dd, x) - Math.imul(0x4973f715, y)) | 0;
    return result ^ (result >>> 16);
  };
  const words = [Number(BigInt(seed) & 0xffffffffn), Number(BigInt(seed) >> 32n), 0, 0, ...cell];
  const pool = words.slice(0, 4).map(hashed);
  for (let source = 0; source < 4; source++)
    for (let target = 0; target < 4; target++)
      if (source !== target) pool[target] = mixed(pool[target], hashed(pool[source]));
  for (const word of words.slice(4)) for (let target = 0; target < 4; target++) pool[target] = mixed(pool[target], hashed(word));
  return { pool: pool.map((word) => word >>> 0), constant: constant >>> 0 };
}
