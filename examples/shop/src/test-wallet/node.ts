const TIMEOUT_MS = 5_000;

/** The node refused a call, or cannot be reached. */
export class NodeError extends Error {}

export interface Block {
  readonly number: string;
  readonly hash: string;
  readonly timestamp: string;
  readonly transactions: readonly Transaction[];
}

export interface Transaction {
  readonly hash: string;
  readonly from: string;
  readonly to: string | null;
  readonly value: string;
}

export interface Log {
  readonly address: string;
  readonly topics: readonly string[];
  readonly data: string;
  readonly blockNumber: string;
  readonly transactionHash: string;
  readonly logIndex: string;
}

export type CallNode = <Result>(method: string, ...params: readonly unknown[]) => Promise<Result>;

/** Returns how to call the node of a test chain. A name and password of the address go into a header. */
export const callsTo = (address: string): CallNode => {
  const url = new URL(address);
  const pair = Buffer.from(`${url.username}:${url.password}`).toString("base64");
  const headers = {
    "content-type": "application/json",
    ...(url.username !== "" && { authorization: `Basic ${pair}` }),
  };
  url.username = "";
  url.password = "";
  return async <Result>(method: string, ...params: readonly unknown[]): Promise<Result> => {
    const response = await fetch(url, {
      method: "POST",
      headers,
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    }).catch(() => {
      throw new NodeError("The test chain does not answer. Is `npm start` still running?");
    });
    const answer = (await response.json()) as {
      result: Result;
      error?: { message: string } | null;
    };
    if (answer.error) throw new NodeError(`The test chain refused: ${answer.error.message}.`);
    return answer.result;
  };
};

export const hex = (number: bigint | number): string => `0x${number.toString(16)}`;

/** Returns a number or an address as one word of a call. */
export const word = (value: bigint | string): string =>
  (typeof value === "bigint" ? value.toString(16) : value.slice(2).toLowerCase()).padStart(64, "0");

/** EIP-55: a letter is upper-case where the hash of the address has a high digit. The node knows the hash. */
export async function withChecksum(call: CallNode, address: string): Promise<string> {
  const digits = address.slice(2).toLowerCase();
  const hash = await call<string>("web3_sha3", `0x${Buffer.from(digits).toString("hex")}`);
  const letters = Array.from(digits, (digit, index) =>
    Number.parseInt(hash.charAt(index + 2), 16) >= 8 ? digit.toUpperCase() : digit,
  );
  return `0x${letters.join("")}`;
}
