import type { ControlAction } from "@exchange/contract/admin";
import { callerNetwork } from "../../domain/merchants/networks.ts";
import type { Operator } from "../../domain/operators/operator.ts";
import type { Person, SignedInWith } from "../../domain/people/person.ts";
import type { IdentityProvider } from "../../domain/ports/identity-provider.ts";
import { hashToken, makeLinkToken } from "../../secrets/passwords.ts";
import { logControl } from "../../storage/audit/control-log.ts";
import {
  endSessionOfToken,
  findSession,
  insertSession,
  type OpenPersonSession,
} from "../../storage/people/sessions.ts";
import type { Tx } from "../../storage/postgres/database.ts";
import type { Deps } from "../deps.ts";
import { Refusal } from "../refusal.ts";

/** The dependencies of accounts. The console's address binds passkeys, links and cookies. */
export type PeopleDeps = Pick<
  Deps,
  "database" | "ids" | "environment" | "secrets" | "rateCounters" | "log"
> & {
  readonly consoleUrl: string;
  /** Absent where single sign-on is off. */
  readonly identityProvider?: IdentityProvider | undefined;
};

/** Where a request of the console comes from. */
export interface RequestOrigin {
  readonly address: string;
  /** The browser as it names itself. */
  readonly browser: string;
  /** The secret of the session that the browser has already. A sign-in ends that session. */
  readonly earlierToken?: string | undefined;
}

/** A person who calls, in an open session. */
export type SignedIn = OpenPersonSession & { readonly address: string };

const BROWSER_LENGTH_MAX = 200;

/** Returns the person as the log of changes names them. */
export const actorOf = (
  { id, email, merchantId }: Pick<Person, "id" | "email" | "merchantId">,
  address: string,
): Operator => ({
  person: email,
  systemUser: null,
  sudoUser: null,
  account: `person ${id}`,
  console: { personId: id, merchantId, address },
});

export interface NewSignIn {
  readonly person: Person;
  readonly signedInWith: SignedInWith;
  readonly origin: RequestOrigin;
  readonly action: Extract<ControlAction, "sign_in" | "accept_invitation">;
}

/**
 * Opens a session in the database transaction of its sign-in, and logs it. Returns the secret of its cookie, of
 * which the database has only a hash. Each sign-in has a new one, so none can be planted before. The session that the
 * browser had before ends. A sign-in at the provider is not a fresh proof, because it may have asked for nothing.
 */
export async function openSession(tx: Tx, deps: PeopleDeps, signIn: NewSignIn): Promise<string> {
  const { person, signedInWith, origin, action } = signIn;
  const token = makeLinkToken((count) => deps.ids.bytes(count));
  const { earlierToken } = origin;
  if (earlierToken !== undefined) await endSessionOfToken(tx, hashToken(earlierToken));
  await insertSession(tx, {
    id: deps.ids.uuid(),
    personId: person.id,
    tokenHash: hashToken(token),
    signedInWith,
    address: origin.address,
    browser: origin.browser.slice(0, BROWSER_LENGTH_MAX),
    isProof: signedInWith !== "provider" || action === "accept_invitation",
  });
  await logControl(tx, {
    operator: actorOf(person, origin.address),
    action,
    subject: person.email,
    details: { with: signedInWith },
    before: null,
    after: null,
  });
  return token;
}

/** Finds the session of a cookie. Refuses SIGN_IN_REQUIRED. */
export async function requireSession(
  deps: Pick<Deps, "database">,
  { token, address }: { readonly token: string | undefined; readonly address: string },
): Promise<SignedIn> {
  const found =
    token === undefined ? undefined : await findSession(deps.database, hashToken(token));
  if (found === undefined) throw new Refusal("SIGN_IN_REQUIRED");
  return { ...found, address };
}

const WINDOW_MS = 15 * 60_000;

/** The attempts that one network address, one account, and one signed-in person, may make in 15 minutes. */
const SIGN_IN_ATTEMPTS_MAX = { address: 60, account: 10, person: 10 } as const;

/**
 * Counts an attempt to sign in over all processes, whether or not the account exists. Refuses RATE_LIMITED. A
 * stranger can use up the attempts of an account with a password. A passkey is therefore not counted by account, and
 * a fresh proof has attempts of its own. All IPv6 addresses of one network of 64 bits count as one.
 */
export async function countAttempt(
  deps: Pick<Deps, "rateCounters">,
  attempt: Readonly<Partial<Record<keyof typeof SIGN_IN_ATTEMPTS_MAX, string>>>,
): Promise<void> {
  const keys = {
    ...attempt,
    ...(attempt.address !== undefined && { address: callerNetwork(attempt.address) }),
  };
  const kinds = (["address", "account", "person"] as const).filter(
    (kind) => keys[kind] !== undefined,
  );
  const windows = await deps.rateCounters.add(
    kinds.map((kind) => ({
      limit: `sign_in_${kind}`,
      key: keys[kind] ?? "",
      amount: 1,
      windowMs: WINDOW_MS,
    })),
  );
  const full = windows.filter(
    (window, index) => window.count > SIGN_IN_ATTEMPTS_MAX[kinds[index] ?? "address"],
  );
  if (full.length === 0) return;
  const retryAfterSeconds = Math.ceil(Math.max(...full.map(({ endsInMs }) => endsInMs)) / 1_000);
  throw new Refusal("RATE_LIMITED", {
    message: `Too many attempts. Try again in ${Math.ceil(retryAfterSeconds / 60)} minutes, or use a passkey.`,
    extra: { retryAfterSeconds },
  });
}
