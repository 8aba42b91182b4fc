// The local chain: anvil without mining of its own. Each block is stored before the next one is mined, so a killed
// chain loses its newest block at most. No block that was final is ever lost.
import {
  closeSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { startProgram } from "./program.mjs";

export const CHAIN_ID = 31_337;
/** Anvil calls the block final that is two epochs below the newest one. */
const SLOTS_IN_AN_EPOCH = 2;
export const FINAL_DEPTH = SLOTS_IN_AN_EPOCH * 2;
/** States of older blocks are forgotten. The scanner asks for the newest ones only. */
const STATES_IN_MEMORY = 64;

/** Starts anvil on the state in the folder, or on a new chain. Resolves when it answers. */
export async function startNode({ folder, port, anvilPath }) {
  const url = `http://127.0.0.1:${port}`;
  const call = (method, ...params) => callNode(url, method, params);
  const saved = readState(folder);
  const loaded = join(folder, "state.json");
  if (saved !== undefined) writeFileSync(loaded, gunzipSync(saved), { mode: 0o600 });
  const options = {
    host: "127.0.0.1",
    port,
    hardfork: "prague",
    accounts: 1,
    "chain-id": CHAIN_ID,
    "slots-in-an-epoch": SLOTS_IN_AN_EPOCH,
    "prune-history": STATES_IN_MEMORY,
    ...(saved !== undefined && { "load-state": loaded }),
  };
  const words = Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const program = startProgram({
    name: "anvil",
    file: anvilPath,
    words: ["--silent", "--no-mining", ...words],
    folder,
  });
  // Its last state is stored, and at another signal it would write one of its own.
  const stop = () => program.stop("SIGKILL");
  try {
    await program.waitFor(() => call("eth_chainId"));
  } catch (error) {
    await stop();
    throw error;
  }
  rmSync(loaded, { force: true });
  return { url, pid: program.pid, call, ended: program.ended, stop, isNew: saved === undefined };
}

/** Calls a method of the node. */
async function callNode(url, method, params) {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
    signal: AbortSignal.timeout(15_000),
  });
  const { result, error } = await response.json();
  if (error) throw new Error(`${method}: ${error.message}`);
  return result;
}

const statePath = (folder) => join(folder, "state.gz");

function readState(folder) {
  try {
    return readFileSync(statePath(folder));
  } catch (error) {
    if (error.code === "ENOENT") return undefined;
    throw error;
  }
}

/** Mines blocks and stores the chain. */
export async function mine({ call }, folder, blocks = 1) {
  for (let block = 0; block < blocks; block += 1) await call("evm_mine");
  const state = Buffer.from((await call("anvil_dumpState")).slice(2), "hex");
  const partial = `${statePath(folder)}.new`;
  const file = openSync(partial, "w", 0o600);
  try {
    writeFileSync(file, state);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(partial, statePath(folder));
}

export const hasPending = async ({ call }) => Number((await call("txpool_status")).pending) > 0;
