// What many runs say, as gpruntime.analysis says it: a mean with Student's interval on logarithms, widened by the
// skewness, a share with the interval of Clopper and Pearson. A test holds these to the numbers of the package.

const LANCZOS = [
  0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059, 12.507343278686905,
  -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
];

function logGamma(x) {
  const base = x + 6.5;
  const sum = LANCZOS.reduce((total, part, i) => total + (i ? part / (x - 1 + i) : part), 0);
  return Math.log(2 * Math.PI) / 2 + (x - 0.5) * Math.log(base) - base + Math.log(sum);
}

// The regularised incomplete beta function, by Lentz's continued fraction.
function beta(x, a, b) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  if (x > (a + 1) / (a + b + 2)) return 1 - beta(1 - x, b, a);
  const front = Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x)) / a;
  const nonzero = (value) => (Math.abs(value) < 1e-300 ? 1e-300 : value);
  let c = 1;
  let d = 1 / nonzero(1 - ((a + b) * x) / (a + 1));
  let fraction = d;
  for (let m = 1; m < 10_000; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / nonzero(1 + even * d);
    c = nonzero(1 + even / c);
    fraction *= c * d;
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / nonzero(1 + odd * d);
    c = nonzero(1 + odd / c);
    fraction *= c * d;
    if (Math.abs(c * d - 1) < 1e-15) break;
  }
  return front * fraction;
}

// Where a function that rises on [low, high] has this value.
function solved(rising, value, low, high) {
  for (let i = 0; i < 200; i++) {
    const middle = (low + high) / 2;
    if (rising(middle) < value) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

// The two-sided quantile of Student's t for an interval of this level.
const studentQuantile = (freedom, level) => {
  const share = solved((x) => beta(x, freedom / 2, 0.5), 1 - level, 0, 1); // P(|t| > q), with x = freedom / (freedom + q²)
  return Math.sqrt((freedom * (1 - share)) / share);
};

// The mean of positive values, with an interval where there are two that differ.
function meanOf(values, level = 0.95) {
  const count = values.length;
  const mean = values.reduce((sum, value) => sum + value, 0) / count;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  if (count < 2 || squares === 0) return { value: mean, low: null, high: null };
  const skewness = values.reduce((sum, value) => sum + (value - mean) ** 3, 0) / count / (squares / count) ** 1.5;
  const t = studentQuantile(count - 1, level);
  const error = Math.sqrt(squares / (count - 1) / count) / mean;
  const shift = (skewness * (2 * t * t + 1)) / (6 * Math.sqrt(count)); // widens one end, narrows none
  const end = (units) => mean * Math.exp(Math.min(Math.max(error * units, -300), 300));
  return { value: mean, low: end(Math.min(shift, 0) - t), high: end(Math.max(shift, 0) + t) };
}

function shareOf(hits, count, level = 0.95) {
  const tail = (1 - level) / 2;
  const low = hits === 0 ? 0 : solved((p) => beta(p, hits, count - hits + 1), tail, 0, 1);
  const high = hits === count ? 1 : solved((p) => beta(p, hits + 1, count - hits), 1 - tail, 0, 1);
  return { value: hits / count, low, high };
}

function quantileOf(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(share * sorted.length) - 1))];
}
