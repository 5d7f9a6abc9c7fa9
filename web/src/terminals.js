// Terminals by their code: 0 is x1, 1 is x̄1, 2 is x2, … as in the model.
export const variableOf = (code) => (code >> 1) + 1;
export const isBar = (code) => (code & 1) === 1;
export const signOf = (code) => (isBar(code) ? "x\u0304" : "x");
export const nameOf = (code) => `${signOf(code)}${variableOf(code)}`;
// For screen readers, which pass over the bar.
export const spokenOf = (code) => `${isBar(code) ? "not " : ""}x${variableOf(code)}`;
