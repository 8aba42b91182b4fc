import { encodeJson, encodeText, jsonText, type PublicToken, type Scope } from "@exchange/contract";
import type { CreatedToken } from "../../flows/sessions/create-token.ts";
import { printedOnce } from "../printed-once.ts";

/** The documented token. It is printed at once: an object of its members takes several times as long. */
export const presentToken = (token: CreatedToken): PublicToken =>
  jsonText(
    `{"accessToken":${encodeText(token.accessToken)},"tokenType":"Bearer",` +
      `"expiresIn":${token.lifetimeSeconds},"expiresAt":${token.expiresAt},` +
      `"scope":${scopeText(token.scope)},"jti":${encodeText(token.jti)}}`,
  );

/** Most tokens are granted one and the same list. */
const scopeText = printedOnce<readonly Scope[]>(encodeJson);
