import { ADMIN_ENDPOINTS } from "@exchange/contract/admin";
import { requireSession } from "../../flows/people/open-session.ts";
import {
  beginProviderAcceptance,
  beginProviderLink,
  beginProviderSignIn,
  finishProviderSignIn,
  providerName,
  readOwnIdentity,
  type SentBrowser,
  unlinkOwnIdentity,
} from "../../flows/people/provider.ts";
import { ok, toUnixSeconds, unixSecondsOrNull } from "../wire.ts";
import { presentMe } from "./people.ts";
import type { AdminDeps, RegisterAdmin } from "./registrar.ts";

interface SetSignIn {
  setSignIn(secret: string | null): void;
}

/** Signing in at the identity provider, and the account of it that is linked to the person who calls. */
export function registerProvider(register: RegisterAdmin, deps: AdminDeps): void {
  const sent = ({ url, secret }: SentBrowser, { setSignIn }: SetSignIn) => {
    setSignIn(secret);
    return ok({ url });
  };
  register(ADMIN_ENDPOINTS.readSignInProvider, async () => ok({ name: providerName(deps) }));
  register(ADMIN_ENDPOINTS.beginProviderSignIn, async (call) =>
    sent(await beginProviderSignIn(deps, call.origin), call),
  );
  register(ADMIN_ENDPOINTS.beginProviderAcceptance, async (call) => {
    const { body, origin } = call;
    return sent(await beginProviderAcceptance(deps, { ...body, origin }), call);
  });
  register(ADMIN_ENDPOINTS.beginProviderLink, async (call) =>
    sent(await beginProviderLink(deps, call.caller), call),
  );
  register(ADMIN_ENDPOINTS.finishProviderSignIn, async (call) => {
    const { body, origin, signInSecret: secret } = call;
    call.setSignIn(null);
    const { did, token } = await finishProviderSignIn(deps, { secret, ...body, origin });
    if (did !== "linked") call.setSession(token);
    const { address } = origin;
    return ok({ did, me: presentMe(deps, await requireSession(deps, { token, address })) });
  });
  register(ADMIN_ENDPOINTS.readOwnIdentity, async ({ caller }) => {
    const linked = await readOwnIdentity(deps, caller);
    return ok({
      providerName: providerName(deps),
      linked: linked
        ? {
            issuer: linked.issuer,
            label: linked.label,
            linkedAt: toUnixSeconds(linked.linkedAt),
            lastUsedAt: unixSecondsOrNull(linked.lastUsedAt),
          }
        : null,
    });
  });
  register(ADMIN_ENDPOINTS.unlinkOwnIdentity, async ({ caller }) => {
    await unlinkOwnIdentity(deps, caller);
    return null;
  });
}
