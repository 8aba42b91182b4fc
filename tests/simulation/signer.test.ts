import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { readdirSync, readFileSync, readlinkSync, statSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, test } from "vitest";
import {
  askSigner,
  SignerRefused,
  SignerUnavailable,
} from "../../apps/server/src/adapters/chains/signer-client.ts";
import type { SignedAnswer, StatusAnswer } from "../../apps/server/src/signer/protocol.ts";
import { readSignLog } from "../../apps/server/src/signer/sign-log.ts";
import {
  CUSTOMER,
  GAS,
  makeRelease,
  openTestSigner,
  signRelease,
  TEST_POLICY,
} from "../../apps/server/src/testing/signer.ts";
import { startAnvil } from "./signer/anvil.ts";
import {
  makeSignerFiles,
  runThroughCommand,
  type SignerFiles,
  type SignerProcess,
  startSigner,
  startSignerThatDies,
} from "./signer/signer-process.ts";

const running: SignerProcess[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((signer) => signer.kill()));
});

async function start(files: SignerFiles, starting = startSigner(files)): Promise<SignerProcess> {
  const signer = await starting;
  running.push(signer);
  return signer;
}

const payAt = (nonce: number, intent: string = randomUUID()) => ({
  op: "pay" as const,
  release: signRelease(
    makeRelease({ intent, place: { kind: "nonce", nonce: BigInt(nonce) }, releasedAt: new Date() }),
  ),
  gas: GAS,
});
/** Asks again, as a worker does, when the answer took longer than the client waits. */
const sign = (files: SignerFiles, request: ReturnType<typeof payAt>): Promise<SignedAnswer> =>
  askSigner<SignedAnswer>(files.socket, request).catch((error: Error) => {
    if (error instanceof SignerUnavailable && error.message.includes("too long")) {
      return sign(files, request);
    }
    throw error;
  });
const logOf = (files: SignerFiles) => readSignLog(path.join(files.folder, "sign.log")).signatures;

test("it signs over its socket, which is open to owner and group only", async () => {
  const files = makeSignerFiles();
  const signer = await start(files);
  expect(statSync(files.socket).mode & 0o777).toBe(0o660);
  const request = payAt(0);
  const answer = await sign(files, request);
  expect(await sign(files, request)).toEqual(answer);
  const status = await askSigner<StatusAnswer>(files.socket, { op: "status" });
  expect(status.accounts).toEqual({ "eth-hot": { signatures: 1, highest: "0" } });
  expect(status.logEntries).toBe(1);
  await expect(sign(files, payAt(0))).rejects.toThrow(SignerRefused);
  await signer.kill("SIGTERM");
  expect(await signer.exited).toBe(0);
  await expect(sign(files, request)).rejects.toThrow(SignerUnavailable);
});

test("it does not start with a wrong passphrase, nor beside a signer on the same socket", async () => {
  const files = makeSignerFiles();
  writeFileSync(files.passphraseFile, "another passphrase\n");
  const refused = await start(files);
  expect(await refused.exited).toBe(1);
  expect(refused.output()).toContain("passphrase is wrong");
  writeFileSync(files.passphraseFile, "correct horse battery staple\n");
  await start(files);
  const second = await start(files);
  expect(await second.exited).toBe(1);
  expect(second.output()).toContain("listens on");
});

test("exchange signer run starts it without the service's settings, and ends it", async () => {
  const files = makeSignerFiles();
  const command = await start(files, runThroughCommand(files));
  await sign(files, payAt(0));
  await command.kill("SIGTERM");
  expect(await command.exited).toBe(0);
  await expect(sign(files, payAt(1))).rejects.toThrow(SignerUnavailable);
});

describe("crashes", () => {
  test("killed before the log line, it signs when asked again", async () => {
    const files = makeSignerFiles();
    const dying = await start(files, startSignerThatDies(files, "before_log"));
    const request = payAt(0);
    await expect(sign(files, request)).rejects.toThrow(SignerUnavailable);
    await dying.exited;
    expect(logOf(files)).toHaveLength(0);
    await start(files);
    await sign(files, request);
    expect(logOf(files)).toHaveLength(1);
  });

  test("killed after the log line, it returns the bytes of the log and nothing else", async () => {
    const files = makeSignerFiles();
    const dying = await start(files, startSignerThatDies(files, "after_log"));
    const request = payAt(0);
    await expect(sign(files, request)).rejects.toThrow(SignerUnavailable);
    await dying.exited;
    const [logged] = logOf(files);
    await start(files);
    await expect(sign(files, payAt(0))).rejects.toMatchObject({
      failure: { reason: "place_taken" },
    });
    const answer = await sign(files, request);
    expect(answer.bytes).toBe(logged?.bytes);
    expect(logOf(files)).toHaveLength(1);
  });

  test("killed at any moment, each signature that left is in the log", async () => {
    const files = makeSignerFiles({ ...TEST_POLICY, hourCents: 6_000_000 });
    const answered = new Map<string, { request: ReturnType<typeof payAt>; bytes: string }>();
    for (const answersBeforeKill of [1, 5]) {
      const signer = await start(files);
      const first = logOf(files).length;
      let kill: Promise<void> | undefined;
      // Requests overlap, so the kill meets some of them between their arrival and their answer.
      const requests = Array.from({ length: 20 }, (_, index) => payAt(first + index));
      await Promise.allSettled(
        requests.map(async (request) => {
          const { hash, bytes } = await sign(files, request);
          answered.set(hash, { request, bytes });
          if (answered.size >= answersBeforeKill) kill ??= signer.kill();
        }),
      );
      await (kill ?? signer.kill());
    }
    await start(files);
    const logged = new Map(logOf(files).map(({ hash, bytes }) => [hash, bytes]));
    for (const [hash, { request, bytes }] of answered) {
      expect(logged.get(hash)).toBe(bytes);
      expect(await sign(files, request)).toEqual({ hash, bytes });
    }
    expect(answered.size).toBeGreaterThan(0);
  });
});

