import { chmodSync, lstatSync, unlinkSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { dirname, isAbsolute } from "node:path";
import { requireClosedFolder } from "./private-file.ts";
import { FrameError, makeFrameReader, type SignerAnswer, writeFrame } from "./protocol.ts";
import { SignerError } from "./signer-error.ts";

/** Owner and group: the worker's user belongs to the group of the socket's folder. */
const SOCKET_MODE = 0o660;
const CONNECTIONS_MAX = 64;
const IDLE_MS = 300_000;

export interface Listener {
  close(): Promise<void>;
}

/**
 * Answers requests on a Unix socket. It is the only socket of the signer: `npm run check` refuses `node:net`
 * in every other file of this room.
 */
export async function listen(
  path: string,
  answer: (text: string) => SignerAnswer,
): Promise<Listener> {
  if (!isAbsolute(path)) throw new SignerError(`--socket must be an absolute path, not "${path}".`);
  const folder = dirname(path);
  requireClosedFolder(folder, `Make it as the signer's user: mkdir -m 750 ${folder}`);
  await removeStaleSocket(path);
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.once("close", () => open.delete(socket));
    serve(socket, answer);
  });
  server.maxConnections = CONNECTIONS_MAX;
  // The socket is never open to others, not even for the moment before its mode is set.
  const umask = process.umask(0o177);
  try {
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(path, resolve);
    });
  } finally {
    process.umask(umask);
  }
  chmodSync(path, SOCKET_MODE);
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      for (const socket of open) socket.destroy();
    });
  return { close };
}

function serve(socket: Socket, answer: (text: string) => SignerAnswer): void {
  const readFrames = makeFrameReader();
  socket.setTimeout(IDLE_MS, () => socket.destroy());
  socket.on("error", () => socket.destroy());
  socket.on("data", (bytes) => {
    try {
      for (const text of readFrames(bytes)) socket.write(writeFrame(answer(text)));
    } catch (error) {
      const message =
        error instanceof FrameError ? error.message : "The request cannot be answered.";
      socket.end(writeFrame({ id: null, error: { code: "BAD_REQUEST", message } }));
    }
  });
}

/** A killed signer leaves its socket behind. A live one answers, and then this process must not start. */
async function removeStaleSocket(path: string): Promise<void> {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return;
  if (!stats.isSocket())
    throw new SignerError(`${path} exists and is not a socket. Name another path.`);
  const isAlive = await new Promise<boolean>((resolve) => {
    const probe = connect(path, () => {
      probe.destroy();
      resolve(true);
    });
    probe.once("error", () => resolve(false));
  });
  if (isAlive) throw new SignerError(`A signer listens on ${path} already. Stop it first.`);
  unlinkSync(path);
}
