import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { broadcastToAll } from "./broadcast.ts";
import { EndpointFault, makeRpc, type Rpc, RpcRefusal } from "./rpc.ts";
import { sendTo } from "./tron/broadcast.ts";

/** A client of an endpoint that answers every question like this. */
async function answering(answer: (response: ServerResponse, id: number) => void): Promise<Rpc> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    answer(response, JSON.parse(Buffer.concat(chunks).toString()).id);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const rpc = makeRpc({ name: "node", url: `http://127.0.0.1:${port}`, timeoutMs: 5_000 });
  onTestFinished(async () => {
    await rpc.close();
    server.close();
  });
  return rpc;
}

const faultOf = async (rpc: Rpc): Promise<unknown> =>
  rpc.ask([["eth_chainId"]]).then(
    () => undefined,
    (error: unknown) => error,
  );

const dateIn = (seconds: number): string => new Date(Date.now() + seconds * 1_000).toUTCString();

test.each([
  ["seconds", () => "7", 7_000, 7_000],
  ["more seconds than the limit", () => "120", 60_000, 60_000],
  ["more seconds than a year has", () => "99999999", 60_000, 60_000],
  ["a date", () => dateIn(40), 20_000, 40_000],
  ["a date that is past", () => dateIn(-40), 2_000, 2_000],
  ["a negative number", () => "-5", 2_000, 2_000],
  ["words", () => "soon", 2_000, 2_000],
])("an endpoint that is busy rests as it asks: %s", async (_name, header, least, most) => {
  const rpc = await answering((response) =>
    response.writeHead(429, { "retry-after": header() }).end(),
  );
  const fault = await faultOf(rpc);
  expect(fault).toBeInstanceOf(EndpointFault);
  const { restMs = 0 } = fault as EndpointFault;
  expect(restMs).toBeGreaterThanOrEqual(least);
  expect(restMs).toBeLessThanOrEqual(most);
});

const WORDS = "bad\u0000 \u001b[2Jnews";

test("the words of an endpoint have no control characters, so that its fault can be stored", async () => {
  const rpc = await answering((response, id) =>
    response.end(JSON.stringify({ jsonrpc: "2.0", id, error: { code: 1, message: WORDS } })),
  );
  const refusal = await faultOf(rpc);
  expect(refusal).toBeInstanceOf(RpcRefusal);
  expect((refusal as Error).message).toBe("node: eth_chainId: bad   [2Jnews");
  expect(new EndpointFault("node", WORDS).message).toBe("node: bad   [2Jnews");
});

test("the words of a refused broadcast have no control characters", async () => {
  const rpc: Rpc = {
    name: "node",
    ask: async () => [{ result: false, code: "OTHER_ERROR", message: WORDS }],
    close: async () => {},
  };
  const quorum = {
    collect: async ({ ask }: { readonly ask: (rpc: Rpc) => Promise<unknown> }) => [
      { value: await ask(rpc) },
    ],
  } as unknown as Parameters<typeof broadcastToAll>[0];
  const signed = { networkCode: "tron", transactionHash: "ab", bytes: Uint8Array.of(1) };
  await expect(broadcastToAll(quorum, signed, sendTo)).rejects.toThrow(
    "every endpoint refused transaction ab: OTHER_ERROR: bad   [2Jnews",
  );
});
