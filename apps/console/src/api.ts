/** An error answer of the service, or no answer at all. */
export class CallError extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.name = "CallError";
    this.code = code;
  }
}

/** A question for a fresh proof, answered by the dialog that `onProof` opens. */
type AskProof = () => Promise<boolean>;
let askProof: AskProof = async () => false;
let signedOut: (ended: CallError | undefined) => void = () => {};
/** The sign-ins and sign-outs that this page has seen. */
let signIns = 0;

/** Says how the app asks for a fresh proof, and what it does when the session has ended. */
export function onSession(handlers: {
  readonly askProof: AskProof;
  /** `ended` says that a session of this page has ended. */
  readonly signedOut: (ended: CallError | undefined) => void;
}): void {
  ({ askProof, signedOut } = handlers);
}

/** Notes that a person has signed in or out. Calls from before do not sign them out. */
export function notePerson(): void {
  signIns += 1;
}

export interface Call {
  readonly method?: "GET" | "POST" | "PATCH" | "DELETE";
  readonly body?: unknown;
  readonly query?: Readonly<Record<string, string | number | undefined>> | undefined;
}

/** One page of a list. */
export interface Listed<Item> {
  readonly data: readonly Item[];
  readonly nextCursor: string | null;
}

/** Calls an endpoint and returns the whole answer. A call that needs a fresh proof asks for it and is repeated. */
export const callWhole = <Answer>(path: string, call: Call = {}): Promise<Answer> =>
  inSession(() => send<Answer>(path, call));

/** Shows the sign-in where the session has ended, and asks for a fresh proof where one is needed. */
async function inSession<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  const before = signIns;
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof CallError)) throw error;
    if (error.code === "SIGN_IN_REQUIRED" && before === signIns)
      signedOut(before > 0 ? error : undefined);
    // The proof may be that of the next person of this page.
    const isProved = error.code === "STEP_UP_REQUIRED" && (await askProof());
    if (!isProved || before !== signIns) throw error;
    return ask();
  }
}

/** Calls an endpoint and returns the data of its answer. */
export async function call<Data>(path: string, options: Call = {}): Promise<Data> {
  return (await callWhole<{ readonly data: Data }>(path, options))?.data;
}

/** Loads a file of the service and gives it to the browser to save under its name. */
export const saveFile = (path: string, query: Call["query"]): Promise<void> =>
  inSession(async () => {
    const response = await request(path, { query }, FILE_TIMEOUT_MS);
    const named = /filename="([^"]+)"/.exec(response.headers.get("content-disposition") ?? "");
    const address = URL.createObjectURL(await response.blob().catch(noAnswer()));
    const link = document.createElement("a");
    link.href = address;
    link.download = named?.[1] ?? "file";
    link.click();
    URL.revokeObjectURL(address);
  });

/** A call without an answer for this time has failed, so that no screen waits without an end. */
const ANSWER_TIMEOUT_MS = 60_000;
/** A long list takes longer on a slow line. */
const FILE_TIMEOUT_MS = 600_000;

async function send<Answer>(path: string, call: Call): Promise<Answer> {
  const response = await request(path, call);
  if (response.status === 204) return undefined as Answer;
  // An answer that was cut off counts as none.
  return response.json().catch(noAnswer(call.method));
}

async function errorOf(response: Response, method: Call["method"]): Promise<CallError> {
  const { code, message } = await response.json().catch(() => ({}));
  // While the service restarts, a proxy answers with a page of its own.
  if (code === undefined && GATEWAY_STATUSES.has(response.status)) noAnswer(method)();
  return new CallError(code ?? "INTERNAL_ERROR", message ?? "");
}

const GATEWAY_STATUSES: ReadonlySet<number> = new Set([502, 503, 504]);

/** A call that changes something may have done so, although its answer did not come. */
const noAnswer =
  (method: Call["method"] = "GET") =>
  (): never => {
    throw new CallError(method === "GET" ? "UNREACHABLE" : "ANSWER_LOST", "");
  };

/** Returns the answer of a call that succeeded. */
async function request(
  path: string,
  { method = "GET", body, query = {} }: Call,
  timeoutMs = ANSWER_TIMEOUT_MS,
): Promise<Response> {
  const search = new URLSearchParams(
    Object.entries(query).flatMap(([name, value]): [string, string][] =>
      value === undefined || value === "" ? [] : [[name, String(value)]],
    ),
  ).toString();
  const response = await fetch(`/v1/admin${path}${search === "" ? "" : `?${search}`}`, {
    method,
    signal: AbortSignal.timeout(timeoutMs),
    ...(body !== undefined && {
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    }),
  }).catch(noAnswer(method));
  if (!response.ok) throw await errorOf(response, method);
  return response;
}
