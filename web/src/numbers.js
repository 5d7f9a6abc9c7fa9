// Numbers for people.
const grouped = new Intl.NumberFormat("en-GB");
const short = new Intl.NumberFormat("en-US", { notation: "compact", maximumFractionDigits: 1 });

const precise = new Intl.NumberFormat("en-GB", { maximumSignificantDigits: 6 });

export const whole = (value) => grouped.format(value);
export const brief = (value) => (Math.abs(value) < 10000 ? grouped.format(value) : short.format(value).replace("K", "k"));
export const percent = (value) => `${Math.round(100 * value)} %`;
// A fitness: whole, or not.
export const fitness = (value) => (Number.isInteger(value) ? whole(value) : precise.format(value));
