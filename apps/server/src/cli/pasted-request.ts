import type { ReceivedRequest } from "../webhooks/verification.ts";
import { UsageError } from "./arguments.ts";

const REQUEST_LINE = /^(?:[<>] ?)?[A-Z]+ \S+(?: HTTP\/[\d.]+)?$/;
const HEADER_LINE = /^(?:[<>] ?)?([A-Za-z0-9-]+): ?(.*)$/;

/**
 * Reads a request as people copy it: a request line or none, headers, an empty line, the body. The
 * body is kept to the byte, but for one line end at its end, which editors add.
 */
export function readPastedRequest(text: string): ReceivedRequest {
  const gap = /\r?\n\r?\n/.exec(text);
  if (gap === null) {
    throw new UsageError("Put the headers first, then an empty line, then the body as it came.");
  }
  const headers: Record<string, string> = {};
  for (const [index, line] of text.slice(0, gap.index).split(/\r?\n/).entries()) {
    const [, name, value] = HEADER_LINE.exec(line) ?? [];
    if (name !== undefined) headers[name.toLowerCase()] = value?.trim() ?? "";
    else if (!(index === 0 && REQUEST_LINE.test(line))) {
      throw new UsageError(`Line ${index + 1} is no header: "${line.slice(0, 80)}".`);
    }
  }
  const body = text.slice(gap.index + gap[0].length).replace(/\r?\n$/, "");
  return { headers, body };
}
