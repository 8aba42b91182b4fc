import type { Socket } from "node:net";
import { DriverError } from "./driver.ts";

type Send = (command: string, parameters?: object) => Promise<unknown>;
type Answer = readonly [
  type: 1,
  id: number,
  error: Fault | null,
  result: { value?: unknown } | null,
];
type Fault = { readonly error: string; readonly message: string };

/**
 * Firefox takes the commands of WebDriver on a socket of its own, where geckodriver would put them:
 * `<bytes>:[0,<id>,<command>,<parameters>]`, answered by `<bytes>:[1,<id>,<error>,<result>]`.
 */
export function speakMarionette(socket: Socket): Send {
  const waiting = new Map<number, (answer: Answer) => void>();
  socket.on(
    "data",
    framesOf((frame) => {
      // The first frame is a greeting, not an answer.
      if (Array.isArray(frame))
        waiting.get((frame as unknown as Answer)[1])?.(frame as unknown as Answer);
    }),
  );
  // The browser is killed, so its socket may be reset.
  socket.on("error", () => {});
  let lastId = 0;
  return async (command, parameters = {}) => {
    lastId += 1;
    const id = lastId;
    const text = JSON.stringify([0, id, command, parameters]);
    const answered = new Promise<Answer>((resolve) => waiting.set(id, resolve));
    socket.write(`${Buffer.byteLength(text)}:${text}`);
    const [, , fault, result] = await answered;
    waiting.delete(id);
    if (fault !== null) throw new DriverError(command, fault);
    return result?.value;
  };
}

/** Splits the stream into frames: a length in bytes, a colon, and that many bytes of JSON. */
function framesOf(onFrame: (frame: unknown) => void): (chunk: Buffer) => void {
  let held = Buffer.alloc(0);
  return (chunk) => {
    held = Buffer.concat([held, chunk]);
    for (let colon = held.indexOf(":"); colon >= 0; colon = held.indexOf(":")) {
      const end = colon + 1 + Number(held.subarray(0, colon));
      if (held.length < end) return;
      onFrame(JSON.parse(held.subarray(colon + 1, end).toString("utf8")));
      held = held.subarray(end);
    }
  };
}
