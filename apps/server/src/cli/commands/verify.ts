import { readFileSync } from "node:fs";
import {
  type ReceivedRequest,
  type VerificationStep,
  verifyRequest,
} from "../../webhooks/verification.ts";
import { type Command, UsageError } from "../command.ts";

const STANDARD_INPUT = 0;

export const verify: Command = {
  name: "verify",
  summary: "Check both signatures of a webhook you received, and show which step fails.",
  options: {
    file: {
      value: "PATH",
      description:
        "A file with the request: headers, an empty line, the body. Default: standard input.",
    },
    secret: {
      value: "SECRET",
      description: "The endpoint's secret, whsec_…. Default: $EXCHANGE_WEBHOOK_SECRET.",
    },
  },
  argument: "file",
  example: "verify --file request.txt",
  run: async (context, input) => {
    const secret = input.one("secret") ?? context.variables["EXCHANGE_WEBHOOK_SECRET"];
    if (!secret) throw new UsageError("Set EXCHANGE_WEBHOOK_SECRET, or use --secret.");
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

const NAMES = { both: "both      ", documented: "documented", standard: "standard  " } as const;

const showStep = ({ scheme, title, ok, detail }: VerificationStep): string =>
  `${ok ? "ok  " : "FAIL"}  ${NAMES[scheme]}  ${title}: ${detail}`;

function verdictOn(failed: readonly VerificationStep[]): string {
  const [first] = failed;
  if (first === undefined) return "Both signatures hold: the webhook is genuine.";
  const schemes = new Set(failed.map(({ scheme }) => scheme));
  if (schemes.has("documented") !== schemes.has("standard") && !schemes.has("both")) {
    const other = schemes.has("standard") ? "documented" : "standard";
    return `The ${other} signature holds, the other does not. The first failed step: ${first.title}.`;
  }
  return `A receiver refuses it. The first failed step: ${first.title}.`;
}

const REQUEST_LINE = /^(?:[<>] ?)?[A-Z]+ \S+(?: HTTP\/[\d.]+)?$/;
const HEADER_LINE = /^(?:[<>] ?)?([A-Za-z0-9-]+): ?(.*)$/;

/**
 * Reads a request as people copy it: an optional request line, headers, an empty line, the body. The
 * body is unchanged, except that one line end at its end is removed: editors add it.
 */
export function readPastedRequest(text: string): ReceivedRequest {
  const gap = /\r?\n\r?\n/.exec(text);
  if (gap === null) {
    throw new UsageError(
      "The request has no empty line. Write the headers, an empty line, then the body as received.",
    );
  }
  const headers: Record<string, string> = {};
  for (const [index, line] of text.slice(0, gap.index).split(/\r?\n/).entries()) {
    const [, name, value] = HEADER_LINE.exec(line) ?? [];
    if (name !== undefined) headers[name.toLowerCase()] = value?.trim() ?? "";
    else if (!(index === 0 && REQUEST_LINE.test(line))) {
      throw new UsageError(
        `Line ${index + 1} is not a header: "${line.slice(0, 80)}". Write lines such as "name: value".`,
      );
    }
  }
  const body = text.slice(gap.index + gap[0].length).replace(/\r?\n$/, "");
  return { headers, body };
}
