import { createHash, generateKeyPairSync, randomBytes, sign } from "node:crypto";

/** A passkey in software (WebAuthn level 3), so that tests of calls need no browser. */
export interface SoftPasskey {
  readonly credentialId: string;
  /** Answers a question for a new passkey. */
  create(options: unknown): Record<string, unknown>;
  /** Answers a question to an existing one. */
  get(
    options: unknown,
    changes?: { readonly counter?: number; readonly origin?: string },
  ): Record<string, unknown>;
}

const USER_PRESENT = 0x01;
const USER_VERIFIED = 0x04;
const ATTESTED = 0x40;

const base64url = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64url");
const sha256 = (data: string | Uint8Array): Buffer => createHash("sha256").update(data).digest();

const cborBytes = (bytes: Uint8Array): Buffer => {
  const { length } = bytes;
  const head =
    length < 24
      ? [0x40 | length]
      : length < 256
        ? [0x58, length]
        : [0x59, length >> 8, length & 255];
  return Buffer.concat([Buffer.from(head), bytes]);
};
const cborText = (text: string): Buffer =>
  Buffer.concat([Buffer.from([0x60 | text.length]), Buffer.from(text)]);

export function makeSoftPasskey(origin: string): SoftPasskey {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const { x = "", y = "" } = publicKey.export({ format: "jwk" });
  const id = randomBytes(16);
  const credentialId = base64url(id);
  const rpIdHash = sha256(new URL(origin).hostname);
  let counter = 0;

  const clientData = (type: string, options: unknown, from: string): Buffer =>
    Buffer.from(
      JSON.stringify({
        type,
        challenge: (options as { readonly challenge: string }).challenge,
        origin: from,
        crossOrigin: false,
      }),
    );
  const head = (flags: number, count: number): Buffer => {
    const bytes = Buffer.alloc(5);
    bytes[0] = flags;
    bytes.writeUInt32BE(count, 1);
    return Buffer.concat([rpIdHash, bytes]);
  };
  return {
    credentialId,
    create(options) {
      // {1: 2 (EC2), 3: -7 (ES256), -1: 1 (P-256), -2: x, -3: y}
      const key = Buffer.concat([
        Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21]),
        cborBytes(Buffer.from(x, "base64url")),
        Buffer.from([0x22]),
        cborBytes(Buffer.from(y, "base64url")),
      ]);
      const length = Buffer.alloc(2);
      length.writeUInt16BE(id.length);
      const flags = USER_PRESENT | USER_VERIFIED | ATTESTED;
      const authData = Buffer.concat([head(flags, 0), Buffer.alloc(16), length, id, key]);
      const attestationObject = Buffer.concat([
        Buffer.from([0xa3]),
        ...[cborText("fmt"), cborText("none"), cborText("attStmt"), Buffer.from([0xa0])],
        ...[cborText("authData"), cborBytes(authData)],
      ]);
      return {
        ...{ id: credentialId, rawId: credentialId, type: "public-key" },
        clientExtensionResults: {},
        response: {
          clientDataJSON: base64url(clientData("webauthn.create", options, origin)),
          attestationObject: base64url(attestationObject),
          transports: ["internal"],
        },
      };
    },
    get(options, changes = {}) {
      counter = changes.counter ?? counter + 1;
      const client = clientData("webauthn.get", options, changes.origin ?? origin);
      const authData = head(USER_PRESENT | USER_VERIFIED, counter);
      const signature = sign("sha256", Buffer.concat([authData, sha256(client)]), privateKey);
      return {
        ...{ id: credentialId, rawId: credentialId, type: "public-key" },
        clientExtensionResults: {},
        response: {
          clientDataJSON: base64url(client),
          authenticatorData: base64url(authData),
          signature: base64url(signature),
        },
      };
    },
  };
}
