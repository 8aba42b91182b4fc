// A real OpenID Connect provider on loopback, for tests. Its only word is the address of the console's callback. It
// prints its issuer. Every name signs in, without a password. `POST /lie` makes its next ID tokens wrong in one way.
import { createServer } from "node:http";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import Provider from "oidc-provider";

const [, , callback] = process.argv;
const KEY = { alg: "RS256", kid: "test" };
const own = await generateKeyPair(KEY.alg, { extractable: true });
const other = await generateKeyPair(KEY.alg);
const privateJwk = { ...(await exportJWK(own.privateKey)), ...KEY, use: "sig" };
let lie = "";

/** The changes of an ID token's claims by the name of the lie. `key` changes nothing but the key that signs. */
const LIES = {
  key: {},
  nonce: { nonce: "of-another-sign-in" },
  issuer: { iss: "https://elsewhere.example" },
  audience: { aud: "another-client" },
  expired: { iat: 1_000, exp: 1_300 },
};

async function forged(idToken) {
  const [, payload] = idToken.split(".");
  const claims = { ...JSON.parse(Buffer.from(payload, "base64url")), ...LIES[lie] };
  const { privateKey } = lie === "key" ? other : own;
  return new SignJWT(claims).setProtectedHeader(KEY).sign(privateKey);
}

function makeProvider(issuer) {
  const provider = new Provider(issuer, {
    jwks: { keys: [privateJwk] },
    clients: [
      {
        client_id: "exchange-console",
        client_secret: "a-secret-of-the-test",
        redirect_uris: [callback],
      },
    ],
    claims: { openid: ["sub"], email: ["email", "email_verified"] },
    conformIdTokenClaims: false,
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
    findAccount: (_ctx, accountId) => ({
      accountId,
      claims: () => ({ sub: accountId, email: `${accountId}@example.com`, email_verified: true }),
    }),
    // Nobody is asked for consent.
    async loadExistingGrant({ oidc }) {
      const { session, client, params } = oidc;
      const grant = new provider.Grant({ clientId: client.clientId, accountId: session.accountId });
      grant.addOIDCScope(params.scope);
      await grant.save();
      return grant;
    },
  });
  provider.use(async (ctx, next) => {
    await next();
    if (lie !== "" && ctx.body?.id_token) ctx.body.id_token = await forged(ctx.body.id_token);
  });
  return provider;
}

const PAGE = `<!doctype html><html lang="en"><title>Example Login</title><form method="post">
<label>Account <input name="account" required></label><button>Continue</button></form>`;

async function textOf(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

const server = createServer();
server.listen(0, "localhost", () => {
  const issuer = `http://localhost:${server.address().port}`;
  const provider = makeProvider(issuer);
  const answer = provider.callback();
  server.on("request", async (request, response) => {
    const { method, url } = request;
    if (url === "/lie") {
      lie = await textOf(request);
      return response.end();
    }
    if (!url.startsWith("/interaction/")) return answer(request, response);
    if (method === "GET") return response.setHeader("content-type", "text/html").end(PAGE);
    const accountId = new URLSearchParams(await textOf(request)).get("account");
    return provider.interactionFinished(request, response, { login: { accountId } });
  });
  console.log(`issuer ${issuer}`);
});
