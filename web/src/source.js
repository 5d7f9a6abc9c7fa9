// Where a run's data comes from: the server, or the file itself.
export const BLOCK = 250; // steps asked for at a time

export class RequestError extends Error {}

async function failure(response) {
  let message = `the server answered ${response.status}`;
  try {
    const { error } = await response.json();
    if (error?.message) message = error.message;
  } catch {
    // not ours: the number will do
  }
  return new RequestError(message);
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

  async block(number, signal) {
    const words = { ...this.words, from: 1 + number * BLOCK, count: BLOCK };
    const response = await fetch(`/api/steps?${new URLSearchParams(words)}`, { signal });
    if (!response.ok) throw await failure(response);
    return response.json();
  }
}

export class FileSource {
  constructor(run) {
    this.run = run;
  }

  async *course() {
    yield { start: this.run.start };
    yield { points: this.run.points, upto: this.run.end.evaluations };
    yield { end: this.run.end };
  }

  has(number) {
    return String(number) in this.run.blocks;
  }

  async block(number) {
    return this.run.blocks[number];
  }
}
