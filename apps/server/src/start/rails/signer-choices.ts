import { createPrivateKey, type KeyObject, sign } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { isAbsolute } from "node:path";
import { type Static, Type } from "@sinclair/typebox";
import { isPrivateFile } from "../../secrets/private-file.ts";
import { NAME_FORM, NAME_PATTERN } from "../../signer/protocol.ts";
import { faultOf } from "../../signer/schema-check.ts";
import { StartError } from "../start-error.ts";
import { type ChainContext, type ChainProblem, SHAPES } from "./endpoint-choices.ts";

const Signer = Type.Object(
  {
    socket: Type.String({ minLength: 1 }),
    releaseKeyFile: Type.String({ minLength: 1 }),
    installation: Type.String({ pattern: NAME_PATTERN, description: NAME_FORM }),
  },
  { additionalProperties: false },
);

/** The member `signer` of the rails file: where the signer listens, and the worker's key for releases. */
export type SignerChoices = Static<typeof Signer>;

/** Returns every problem of the member. Its files are opened by the worker alone, so they are not looked at here. */
export function signerProblems(choices: unknown): readonly ChainProblem[] {
  const validate = SHAPES.compile(Signer);
  if (!validate(choices)) {
    return (validate.errors ?? []).map(faultOf).map(({ path, sentence }) => ({
      path: `signer${path}`,
      sentence,
    }));
  }
  const { socket, releaseKeyFile } = choices as SignerChoices;
  return Object.entries({ socket, releaseKeyFile })
    .filter(([, path]) => !isAbsolute(path))
    .map(([name]) => ({
      path: `signer.${name}`,
      sentence: "The value must be an absolute path.",
    }));
}

export const WITHOUT_HOT =
  "The network has no member hot, so it makes no payouts. Add hot, or remove it.";

/** The members of a network that have to do with its hot wallet. */
interface HotChoices {
  readonly hot?: object;
  readonly payouts?: object;
}

/** Returns the problems of a hot wallet that nothing signs for, and of payouts without one. */
export function hotProblems(
  { hot, payouts }: HotChoices,
  { hasSigner }: Pick<ChainContext, "hasSigner">,
): readonly ChainProblem[] {
  if (hot === undefined) {
    return payouts === undefined ? [] : [{ path: ".payouts", sentence: WITHOUT_HOT }];
  }
  const sentence = "The file has no member signer, so nothing could sign. Add one, or remove hot.";
  return hasSigner ? [] : [{ path: ".hot", sentence }];
}

/** Opens the worker's release key. Returns the function that signs a release. */
export function openReleaseKey(path: string): (text: string) => string {
  const key = readReleaseKey(path);
  return (text) => sign(null, Buffer.from(text), key).toString("base64");
}

/** Reads the worker's release key. Throws a `StartError` for a file that is not a key, or that others may read. */
export function readReleaseKey(path: string): KeyObject {
  const refuse = (problem: string): never => {
    throw new StartError(`signer.releaseKeyFile names ${path}, which ${problem}`);
  };
  // Kubernetes mounts a secret as a link to its current version.
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats?.isFile()) {
    return refuse(`is not a file. Make it: exchange signer new-key --for release --file ${path}`);
  }
  if (!isPrivateFile(stats)) return refuse(`others may read. Run: chmod 600 ${path}`);
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    return refuse(`cannot be read (${(error as NodeJS.ErrnoException).code}).`);
  }
  try {
    const key = createPrivateKey(text);
    if (key.asymmetricKeyType === "ed25519") return key;
  } catch {
    // The message of the driver would say nothing that helps.
  }
  return refuse("holds no Ed25519 key. Make one: exchange signer new-key --for release");
}
