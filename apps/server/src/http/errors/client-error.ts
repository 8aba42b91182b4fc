import type { Socket } from "node:net";
import type { Deps } from "../../flows/deps.ts";
import { Refusal } from "../../flows/refusal.ts";
import { presentError } from "./answer.ts";

/**
 * Answers a request that is not valid HTTP, or arrived too slowly, with the documented error body.
 */
export const answerClientError =
  (deps: Pick<Deps, "ids">) =>
  (error: Error & { code?: string }, socket: Socket): void => {
    if (error.code === "ECONNRESET" || !socket.writable) {
      socket.destroy();
      return;
    }
    const requestId = deps.ids.uuid();
    const refusal = new Refusal("INVALID_INPUT", {
      message:
        error.code === "ERR_HTTP_REQUEST_TIMEOUT"
          ? "The request came too slowly."
          : "The request is not valid HTTP.",
    });
    const text = presentError(refusal, { requestId }).text;
    socket.end(
      [
        "HTTP/1.1 400 Bad Request",
        "content-type: application/json; charset=utf-8",
        `content-length: ${Buffer.byteLength(text)}`,
        `x-request-id: ${requestId}`,
        "connection: close",
        "",
        text,
      ].join("\r\n"),
    );
  };
