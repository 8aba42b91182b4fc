import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { ErrorBody, ORDER_STATUSES, WebhookPayload } from "@exchange/contract";
import { Ajv2020 } from "ajv/dist/2020.js";
import { loadBuilt } from "../service/built-module.ts";
import { runHere } from "../service/command-line.ts";
import { ROOT, type Service } from "../service/service.ts";
import { blocksIn } from "./blocks.ts";

type Json = { readonly [member: string]: unknown };
/** Returns what is wrong with a block. */
type Check = (text: string, service: Service) => Promise<readonly string[]> | readonly string[];

const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });

/** A hot wallet of coins, which the page's example lacks. */
const HOT_COINS = '"hot": { "wallet": "litecoin-hot", "xpub": "zpub…" }';

/** The checks of blocks that are read and not run (`registry.ts`). */
export const CHECKS: Readonly<Record<string, Check>> = {
  WebhookPayload: (text) => faultsOf(WebhookPayload, text),
  ErrorBody: (text) => faultsOf(ErrorBody, text),
  "german texts": (text) => {
    const folder = path.join(ROOT, "apps/checkout/locales/de");
    const files = readdirSync(folder).map((file) => readFileSync(path.join(folder, file), "utf8"));
    const real: Json = Object.assign({}, ...files.map((file) => JSON.parse(file)));
    return Object.entries(jsonOf(text)).flatMap(([key, word]) => (real[key] === word ? [] : [key]));
  },
  rails: (text) => problemsOfRails(jsonOf(text)),
  "ethereum rails": (text) => problemsInExample("chains", text),
  "solana rails": (text) => problemsInExample("solana", text),
  "litecoin rails": (text) => problemsInExample("bitcoin-and-litecoin", `${HOT_COINS},${text}`),
  policy: (text) => problemsOfPolicy(jsonOf(text)),
  unit: (text) => {
    const lines = text.replaceAll("\\\n", "").trim().split("\n");
    const wrong = lines.filter((line) => !/^(\[\w+\]|[A-Z]\w+=.*|)$/.test(line));
    if (!text.includes("\n[Install]\nWantedBy=")) wrong.push("the unit cannot be enabled");
    const program = /\/usr\/lib\/exchange\/apps\/server\/dist\/(\S+)\.js/.exec(text)?.[1];
    const isThere = existsSync(path.join(ROOT, `apps/server/src/${program}.ts`));
    return isThere ? wrong : [...wrong, `${program} is not a program of the server`];
  },
  tree: (text) => {
    let root = "";
    return [...text.matchAll(/^( ?| {2})([\w./-]+)/gm)].flatMap(([, indent, name = ""]) => {
      if (indent === "") root = name;
      const file = path.join(ROOT, indent === "" ? name : root + name);
      return existsSync(file) ? [] : [file];
    });
  },
  "callback route": async (text, { url }) => {
    const answerOf = async (provider: string): Promise<number> => {
      const address = text.trim().replace("https://pay.example.com", url);
      const call = { method: "POST", body: "{}" };
      return (await fetch(address.replace("<provider>", provider), call)).status;
    };
    // The sandbox's provider is there and refuses what it did not sign.
    const answers = [await answerOf("sandbox"), await answerOf("unknown")];
    return answers.join() === "401,404" ? [] : [`the address answers ${answers.join(" and ")}`];
  },
  status: async (text, service) => {
    const labels = (words: string) =>
      [...words.matchAll(/^[A-Z][\w 4]+:/gm)].map(([label]) => label);
    const { stdout } = await runHere(service, "status");
    const real = labels(stdout);
    return labels(text).filter((label) => !real.includes(label));
  },
  statuses: (text) => {
    const named = [...text.matchAll(/[a-z_]+/g)].map(([word]) => word);
    return named.filter((word) => !(ORDER_STATUSES as readonly string[]).includes(word));
  },
};

function faultsOf(schema: object, text: string): readonly string[] {
  const validate = ajv.compile(schema);
  if (validate(jsonOf(text))) return [];
  return (validate.errors ?? []).map((error) => `${error.instancePath} ${error.message}`);
}

