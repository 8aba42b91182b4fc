import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "../../support/service/processes.ts";

/** A real node of one test. It mines a block for each transaction. */
export interface Anvil {
  call<Result>(method: string, ...params: readonly unknown[]): Promise<Result>;
  kill(): Promise<void>;
}

export async function startAnvil(program: string): Promise<Anvil> {
  const port = await freePort();
  const args = ["--silent", "--host", "127.0.0.1", "--port", String(port), "--chain-id", "31337"];
  const node = spawn(program, args, { stdio: "ignore" });
  const exited = once(node, "exit");
  const call = async <Result>(method: string, ...params: readonly unknown[]): Promise<Result> => {
    const response = await fetch(`http://127.0.0.1:${port}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
    });
    const answer = (await response.json()) as { result: Result; error?: { message: string } };
    if (answer.error) throw new Error(`${method}: ${answer.error.message}`);
    return answer.result;
  };
  for (let tries = 0; ; tries += 1) {
    const isReady = await call("eth_chainId").then(
      () => true,
      () => false,
    );
    if (isReady) break;
    if (tries > 1_000) throw new Error("anvil did not start");
    await sleep(30);
  }
  const kill = async (): Promise<void> => {
    node.kill("SIGKILL");
    await exited;
  };
  return { call, kill };
}
