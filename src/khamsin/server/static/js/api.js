/** Talking to the server. */

/** What the server could not give; `problem` is its answer: error, and where known file, line and expected. */
export class Refused extends Error {
  constructor(problem) {
    super(problem.error);
    this.problem = problem;
  }
}

async function get(path) {
  let answer;
  try {
    answer = await fetch(path);
  } catch {
    throw new Refused({ error: "The server does not answer. Is Khamsin still running?" });
  }
  if (answer.ok) return answer;
  const problem = await answer.json().catch(() => ({}));
  throw new Refused({ error: `The server refused ${path} (${answer.status})`, ...problem });
}

/** The list of boards. */
export const boards = async () => (await (await get("/api/boards")).json()).boards;

/** A whole board as data. */
export const board = async (game) => (await get(`/api/boards/${encodeURIComponent(game)}`)).json();

/** A board's map as SVG text. */
export const map = async (game) => (await get(`/api/boards/${encodeURIComponent(game)}/map.svg`)).text();
