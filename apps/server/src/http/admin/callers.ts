import {
  type AdminEndpoint,
  isForServiceAccounts,
  isRoleName,
  PERSON_PERMISSIONS,
  type Permission,
  permissionsOf,
} from "@exchange/contract/admin";
import type { FastifyRequest } from "fastify";
import { LRUCache } from "lru-cache";
import { callerNetwork } from "../../domain/merchants/networks.ts";
import type { Operator } from "../../domain/operators/operator.ts";
import { steppedUpUntil } from "../../domain/people/person.ts";
import {
  actorOf,
  type PeopleDeps,
  requireSession,
  type SignedIn,
} from "../../flows/people/open-session.ts";
import { requireServiceAccount } from "../../flows/people/service-account-key.ts";
import { Refusal } from "../../flows/refusal.ts";
import { makeFailureLimiter } from "../limits/failure-limiter.ts";
import { holderOf } from "../limits/holder.ts";
import { type RateLimiter, steadyMs } from "../limits/rate-limiter.ts";
import { readCookie } from "./cookies.ts";

/** A person in a session or a service account, with their rights. */
export interface AdminCaller {
  /** The caller as flows and the log name them. */
  readonly by: Operator;
  /** The only merchant whose data the caller may see; null for one of the operator. */
  readonly merchantId: string | null;
  may(permission: Permission): boolean;
}

/** A person in a session. Only they have an account of their own to change. */
export interface SignedInCaller extends AdminCaller, SignedIn {}

const isSignedIn = (caller: AdminCaller): caller is SignedInCaller => "session" in caller;

/** Returns the merchant of a caller of an endpoint of merchants' people. */
export function ownMerchant({ merchantId }: AdminCaller): string {
  if (merchantId === null) throw new Error("The endpoint's row lets people of the operator in.");
  return merchantId;
}

/** A bound on the callers that are remembered. Fewer are active at any time. */
const SEEN_MAX = 10_000;
const FIVE_MINUTES_MS = 5 * 60_000;
const BEARER = /^Bearer +(\S+) *$/i;

/**
 * Returns the key of a service account. Another scheme is not one of ours: a proxy before the console may ask people
 * for a password of its own.
 */
export const bearerOf = ({ headers }: Pick<FastifyRequest, "headers">): string | undefined =>
  BEARER.exec(headers.authorization ?? "")?.[1];

export interface CallerLimits {
  /** Cookies and keys that this process has not seen work, of an address. */
  readonly unknown: RateLimiter;
  readonly failedKeysPerFiveMinutes: number;
}

/**
 * Makes the function that finds the caller of a request. A request with a key is the service account's, and its cookies
 * do not count. An address that sends unknown cookies or keys is refused before the database is asked, and keys that
 * fail are counted over all processes. A cookie or key that has worked passes, so strangers cannot shut their
 * neighbours out.
 */
export function makeFindCaller(deps: PeopleDeps, limits: CallerLimits) {
  const seen = new LRUCache<string, true>({ max: SEEN_MAX });
  const failures = makeFailureLimiter(deps, {
    ...{ limit: limits.failedKeysPerFiveMinutes, windowMs: FIVE_MINUTES_MS, nowMs: steadyMs },
  });
  const findByKey = async (key: string, address: string): Promise<AdminCaller> => {
    try {
      const { role, ...account } = await requireServiceAccount(deps, { key, address });
      return { ...account, may: ofServiceAccount(rightsOf([role])) };
    } catch (error) {
      const isRefused = error instanceof Refusal && error.code === "SERVICE_ACCOUNT_KEY_INVALID";
      if (isRefused && !(await failures.take(holderOf(address))).allowed) {
        throw new Refusal("RATE_LIMITED", { logged: error.logged ?? {} });
      }
      throw error;
    }
  };
  const findByCookie = async (token: string, address: string): Promise<SignedInCaller> => {
    const signedIn = await requireSession(deps, { token, address });
    const { person } = signedIn;
    const by = actorOf(person, address);
    return { ...signedIn, by, merchantId: person.merchantId, may: rightsOf(person.roles) };
  };
  return async (request: FastifyRequest): Promise<AdminCaller> => {
    const key = bearerOf(request);
    const secret = key ?? readCookie("session", request.headers.cookie, deps.consoleUrl);
    if (secret === undefined) throw new Refusal("SIGN_IN_REQUIRED");
    if (!seen.has(secret)) take(limits.unknown, callerNetwork(request.ip));
    try {
      const caller = await (key === undefined ? findByCookie : findByKey)(secret, request.ip);
      seen.set(secret, true);
      return caller;
    } catch (error) {
      seen.delete(secret);
      throw error;
    }
  };
}

export function take(limiter: RateLimiter, key: string): void {
  if (!limiter.take(key).allowed) throw new Refusal("RATE_LIMITED");
}

function rightsOf(roles: readonly string[]): AdminCaller["may"] {
  const rights = permissionsOf(roles.filter(isRoleName));
  return (permission) => rights.includes(permission);
}

/** A service account has no right that only a person has, whatever its role. */
const ofServiceAccount =
  (may: AdminCaller["may"]): AdminCaller["may"] =>
  (permission) =>
    may(permission) && !PERSON_PERMISSIONS.includes(permission);

/** Refuses ROLE_REQUIRED, PERSON_REQUIRED and STEP_UP_REQUIRED, by the endpoint's row. */
export function requireRights(caller: AdminCaller, endpoint: AdminEndpoint): void {
  const { permission, kind, stepUp } = endpoint;
  if (!isSignedIn(caller) && !isForServiceAccounts(endpoint)) throw new Refusal("PERSON_REQUIRED");
  const isOfKind = kind === undefined || (caller.merchantId === null) === (kind === "operator");
  if (!isOfKind || (permission !== undefined && !caller.may(permission))) {
    throw new Refusal("ROLE_REQUIRED", { logged: { person: caller.by.person } });
  }
  if (!stepUp || !isSignedIn(caller)) return;
  if (steppedUpUntil(caller.session).getTime() <= Date.now()) throw new Refusal("STEP_UP_REQUIRED");
}
