import { WIRE_LIMITS } from "@exchange/contract";
import { normalize, parseDecimal, significantDigits } from "@exchange/money";

/**
 * Finds valid JSON that JSON.parse accepts and this service refuses. The text is known to be JSON,
 * so one pass has to find strings, numbers and brackets only. After it, JSON.parse is exact: every
 * number fits an IEEE double digit for digit, no key is dropped and no key is unsafe.
 */
export interface ScanProblem {
  /** The path in the body, such as "body.lock.baseAmount". */
  readonly path: string;
  readonly issue: string;
}

const NUMBER_CHARACTER = new Set(Array.from("0123456789+-.eE", (char) => char.charCodeAt(0)));
/** Within both bounds a number is exact: few enough digits, and few enough decimals. */
const SMALL_NUMBER = /^-?(?:\d{1,15}|\d{1,7}\.\d{1,8})$/;
/** No exact amount needs more. Longer tokens only cost time. */
const NUMBER_CHARACTERS_MAX = 40;
const LONE_SURROGATE = /\p{Surrogate}/u;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const MINUS = 0x2d;
const ZERO = 0x30;
const NINE = 0x39;

/** An object or array that encloses the current position; `keys` is undefined for arrays. */
interface Frame {
  readonly keys: Set<string> | undefined;
  key: string;
}

/** Returns the first problem in the text of a JSON document, or undefined. */
export function scanJson(text: string): ScanProblem | undefined {
  const frames: Frame[] = [];
  let index = 0;
  while (index < text.length) {
    const code = text.charCodeAt(index);
    let issue: string | undefined;
    if (code === QUOTE) {
      const end = stringEnd(text, index);
      issue = stringIssue(frames, {
        raw: text.slice(index + 1, end - 1),
        hasColon: isFollowedByColon(text, end),
      });
      index = end;
    } else if (code === MINUS || (code >= ZERO && code <= NINE)) {
      const end = numberEnd(text, index);
      issue = numberIssue(text.slice(index, end));
      index = end;
    } else {
      issue = scanBracket(frames, code);
      index += 1;
    }
    if (issue !== undefined) return { path: pathOf(frames), issue };
  }
  return undefined;
}

function scanBracket(frames: Frame[], code: number): string | undefined {
  if (code === OPEN_BRACE || code === OPEN_BRACKET) {
    frames.push({ keys: code === OPEN_BRACE ? new Set() : undefined, key: "" });
    if (frames.length > WIRE_LIMITS.jsonDepthMax) {
      return `is nested deeper than ${WIRE_LIMITS.jsonDepthMax} levels`;
    }
  } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) {
    frames.pop();
  }
  return undefined;
}

interface ScannedString {
  /** The text between the quotes. Without an escape it has no character that is refused. */
  readonly raw: string;
  /** A string before a colon is a key. */
  readonly hasColon: boolean;
}

/** Returns why a string is refused; undefined for one that is accepted. Records a key in the newest frame. */
function stringIssue(frames: Frame[], { raw, hasColon }: ScannedString): string | undefined {
  const isEscaped = raw.includes("\\");
  const value = isEscaped ? (JSON.parse(`"${raw}"`) as string) : raw;
  const issue = isEscaped ? textIssue(value) : undefined;
  const frame = frames.at(-1);
  if (!hasColon || !frame?.keys) return issue;
  frame.key = value;
  if (issue !== undefined) return issue;
  if (value === "__proto__") return "is not allowed as a key";
  if (value === "prototype" && frames.at(-2)?.key === "constructor") {
    return "is not allowed as a key";
  }
  if (frame.keys.has(value)) return "appears twice";
  frame.keys.add(value);
  return undefined;
}

/** Returns the index after the closing quote. */
function stringEnd(text: string, start: number): number {
  let index = start + 1;
  for (;;) {
    const code = text.charCodeAt(index);
    if (code === QUOTE) return index + 1;
    index += code === BACKSLASH ? 2 : 1;
  }
}

function isFollowedByColon(text: string, from: number): boolean {
  let index = from;
  while (text.charCodeAt(index) <= 0x20) index += 1;
  return text.charCodeAt(index) === COLON;
}

/** In JSON a number ends at the first character that it cannot contain. */
function numberEnd(text: string, start: number): number {
  let index = start + 1;
  while (NUMBER_CHARACTER.has(text.charCodeAt(index))) index += 1;
  return index;
}

/** Characters that no stored text may hold, because the database refuses them. */
export function textIssue(value: string): string | undefined {
  if (value.includes("\0")) return "must not contain the character U+0000";
  if (LONE_SURROGATE.test(value)) return "must not contain half of a surrogate pair";
  return undefined;
}

function numberIssue(token: string): string | undefined {
  if (SMALL_NUMBER.test(token)) return undefined;
  const value = token.length > NUMBER_CHARACTERS_MAX ? undefined : parseDecimal(token);
  if (
    value === undefined ||
    significantDigits(value) > WIRE_LIMITS.amountSignificantDigitsMax ||
    normalize(value).scale > WIRE_LIMITS.amountDecimalsMax
  ) {
    // The schema is not known here, so the member may take text.
    return `is a number with too many digits. A number has at most ${WIRE_LIMITS.amountSignificantDigitsMax} significant digits and ${WIRE_LIMITS.amountDecimalsMax} decimals. Put text, such as an id, in quotes`;
  }
  return undefined;
}

/** Client-chosen names are cut, so that an answer never repeats a whole body. */
function pathOf(frames: readonly Frame[]): string {
  const keys = frames.flatMap((frame) => (frame.key === "" ? [] : [frame.key.slice(0, 40)]));
  return ["body", ...keys].slice(0, 8).join(".");
}
