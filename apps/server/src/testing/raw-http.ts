import type { Server } from "node:http";
import { type AddressInfo, connect } from "node:net";

/** An answer as it arrived, byte for byte: each character is one byte. */
export interface RawAnswer {
  readonly head: string;
  readonly body: string;
}

/** The first line and headers of a request, without the empty line that ends them. */
export const requestHead = (first: string, headers: Readonly<Record<string, string>>): string =>
  [first, ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`)].join("\r\n");

/** Sends bytes on a connection of their own and reads one answer to its end. */
export async function askRaw(server: Server, request: string): Promise<RawAnswer> {
  const { port } = server.address() as AddressInfo;
  const socket = connect(port, "127.0.0.1");
  socket.write(request, "latin1");
  let text = "";
  for await (const chunk of socket) {
    text += (chunk as Buffer).toString("latin1");
    if (isWhole(text, request)) break;
  }
  const end = text.indexOf("\r\n\r\n");
  return { head: text.slice(0, end), body: text.slice(end + 4) };
}

function isWhole(text: string, request: string): boolean {
  const end = text.indexOf("\r\n\r\n");
  if (end < 0) return false;
  const length = request.startsWith("HEAD") ? 0 : /content-length: (\d+)/i.exec(text)?.[1];
  return text.length - end - 4 === Number(length ?? 0);
}
