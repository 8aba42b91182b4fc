import { WIRE_LIMITS } from "@exchange/contract";
import { Refusal } from "../../flows/refusal.ts";
import { scanJson } from "./scan.ts";

// A byte order mark is kept, so that JSON.parse refuses it. Bytes that are not UTF-8 throw.
const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Parses the object in a request body. Refuses any body that is not plain, exact, shallow JSON. */
export function parseJsonBody(bytes: Uint8Array): Readonly<Record<string, unknown>> {
  if (bytes.length > WIRE_LIMITS.requestBodyBytesMax) throw new Refusal("PAYLOAD_TOO_LARGE");
  const text = decode(bytes);
  const value = parse(text);
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new Refusal("INVALID_INPUT", {
      message: "The request body must be a JSON object.",
      details: [{ path: "body", issue: "must be a JSON object" }],
    });
  }
  const problem = scanJson(text);
  if (problem) {
    throw new Refusal("INVALID_INPUT", {
      message: `The request body is not valid: ${problem.path} ${problem.issue}.`,
      details: [problem],
    });
  }
  return value as Readonly<Record<string, unknown>>;
}

function decode(bytes: Uint8Array): string {
  try {
    return UTF8.decode(bytes);
  } catch {
    throw invalidJson("the bytes are not UTF-8");
  }
}

function parse(text: string): unknown {
  if (text.trim() === "") throw invalidJson("the body is empty");
  try {
    return JSON.parse(text);
  } catch {
    throw invalidJson(
      text.startsWith("\uFEFF")
        ? "it starts with a byte order mark"
        : "the text cannot be read as JSON",
    );
  }
}

const invalidJson = (issue: string): Refusal =>
  new Refusal("INVALID_INPUT", {
    message: `Invalid JSON in the request body: ${issue}.`,
    details: [{ path: "body", issue }],
  });
