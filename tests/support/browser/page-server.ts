import { once } from "node:events";
import { createServer, type OutgoingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";

/** An origin with pages of a merchant, or of an attacker. */
export interface PageServer {
  readonly origin: string;
  close(): void;
}

/** One answer. It is HTML unless the headers name another content type. */
interface Page {
  readonly body: string;
  readonly headers?: OutgoingHttpHeaders;
}

/** Serves pages on a free port. On `127.0.0.1` they are of another site than the service. */
export async function servePages(
  host: "localhost" | "127.0.0.1",
  pageAt: (url: URL) => Page,
): Promise<PageServer> {
  const server = createServer((request, response) => {
    const { body, headers } = pageAt(new URL(request.url ?? "/", `http://${host}`));
    response.writeHead(200, { "content-type": "text/html; charset=utf-8", ...headers }).end(body);
  }).listen(0, host);
  await once(server, "listening");
  return {
    origin: `http://${host}:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
