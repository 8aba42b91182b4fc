import { ADMIN_ENDPOINTS, isRoleName } from "@exchange/contract/admin";
import {
  acceptWithPasskey,
  acceptWithPassword,
  askPasskeyOfInvitation,
  makeSecretOfInvitation,
  openInvitation,
} from "../../flows/people/accept.ts";
import { requireSession, type SignedIn } from "../../flows/people/open-session.ts";
import {
  askToSignIn,
  askToStepUp,
  signInWithPasskey,
  signInWithPassword,
  signOut,
  stepUpWithPasskey,
  stepUpWithPassword,
} from "../../flows/people/sign-in.ts";
import { ok, toUnixSeconds } from "../wire.ts";
import { presentMe } from "./people.ts";
import type { AdminDeps, RegisterAdmin } from "./registrar.ts";

/** Signing in, accepting an invitation, and fresh proofs. */
export function registerSignIn(register: RegisterAdmin, deps: AdminDeps): void {
  const meOf = async (token: string, { address }: { readonly address: string }) =>
    presentMe(deps, await requireSession(deps, { token, address }));
  register(ADMIN_ENDPOINTS.askPasskeyToSignIn, async ({ origin }) =>
    ok(await askToSignIn(deps, origin)),
  );
  register(ADMIN_ENDPOINTS.signInWithPasskey, async ({ body, origin, setSession }) => {
    const token = await signInWithPasskey(deps, { ...body, origin });
    setSession(token);
    return ok(await meOf(token, origin));
  });
  register(ADMIN_ENDPOINTS.signInWithPassword, async ({ body, origin, setSession }) => {
    const token = await signInWithPassword(deps, { ...body, origin });
    setSession(token);
    return ok(await meOf(token, origin));
  });
  register(ADMIN_ENDPOINTS.readInvitation, async ({ body, origin }) => {
    const { person, merchantName, expiresAt } = await openInvitation(deps, { ...body, origin });
    const { email, name, roles } = person;
    return ok({
      email,
      name,
      roles: roles.filter(isRoleName),
      merchantName,
      expiresAt: toUnixSeconds(expiresAt),
    });
  });
  register(ADMIN_ENDPOINTS.askPasskeyOfInvitation, async ({ body, origin }) =>
    ok(await askPasskeyOfInvitation(deps, { ...body, origin })),
  );
  register(ADMIN_ENDPOINTS.acceptWithPasskey, async ({ body, origin, setSession }) => {
    const token = await acceptWithPasskey(deps, { ...body, origin });
    setSession(token);
    return ok(await meOf(token, origin));
  });
  register(ADMIN_ENDPOINTS.makeAuthenticatorSecret, async ({ body, origin }) =>
    ok(await makeSecretOfInvitation(deps, { ...body, origin })),
  );
  register(ADMIN_ENDPOINTS.acceptWithPassword, async ({ body, origin, setSession }) => {
    const { token, recoveryCodes } = await acceptWithPassword(deps, { ...body, origin });
    setSession(token);
    return ok({ me: await meOf(token, origin), recoveryCodes: [...recoveryCodes] });
  });
}

/** The session of the person who calls. */
export function registerOwnSession(register: RegisterAdmin, deps: AdminDeps): void {
  const steppedUp = (caller: SignedIn) =>
    presentMe(deps, { ...caller, session: { ...caller.session, steppedUpAt: new Date() } });
  register(ADMIN_ENDPOINTS.readMe, async ({ caller }) => ok(presentMe(deps, caller)));
  register(ADMIN_ENDPOINTS.signOut, async ({ caller, setSession }) => {
    await signOut(deps, caller);
    setSession(null);
    return null;
  });
  register(ADMIN_ENDPOINTS.askPasskeyToStepUp, async ({ caller }) =>
    ok(await askToStepUp(deps, caller)),
  );
  register(ADMIN_ENDPOINTS.stepUpWithPasskey, async ({ caller, body }) => {
    await stepUpWithPasskey(deps, caller, body);
    return ok(steppedUp(caller));
  });
  register(ADMIN_ENDPOINTS.stepUpWithPassword, async ({ caller, body }) => {
    await stepUpWithPassword(deps, caller, body);
    return ok(steppedUp(caller));
  });
}
