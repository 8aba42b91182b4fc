import { requireOperator } from "../../flows/operators/require-operator.ts";
import { Refusal } from "../../flows/refusal.ts";
import { type Rewrapped, rewrapSecrets } from "../../flows/secret-keys/rewrap-secrets.ts";
import { readSecretKeys } from "../../start/secret-keys.ts";
import { logControl } from "../../storage/audit/control-log.ts";
import { countSealed, countSealedBy, removeKeyCheck } from "../../storage/key-checks.ts";
import type { Command, CommandContext, CommandInput, CommandResult } from "../command.ts";
import { AS, operatorOf } from "../operator-options.ts";
import { fields } from "../table.ts";
import {
  type CommandDeps,
  requireInstallation,
  withDatabase,
  withInstallation,
} from "../with-database.ts";

export const secretsForget: Command = {
  name: "secrets forget",
  summary: "Give up a lost secret key, so that the service starts without it.",
  options: {
    key: {
      value: "ID",
      required: true,
      description: "The id of the key. Everything that it seals stays unreadable.",
    },
    as: AS,
  },
  argument: "key",
  example: "secrets forget k1 --as anna",
  run: (context, input) => {
    const config = context.config();
    return withInstallation(context, async (database) => {
      const { environment } = config;
      const operator = requireOperator({ environment }, operatorOf(context, input));
      const key = input.required("key");
      const sealed = await countSealedBy(database, key);
      await database.transaction(async (tx) => {
        if (!(await removeKeyCheck(tx, key))) {
          throw new Refusal("NOT_FOUND", {
            message: `This installation has used no secret key ${key}. exchange doctor lists them.`,
          });
        }
        await logControl(tx, {
          operator,
          action: "forget_secret_key",
          subject: key,
          before: { sealed },
          after: null,
        });
      });
      const text = `Key ${key} is given up. ${sealed} sealed values stay unreadable.`;
      return { json: { key, sealed }, text };
    });
  },
};

export const secretsRewrap: Command = {
  name: "secrets rewrap",
  summary:
    "Encrypt all stored secrets again with the first key of the file, so that older keys can be removed.",
  options: {
    check: { description: "Change nothing. Count what each key still encrypts." },
    as: AS,
  },
  example: "secrets rewrap --as anna",
  run: (context, input) => {
    const config = context.config();
    requireInstallation(config);
    const { current } = readSecretKeys(config);
    return withDatabase(context, (deps) =>
      input.hasFlag("check")
        ? checkSealed(deps, current.id)
        : rewrap(deps, { context, input, keyId: current.id }),
    );
  },
};

async function checkSealed({ database }: CommandDeps, keyId: string): Promise<CommandResult> {
  const counts = await countSealed(database);
  const older = counts.filter((one) => one.keyId !== keyId || one.isOldFormat);
  const left = older.reduce((sum, { count }) => sum + count, 0);
  const linesOf = older.map(({ table, column, keyId: key, isOldFormat, count }) => [
    `${table}.${column}, key ${key}${isOldFormat ? ", earlier format" : ""}`,
    String(count),
  ]);
  const text =
    left === 0
      ? `Key ${keyId} encrypts everything. You may remove other keys from the file.`
      : `${left} values are not encrypted with key ${keyId}:\n${fields(Object.fromEntries(linesOf))}\n\n` +
        "Encrypt them again with: exchange secrets rewrap";
  return { json: { key: keyId, left, counts }, text, ok: left === 0 };
}

/** A line of progress appears after this many values. */
const PROGRESS_EVERY = 10_000;

async function rewrap(
  deps: CommandDeps,
  call: { readonly context: CommandContext; readonly input: CommandInput; readonly keyId: string },
): Promise<CommandResult> {
  const { context, input, keyId } = call;
  const operator = requireOperator(deps, operatorOf(context, input));
  let reported = 0;
  const onBatch = ({ rewrapped }: Rewrapped): void => {
    if (rewrapped - reported < PROGRESS_EVERY) return;
    reported = rewrapped;
    context.progress(`encrypted ${rewrapped} values with key ${keyId}`);
  };
  const { rewrapped, unreadable } = await rewrapSecrets(deps, { keyId, onBatch });
  await logControl(deps.database, {
    operator,
    action: "rewrap_secrets",
    subject: keyId,
    before: null,
    after: { rewrapped, unreadable: unreadable.length },
  });
  const head = `Encrypted ${rewrapped} values with key ${keyId}.`;
  const text = [head, ...unreadable.map((one) => `  not readable: ${one}`)].join("\n");
  return { json: { key: keyId, rewrapped, unreadable }, text, ok: unreadable.length === 0 };
}
