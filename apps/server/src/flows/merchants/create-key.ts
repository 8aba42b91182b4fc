import { KEY_SCOPES, type KeyScope } from "@exchange/contract";
import { parseNetwork } from "../../domain/merchants/networks.ts";
import type { Operator } from "../../domain/operators/operator.ts";
import type { ApiKey } from "../../domain/ports/merchant-directory.ts";
import { makeApiKey } from "../../secrets/api-key.ts";
import { logControl } from "../../storage/audit/control-log.ts";
import { insertApiKey, retireExpiredKeys } from "../../storage/merchants/api-keys.ts";
import { lockMerchant } from "../../storage/merchants/merchants.ts";
import type { Tx } from "../../storage/postgres/database.ts";
import type { Deps } from "../deps.ts";
import { requireOperator } from "../operators/require-operator.ts";
import { Refusal } from "../refusal.ts";

/** The limits of a key. */
export type KeyLimits = Pick<ApiKey, "scopes" | "expiresAt" | "networks">;

export const UNLIMITED_KEY: KeyLimits = { scopes: KEY_SCOPES, expiresAt: null, networks: null };

export interface CreateKey {
  readonly merchantId: string;
  /** All scopes that the person may give when absent. */
  readonly scopes?: readonly string[] | undefined;
  /** The scopes that a person of the merchant may give. Absent for the operator, who may give all. */
  readonly grantable?: readonly KeyScope[] | undefined;
  /** By the real clock. */
  readonly expiresAt?: Date | undefined;
  /** Addresses, or networks such as 203.0.113.0/24. The key works from every address when absent. */
  readonly networks?: readonly string[] | undefined;
  readonly by: Operator;
}

export interface CreatedKey extends KeyLimits {
  readonly keyId: string;
  /** The key in the clear. It cannot be shown again. */
  readonly apiKey: string;
}

type KeyDeps = Pick<Deps, "database" | "ids" | "environment">;

const NETWORKS_MAX = 20;

/**
 * Creates a second API key for a merchant, so that it can rotate without downtime. Refuses
 * NOT_FOUND, ROLE_REQUIRED for a scope beyond the person's rights, and INVALID_INPUT when two keys are active or a limit
 * is not valid.
 */
export async function createKey(deps: KeyDeps, command: CreateKey): Promise<CreatedKey> {
  const by = requireOperator(deps, command.by);
  const { merchantId } = command;
  const limits = readLimits(command);
  return deps.database.transaction(async (tx) => {
    if (!(await lockMerchant(tx, merchantId))) {
      throw new Refusal("NOT_FOUND", { message: `There is no merchant ${merchantId}.` });
    }
    return insertNewKey(tx, deps, { merchantId, limits, by });
  });
}

/** Call it within a database transaction that holds the merchant's lock. */
export async function insertNewKey(
  tx: Tx,
  deps: Pick<Deps, "ids" | "environment">,
  wanted: { readonly merchantId: string; readonly limits: KeyLimits; readonly by: Operator },
): Promise<CreatedKey> {
  const { merchantId, by } = wanted;
  const { scopes, expiresAt, networks } = wanted.limits;
  const limits = { scopes, expiresAt, networks };
  const { id, digest, text } = makeApiKey(deps.environment, deps.ids);
  await retireExpiredKeys(tx, merchantId);
  const key = await insertApiKey(tx, { id, merchantId, digest, ...limits });
  if (key === undefined) {
    throw new Refusal("INVALID_INPUT", {
      message: "The merchant has two active keys. Revoke one of them first.",
    });
  }
  await logControl(tx, {
    operator: by,
    action: "create_key",
    subject: key.id,
    details: { client: merchantId },
    before: null,
    after: showLimits(key),
  });
  return { keyId: key.id, apiKey: text, ...limits };
}

/** Returns the limits of a key for the log. */
export const showLimits = ({ scopes, expiresAt, networks }: KeyLimits) => ({
  scopes,
  expiresAt: expiresAt?.toISOString() ?? null,
  networks,
});

/** Refuses ROLE_REQUIRED for a key that would do more than the person may. */
export function requireGrantable(
  scopes: readonly string[],
  { grantable = KEY_SCOPES }: Pick<CreateKey, "grantable">,
): void {
  const beyond = scopes.filter((scope) => !grantable.some((one) => one === scope));
  if (beyond.length === 0) return;
  throw new Refusal("ROLE_REQUIRED", {
    message: `You may not make a key with ${beyond.join(" and ")}: it would do more than your roles let you. Your keys may have ${grantable.join(", ")}. Leave the rest out, or ask an owner of the merchant.`,
    details: [{ field: "scopes", issue: "has a scope that your roles do not let you give" }],
  });
}

function readLimits({ scopes, grantable, expiresAt, networks }: CreateKey): KeyLimits {
  if (expiresAt !== undefined && expiresAt.getTime() <= Date.now()) {
    throw invalid(`The expiry ${expiresAt.toISOString()} is in the past. Choose a later time.`);
  }
  const given = scopes === undefined ? (grantable ?? KEY_SCOPES) : readScopes(scopes);
  requireGrantable(given, { grantable });
  return {
    scopes: given,
    expiresAt: expiresAt ?? null,
    networks: networks === undefined || networks.length === 0 ? null : readNetworks(networks),
  };
}

function readScopes(names: readonly string[]): readonly KeyScope[] {
  const unknown = names.find((name) => !KEY_SCOPES.some((scope) => scope === name));
  if (unknown !== undefined || names.length === 0) {
    throw invalid(
      `"${unknown ?? ""}" is not a scope of an API key. Use some of ${KEY_SCOPES.join(", ")}.`,
    );
  }
  // Each scope once, in the contract's order.
  return KEY_SCOPES.filter((scope) => names.includes(scope));
}

function readNetworks(texts: readonly string[]): readonly string[] {
  if (texts.length > NETWORKS_MAX) {
    throw invalid(`A key has at most ${NETWORKS_MAX} networks, not ${texts.length}.`);
  }
  const networks = texts.map((text) => {
    const network = parseNetwork(text);
    if (network !== undefined) return network;
    throw invalid(
      `"${text}" is not a network. Write an address such as 203.0.113.7, or a network such as 203.0.113.0/24.`,
    );
  });
  return [...new Set(networks)];
}

const invalid = (message: string): Refusal => new Refusal("INVALID_INPUT", { message });