/** Reads JSON. Members without braces are an excerpt of an object. */
function jsonOf(text: string): Json {
  const trimmed = text.trim();
  return JSON.parse(trimmed.startsWith("{") ? trimmed : `{${trimmed}}`) as Json;
}

/** Returns what the service would say of the rails file, except about values that the page shortens with `…`. */
async function problemsOfRails(rails: Json): Promise<readonly string[]> {
  const { readRailsFile } = await loadBuilt<{
    readRailsFile(file: string, place: object): unknown;
  }>("start/rails/rails-file.js");
  const { shippedCatalogue } = await loadBuilt<{ shippedCatalogue(): Promise<object> }>(
    "testing/catalogue.js",
  );
  const folder = await mkdtemp(path.join(tmpdir(), "exchange-rails-"));
  const file = path.join(folder, "rails.json");
  // The page says that its later examples omit the signer.
  writeFileSync(file, JSON.stringify({ signer: SIGNER, ...rails }));
  const catalogue = await shippedCatalogue();
  // An example is of a network with real coins, or of one without.
  const [inProd = [], inStaging = []] = ["prod", "staging"].map((environment) => {
    try {
      readRailsFile(file, { environment, processes: 1, catalogue });
      return [];
    } catch (error) {
      const lines = (error as Error).message.split("\n").slice(1, -1);
      return lines.filter((line) => !isShortened(rails, line.trim().split(":")[0] ?? ""));
    }
  });
  await rm(folder, { recursive: true });
  return inStaging.length === 0 ? [] : inProd;
}

const SIGNER = { socket: "/signer.sock", releaseKeyFile: "/release.key", installation: "shop-1" };

const isShortened = (rails: Json, place: string): boolean => {
  const names = place.split(/[.[\]]+/).filter((name) => name !== "");
  const value = names.reduce<unknown>((at, name) => (at as Json | undefined)?.[name], rails);
  return typeof value === "string" && value.includes("…");
};

/** Puts an excerpt into the example of its network, the first block of JSON on the page. */
function problemsInExample(page: string, text: string): Promise<readonly string[]> {
  const name = `operating/${page}`;
  const markdown = readFileSync(path.join(ROOT, `docs/${name}.md`), "utf8");
  const block = blocksIn(name, markdown).find(({ language }) => language === "json");
  const example = jsonOf(block?.text ?? "");
  const chains = Object.entries(example["chains"] as Readonly<Record<string, Json>>);
  const filled = chains.map(([network, whole]) => [network, { ...whole, ...jsonOf(text) }]);
  return problemsOfRails({ ...example, chains: Object.fromEntries(filled) });
}

/** Puts an excerpt into the smallest policy of a signer. */
async function problemsOfPolicy(excerpt: Json): Promise<readonly string[]> {
  const { parsePolicy } = await loadBuilt<{ parsePolicy(text: string): unknown }>(
    "signer/parse-policy.js",
  );
  const { printPublicKey } = await loadBuilt<{ printPublicKey(key: KeyObject): string }>(
    "signer/policy.js",
  );
  const key = () => printPublicKey(generateKeyPairSync("ed25519").publicKey);
  const ethereum = {
    ...{ kind: "evm", chainId: 1, gasLimitMax: 200_000, dayCents: 50_000 },
    ...{ feeMax: "20000000000000000", feeMaxPerDay: "200000000000000000" },
  };
  const policy = {
    ...{ format: "exchange-policy/1", installation: "shop-1", releaseKeys: [key()] },
    ...{ approvers: { anna: key(), ben: key() }, approvalsNeeded: 2, releaseHoursMax: 24 },
    ...{ replacementsMax: 5, hourCents: 2_000_000, dayCents: 5_000_000, denied: [] },
    ...{ networks: { ethereum }, wallets: {}, ...excerpt },
  };
  try {
    parsePolicy(JSON.stringify(policy));
    return [];
  } catch (error) {
    return [(error as Error).message];
  }
}