describe("hostile peers", () => {
  /** Writes bytes to the socket and returns everything that comes back until it closes. */
  const write = (files: SignerFiles, bytes: Buffer) =>
    new Promise<string>((resolve, reject) => {
      let text = "";
      const socket = connect(files.socket, () => socket.write(bytes));
      socket.on("data", (data) => {
        text += data.toString("utf8", text === "" ? 4 : 0);
        socket.end();
      });
      socket.on("error", reject);
      socket.on("close", () => resolve(text));
    });
  const frame = (text: string, length = Buffer.byteLength(text)) => {
    const head = Buffer.alloc(4);
    head.writeUInt32BE(length);
    return Buffer.concat([head, Buffer.from(text)]);
  };

  test("a bad frame is answered with its fault, and half a frame disturbs nobody", async () => {
    const files = makeSignerFiles();
    await start(files);
    const answers = await Promise.all([
      write(files, frame("", 0xffffffff)),
      write(files, frame("{")),
      write(files, frame('{"id":7,"op":"export"}')),
      write(files, frame('{"id":8,"op":"status","op2":1}')),
    ]);
    expect(answers.map((text) => JSON.parse(text))).toEqual([
      {
        id: null,
        error: { code: "BAD_REQUEST", message: expect.stringContaining("at most 262144") },
      },
      { id: null, error: { code: "BAD_REQUEST", message: "The request is not JSON." } },
      {
        id: null,
        error: {
          code: "BAD_REQUEST",
          message: expect.stringContaining("- op: The value must be one of pay, "),
        },
      },
      { id: 8, error: { code: "BAD_REQUEST", message: expect.stringContaining("no member op2") } },
    ]);
    // Half frames and closed connections disturb nobody.
    for (let count = 0; count < 40; count += 1) {
      const socket = connect(files.socket, () => {
        socket.write(frame('{"id":1', 500));
        socket.destroy();
      });
      socket.on("error", () => {});
      await once(socket, "close");
    }
    await sign(files, payAt(0));
  });
});

/** Returns the inodes of TCP and UDP sockets that the process holds (Linux). */
function internetSocketsOf(pid: number): string[] {
  const inodes = new Set(
    ["tcp", "tcp6", "udp", "udp6"].flatMap((name) =>
      readFileSync(`/proc/${pid}/net/${name}`, "utf8")
        .split("\n")
        .slice(1)
        .map((line) => line.trim().split(/\s+/)[9] ?? ""),
    ),
  );
  return readdirSync(`/proc/${pid}/fd`)
    .map((fd) => readlinkOf(`/proc/${pid}/fd/${fd}`))
    .filter((target) => inodes.has(/^socket:\[(\d+)\]$/.exec(target)?.[1] ?? "-"));
}

function readlinkOf(file: string): string {
  try {
    return readlinkSync(file);
  } catch {
    return "";
  }
}

test.skipIf(process.platform !== "linux")(
  "it holds no socket of the internet, not even after the signal that opens Node's debugger",
  async () => {
    const files = makeSignerFiles();
    const signer = await start(files);
    process.kill(signer.pid, "SIGUSR1");
    await sleep(300);
    await sign(files, payAt(0));
    expect(internetSocketsOf(signer.pid)).toEqual([]);
    expect(signer.output()).not.toContain("Debugger");
  },
);

const ANVIL_PATH = process.env["ANVIL_PATH"] ?? "";
if (ANVIL_PATH === "") {
  console.warn("signer: anvil NOT RUN (2 transactions): name the program in ANVIL_PATH");
}

/** A real node decides whether it accepts the bytes, and what the address has afterwards. */
describe.skipIf(ANVIL_PATH === "")("on anvil", () => {
  test.each([
    ["EIP-1559", { ...GAS, gasLimit: "21000" }],
    ["legacy", { type: "legacy", gasLimit: "21000", gasPrice: "30000000000" }],
  ] as const)("a signed %s payment arrives with exactly its units", async (_, gas) => {
    const anvil = await startAnvil(ANVIL_PATH);
    try {
      const signer = openTestSigner();
      const { hash, bytes } = signer.sign({
        op: "pay",
        release: signRelease(makeRelease({ asset: "eth", units: 123_456_789n })),
        gas,
      });
      expect(await anvil.call("eth_sendRawTransaction", `0x${bytes}`)).toBe(`0x${hash}`);
      const balance = () => anvil.call<string>("eth_getBalance", CUSTOMER, "latest");
      await expect.poll(async () => BigInt(await balance())).toBe(123_456_789n);
    } finally {
      await anvil.kill();
    }
  });
});
