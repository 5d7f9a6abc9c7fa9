// How leaves and variables stand, in the words of the problems.
//
// ORDER: a leaf is expressed if it is the first of its variable; a first x̄i blocks xi; all later ones are hidden.
// MAJORITY: the xi of an expressed variable are expressed; the x̄i of one that is not outvote it, they block; the rest is
// hidden: outvoted.
import { isBar, variableOf } from "./terminals.js";

export const EXPRESSED = "expressed";
export const BLOCKING = "blocking";
export const HIDDEN = "hidden";

// codes: terminals from left to right. Returns per leaf its standing, per variable (from 0) its deficit or first leaf.
export function standing(problem, codes, n) {
  const plain = new Int32Array(n);
  const bar = new Int32Array(n);
  const first = new Int32Array(n).fill(-1);
  codes.forEach((code, place) => {
    const variable = variableOf(code) - 1;
    (isBar(code) ? bar : plain)[variable]++;
    if (first[variable] < 0) first[variable] = place;
  });
  const variables = [];
  let fitness = 0;
  for (let i = 0; i < n; i++) {
    const absent = plain[i] + bar[i] === 0;
    const expressed =
      !absent && (problem === "order" ? !isBar(codes[first[i]]) : plain[i] >= Math.max(bar[i], 1));
    if (expressed) fitness++;
    variables.push({ number: i + 1, plain: plain[i], bar: bar[i], deficit: bar[i] - plain[i], absent, expressed });
  }
  const leaves = codes.map((code, place) => {
    const variable = variableOf(code) - 1;
    if (problem === "order") return first[variable] !== place ? HIDDEN : isBar(code) ? BLOCKING : EXPRESSED;
    if (isBar(code)) return variables[variable].expressed ? HIDDEN : BLOCKING;
    return variables[variable].expressed ? EXPRESSED : HIDDEN;
  });
  return { leaves, variables, fitness };
}
