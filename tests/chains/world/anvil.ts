import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "../../support/service/processes.ts";
import { postJson } from "./post-json.ts";

/** Where the test script found anvil. Without it the tests of this folder are skipped, and the script says so. */
export const ANVIL_PATH = process.env["ANVIL_PATH"] ?? "";

/** The slots of an epoch that make the block eight below the head final. */
const SLOTS_IN_AN_EPOCH = 4;
export const CHAIN_ID = 31_337;

/** A real node of one test. It mines a block for each transaction. */
export interface Anvil {
  readonly url: string;
  call<Result = string>(method: string, ...params: readonly unknown[]): Promise<Result>;
  kill(): Promise<void>;
}

/** It only ends what hangs. */
const MINED_WITHIN_MS = 60_000;

/** anvil answers before it has mined a transaction. One whose nonce is too high is not mined at once. */
async function untilMined(url: string, hash: string): Promise<void> {
  if (!(await callNode<boolean>(url, "anvil_getAutomine", []))) return;
  const untilMs = performance.now() + MINED_WITHIN_MS;
  while (performance.now() < untilMs) {
    if ((await callNode<object | null>(url, "eth_getTransactionReceipt", [hash])) !== null) return;
    await sleep(5);
  }
}

export async function startAnvil(
  chainId = CHAIN_ID,
  more: Readonly<Record<string, number>> = {},
  attempts = 3,
): Promise<Anvil> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const options = {
    host: "127.0.0.1",
    port,
    hardfork: "prague",
    "chain-id": chainId,
    "slots-in-an-epoch": SLOTS_IN_AN_EPOCH,
    ...more,
  };
  const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const node = spawn(ANVIL_PATH, ["--silent", ...args], { stdio: "ignore" });
  const exited = once(node, "exit");
  const call = async <Result>(method: string, ...params: readonly unknown[]): Promise<Result> => {
    const result = await callNode<Result>(url, method, params);
    if (method === "eth_sendTransaction") await untilMined(url, String(result));
    return result;
  };
  for (let tries = 0; ; tries += 1) {
    const isReady = await call("eth_chainId").then(
      () => true,
      () => false,
    );
    if (isReady) break;
    // Something else took the port after it was found free.
    if (node.exitCode !== null && attempts > 1) return startAnvil(chainId, more, attempts - 1);
    if (tries > 3_000 || node.exitCode !== null) throw new Error("anvil did not start");
    await sleep(20);
  }
  const kill = async (): Promise<void> => {
    node.kill("SIGKILL");
    await exited;
  };
  return { url, call, kill };
}

export async function callNode<Result>(
  url: string,
  method: string,
  params: readonly unknown[],
): Promise<Result> {
  const question = { jsonrpc: "2.0", id: 1, method, params };
  const answer = await postJson<{ result: Result; error?: { message: string } }>(url, question);
  if (answer.error) throw new Error(`${method}: ${answer.error.message}`);
  return answer.result;
}
