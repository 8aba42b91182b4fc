import { readFileSync } from "node:fs";
import { type VerificationStep, verifyRequest } from "../../webhooks/verification.ts";
import { UsageError } from "../arguments.ts";
import type { Command } from "../command.ts";
import { readPastedRequest } from "../pasted-request.ts";

const STANDARD_INPUT = 0;

export const verify: Command = {
  name: "verify",
  summary: "Check both signatures of a webhook you received, and say which step fails.",
  options: {
    file: {
      value: "PATH",
      description: "The request: headers, an empty line, the body; standard input when left out.",
    },
    secret: {
      value: "SECRET",
      description: "The endpoint's secret, whsec_…; $EXCHANGE_WEBHOOK_SECRET when left out.",
    },
  },
  example: "verify --file request.txt",
  run: async (context, input) => {
    const secret = input.one("secret") ?? context.variables["EXCHANGE_WEBHOOK_SECRET"];
    if (!secret) throw new UsageError("Set EXCHANGE_WEBHOOK_SECRET, or give --secret.");
    const request = readPastedRequest(readText(input.one("file")));
    const steps = verifyRequest(request, secret, new Date());
    const failed = steps.filter(({ ok }) => !ok);
    const text = [...steps.map(showStep), "", verdictOn(failed)].join("\n");
    return { json: { ok: failed.length === 0, steps }, text, ok: failed.length === 0 };
  },
};

function readText(path: string | undefined): string {
  try {
    return readFileSync(path ?? STANDARD_INPUT, "utf8");
  } catch (error) {
    throw new UsageError(`${path ?? "Standard input"} cannot be read: ${(error as Error).message}`);
  }
}

const NAMES = { both: "secret    ", documented: "documented", standard: "standard  " } as const;

const showStep = ({ scheme, title, ok, detail }: VerificationStep): string =>
  `${ok ? "ok  " : "FAIL"}  ${NAMES[scheme]}  ${title}: ${detail}`;

function verdictOn(failed: readonly VerificationStep[]): string {
  const [first] = failed;
  if (first === undefined) return "Both signatures hold: the webhook is genuine.";
  const schemes = new Set(failed.map(({ scheme }) => scheme));
  if (schemes.has("documented") !== schemes.has("standard") && !schemes.has("both")) {
    const other = schemes.has("standard") ? "documented" : "standard";
    return `The ${other} signature holds, the other does not: ${first.title}.`;
  }
  return `A receiver refuses it at: ${first.title}.`;
}
