// Where a run's data comes from: the server, or the file itself.
export const BLOCK = 250; // steps asked for at a time

// `field` is the name of what was refused, if the server says so.
export class RequestError extends Error {
  constructor(message, field = "") {
    super(message);
    this.field = field;
  }
}

async function failure(response) {
  try {
    const { error } = await response.json();
    if (error?.message) return new RequestError(error.message, error.name);
  } catch {
    // not ours: the number will do
  }
  return new RequestError(`the server answered ${response.status}`);
}

export async function asked(path, words, signal) {
  const response = await fetch(`${path}?${new URLSearchParams(words)}`, { signal });
  if (!response.ok) throw await failure(response);
  return response.json();
}

export function explained(error) {
  return error instanceof TypeError ? "the server does not answer: is gpruntime watch still running?" : error.message;
}

// JSON lines as they come.
export async function* lines(path, words, signal) {
  const response = await fetch(`${path}?${new URLSearchParams(words)}`, { signal });
  if (!response.ok) throw await failure(response);
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) break;
    const parts = (rest + decoder.decode(value, { stream: true })).split("\n");
    rest = parts.pop();
    for (const part of parts) {
      const piece = JSON.parse(part);
      if (piece.error) throw new RequestError(piece.error.message);
      yield piece;
    }
  }
}

export class ServerSource {
  constructor(words) {
    this.words = words;
  }

  course(signal) {
    return lines("/api/course", this.words, signal);
  }

  has() {
    return true;
  }

  block(number, signal) {
    return asked("/api/steps", { ...this.words, from: 1 + number * BLOCK, count: BLOCK }, signal);
  }
}

export class FileSource {
  constructor(run) {
    this.run = run;
  }

  async *course() {
    yield { start: this.run.start };
    const { points, trees, members, changes, end } = this.run;
    yield { points, trees, members, changes, upto: end.evaluations };
    yield { end: this.run.end };
  }

  has(number) {
    return String(number) in this.run.blocks;
  }

  async block(number) {
    return this.run.blocks[number];
  }
}
