import path from "node:path";
import { makeReleaseKey } from "../../../apps/server/src/signer/ceremony.ts";
import type { PolicyFile } from "../../../apps/server/src/signer/policy.ts";
import { TEST_POLICY } from "../../../apps/server/src/testing/signer.ts";
import {
  makeSignerFiles,
  type SignerProcess,
  startSigner,
  startSignerThatDies,
} from "../../simulation/signer/signer-process.ts";

/** A signer of the test seeds in a process of its own, which tests stop and start. */
export interface LiveSigner {
  readonly socket: string;
  readonly releaseKeyFile: string;
  readonly folder: string;
  start(): Promise<void>;
  /** Starts one that kills itself around the first line of its log. */
  startThatDies(moment: "before_log" | "after_log"): Promise<void>;
  stop(): Promise<void>;
  close(): Promise<void>;
}

export interface LiveSignerOptions {
  readonly installation: string;
  readonly chainId: number;
  readonly contracts: Readonly<Record<"usdt" | "usdc", string>>;
  readonly change?: (policy: PolicyFile) => PolicyFile;
}

/** Makes a signer's files and starts it. */
export async function makeLiveSigner(options: LiveSignerOptions): Promise<LiveSigner> {
  const { installation, chainId, contracts, change = (policy) => policy } = options;
  const limits = { paymentCents: 200_000, hourCents: 3_000_000, approvalAboveCents: 100_000 };
  const stable = { network: "ethereum", decimals: 6, centsPerCoin: 100, ...limits };
  const files = makeSignerFiles();
  const releaseKeyFile = path.join(path.dirname(files.folder), "release.key");
  const policy: PolicyFile = {
    ...TEST_POLICY,
    installation,
    releaseKeys: [makeReleaseKey(releaseKeyFile)],
    replacementsMax: 8,
    networks: { ethereum: { ...TEST_POLICY.networks["ethereum"], chainId } as never },
    wallets: {
      "ethereum-hot": { network: "ethereum", keystore: "hot", path: "m/44'/60'/0'/0/0" },
      "ethereum-deposits": { network: "ethereum", keystore: "deposits", path: "m/44'/60'/1'/0" },
    },
    assets: {
      eth: { network: "ethereum", decimals: 18, centsPerCoin: 287_000, ...limits },
      "usdt-ethereum": { ...stable, contract: contracts.usdt },
      "usdc-ethereum": { ...stable, contract: contracts.usdc },
    },
  };
  const { folder, socket } = makeSignerFiles(change(policy));
  const at = { ...files, folder, socket };
  let running: SignerProcess | undefined;
  const startThatDies: LiveSigner["startThatDies"] = async (moment) => {
    await stop();
    running = await startSignerThatDies(at, moment);
  };
  const start = async (): Promise<void> => {
    await stop();
    running = await startSigner(at);
    if (!running.output().includes("ready on")) throw new Error(running.output());
  };
  const stop = async (): Promise<void> => {
    await running?.kill();
    running = undefined;
  };
  await start();
  return { socket, releaseKeyFile, folder, start, startThatDies, stop, close: stop };
}
