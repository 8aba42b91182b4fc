import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseDigits } from "../../../apps/server/src/adapters/chains/digits.ts";
import { freePort } from "../../support/service/processes.ts";

/** Where the test script found litecoind. Without it its tests are skipped, and the script says so. */
export const LITECOIND_PATH = process.env["LITECOIND_PATH"] ?? "";

const USER = "test";
const PASSWORD = "p@ss/word";

/** A real node of one test, on a chain of its own that mines at once. */
export interface Litecoind {
  /** Its address for RPC, with name and password. */
  readonly url: string;
  /** The same address without them, for a proxy. */
  readonly openUrl: string;
  /** Asks the node. All numbers of the answer are text. */
  call<Result = string>(method: string, ...params: readonly unknown[]): Promise<Result>;
  /** Asks one of the node's wallets, where it has several. */
  wallet(name: string, method: string, ...params: readonly unknown[]): Promise<string>;
  /** Ends the process as `kill -9` does. */
  kill(): Promise<void>;
  /** Ends the process in order, so that everything is on disk. */
  stop(): Promise<void>;
  start(): Promise<void>;
  /** Keeps the node's data as it is on disk, or puts it back. The node does not run meanwhile. */
  saveData(): void;
  restoreData(): void;
  /** Connects it to another node of the test. */
  connectTo(other: Litecoind): Promise<void>;
  readonly peerAddress: string;
  /** Kills it and removes its data. */
  remove(): Promise<void>;
}

export async function startLitecoind(
  extra: readonly string[] = [],
  chain: "regtest" | "testnet" = "regtest",
): Promise<Litecoind> {
  const folder = mkdtempSync(join(tmpdir(), "exchange-litecoind-"));
  const data = join(folder, "data");
  const saved = join(folder, "saved");
  mkdirSync(data);
  const [port, peerPort] = [await freePort(), await freePort()];
  const peerAddress = `127.0.0.1:${peerPort}`;
  const args = [
    `-${chain}`,
    `-datadir=${data}`,
    "-server=1",
    `-rpcuser=${USER}`,
    `-rpcpassword=${PASSWORD}`,
    `-rpcport=${port}`,
    `-bind=${peerAddress}`,
    "-listen=1",
    "-connect=0",
    "-dnsseed=0",
    "-upnp=0",
    "-fallbackfee=0.0001",
    "-dbcache=16",
    // A wallet makes all its keys at once. The usual thousand take a second of a processor.
    "-keypool=10",
    "-rpcthreads=4",
    "-printtoconsole=0",
    ...extra,
  ];
  const address = `http://127.0.0.1:${port}/`;
  const call = <Result>(method: string, ...params: readonly unknown[]): Promise<Result> =>
    callNode<Result>(address, method, params);
  let node: ChildProcess | undefined;
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (!node || node.exitCode !== null || node.signalCode !== null) return;
    const exited = once(node, "exit");
    node.kill(signal);
    await exited;
  };
  const start = async (): Promise<void> => {
    node = spawn(LITECOIND_PATH, args, { stdio: "ignore" });
    for (let tries = 0; ; tries += 1) {
      const isReady = await call("getblockcount").then(
        () => true,
        () => false,
      );
      if (isReady) return;
      if (tries > 2_000) throw new Error("litecoind did not start");
      await sleep(30);
    }
  };
  await start();
  return {
    url: `http://${USER}:${encodeURIComponent(PASSWORD)}@127.0.0.1:${port}/`,
    openUrl: address,
    call,
    wallet: (name, method, ...params) => callNode(`${address}wallet/${name}`, method, params),
    kill: () => end("SIGKILL"),
    stop: () => end("SIGTERM"),
    start,
    saveData: () => cpSync(data, saved, { recursive: true }),
    restoreData: () => {
      rmSync(data, { recursive: true });
      cpSync(saved, data, { recursive: true });
    },
    peerAddress,
    connectTo: async (other) => {
      await call("addnode", other.peerAddress, "onetry");
    },
    remove: async () => {
      await end("SIGKILL");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function callNode<Result>(
  url: string,
  method: string,
  params: readonly unknown[],
): Promise<Result> {
  const pair = Buffer.from(`${USER}:${PASSWORD}`).toString("base64");
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Basic ${pair}` },
    body: JSON.stringify({ jsonrpc: "1.0", id: 1, method, params }),
  });
  const answer = parseDigits("litecoind", await response.text()) as {
    readonly result: Result;
    readonly error: { readonly message: string } | null;
  };
  if (answer.error) throw new Error(`${method}: ${answer.error.message}`);
  return answer.result;
}
