import { readFileSync } from "node:fs";

const DOCUMENT = new URL("../../../../docs/reference/sandbox.md", import.meta.url);

/** One action of a reader of the table. */
export type SandboxStep =
  | {
      readonly kind: "call";
      readonly method: string;
      readonly path: string;
      readonly body: unknown;
    }
  | { readonly kind: "card"; readonly number: string }
  | { readonly kind: "wait"; readonly status: string }
  | { readonly kind: "pause" };

/** A row of the table in docs/reference/sandbox.md. */
export interface Row {
  readonly status: string;
  /** Empty for none. */
  readonly reason: string;
  /** The name of the order, and the members of its request. */
  readonly order: string;
  readonly requestMembers: readonly (readonly [path: string, value: string])[];
  readonly steps: readonly SandboxStep[];
  /** The status from which `advance` brings an order to the row. Empty when there is none. */
  readonly from: string;
}

export const sandboxDocument = (): string => readFileSync(DOCUMENT, "utf8");

/** Returns the cells of every row that begins with code, section by section. */
export const tableUnder = (heading: string): string[][] =>
  (sandboxDocument().split(`## ${heading}`)[1]?.split("\n## ")[0] ?? "")
    .split("\n")
    .filter((line) => /^\| ./.test(line) && !line.startsWith("|---"))
    .map((line) =>
      line
        .split("|")
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );

/** Returns the rows of the table of statuses. */
export const sandboxRows = (): Row[] =>
  tableUnder("Every status, and how to get there")
    .filter((cells) => cells.length === 5 && cells[0]?.startsWith("`"))
    .map(([status = "", reason = "", order = "", steps = "", from = ""]) => {
      const [name = "", ...requestMembers] = codesIn(order);
      return {
        status: codesIn(status)[0] ?? "",
        reason: codesIn(reason)[0] ?? "",
        order: name,
        requestMembers: requestMembers.map((text) => text.split(": ", 2) as [string, string]),
        steps: steps.split(/, (?=`|five)/).flatMap(stepsOf),
        from: codesIn(from)[0] ?? "",
      };
    });

const codesIn = (text: string): string[] =>
  [...text.matchAll(/`([^`]+)`/g)].map(([, code]) => code ?? "");

function stepsOf(text: string): SandboxStep[] {
  const [code] = codesIn(text);
  if (code === undefined) {
    if (text !== "nothing more")
      throw new Error(`the table says nothing that can be done: ${text}`);
    return [];
  }
  const step = stepOf(code);
  return Array.from({ length: text.startsWith("five times") ? 5 : 1 }, () => step);
}

function stepOf(code: string): SandboxStep {
  const [verb = "", path = "", body] = code.split(/ (?=[/{])/);
  if (verb === "POST") {
    return {
      kind: "call",
      method: verb,
      path,
      body: body === undefined ? undefined : JSON.parse(body),
    };
  }
  const [word, ...rest] = code.split(" ");
  if (word === "card") return { kind: "card", number: rest.join("") };
  if (code === "wait a second") return { kind: "pause" };
  if (code.startsWith("wait for ")) return { kind: "wait", status: code.slice("wait for ".length) };
  throw new Error(`nobody knows how to do this: ${code}`);
}
