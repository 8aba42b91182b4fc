import { statSync } from "node:fs";
import { connect } from "node:net";
import { startDeadline } from "../../deadline.ts";
import {
  makeFrameReader,
  type SignerAnswer,
  type SignerFailure,
  type SignerRequest,
  writeFrame,
} from "../../signer/protocol.ts";

const TIMEOUT_MS = 10_000;

/** The signer refused the request, or could not read it. The same request is refused again. */
export class SignerRefused extends Error {
  readonly failure: SignerFailure;

  constructor(failure: SignerFailure) {
    super(`The signer refused: ${failure.message}`);
    this.failure = failure;
  }
}

/** The signer did not answer. It may have signed: the same request returns the same bytes. */
export class SignerUnavailable extends Error {}

type Unnumbered<Request> = Request extends { id: number } ? Omit<Request, "id"> : never;
type Ok = Extract<SignerAnswer, { ok: unknown }>["ok"];

/** Sends one request over the signer's socket and returns its answer. */
export async function askSigner<Answer extends Ok>(
  socketPath: string,
  request: Unnumbered<SignerRequest>,
): Promise<Answer> {
  requireClosedSocket(socketPath);
  const answer = await exchangeFrames(socketPath, writeFrame({ id: 0, ...request }));
  if ("error" in answer) throw new SignerRefused(answer.error);
  return answer.ok as Answer;
}

/** A socket that anyone may open is not the signer's: another program could answer in its place. */
function requireClosedSocket(path: string): void {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) {
    throw new SignerUnavailable(`There is no signer at ${path}. Start it: exchange signer run`);
  }
  if (!stats.isSocket()) throw new SignerUnavailable(`${path} is not a socket.`);
  if ((stats.mode & 0o007) !== 0) {
    throw new SignerUnavailable(
      `${path} is open to every user of this machine. Run: chmod o= ${path}`,
    );
  }
}

function exchangeFrames(path: string, frame: Uint8Array): Promise<SignerAnswer> {
  return new Promise((resolve, reject) => {
    const readFrames = makeFrameReader();
    const socket = connect(path, () => socket.write(frame));
    const fail = (why: string): void => {
      socket.destroy();
      reject(new SignerUnavailable(`The signer at ${path} does not answer: ${why}.`));
    };
    const deadline = startDeadline(TIMEOUT_MS, () => fail("it took too long"));
    socket.on("error", (error: NodeJS.ErrnoException) => fail(error.code ?? error.message));
    socket.on("close", () => {
      deadline.stop();
      fail("it closed the connection");
    });
    socket.on("data", (bytes) => {
      try {
        const [text] = readFrames(bytes);
        if (text === undefined) return;
        resolve(JSON.parse(text) as SignerAnswer);
        socket.destroy();
      } catch {
        fail("its answer cannot be read");
      }
    });
  });
}
