import { FRAME_PROTOCOL, type FrameHello, type FrameMessage } from "@exchange/contract/frame";

/** The one version of the protocol this script speaks. */
export const PROTOCOL_VERSION = 1;

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;

/** The script's own events: only it knows when the dialog opens and closes. */
const OWN_EVENTS: readonly string[] = ["open", "close"];

const isWord = (value: unknown): value is string =>
  typeof value === "string" && /^[A-Za-z_]{1,40}$/.test(value);

/** The hello meant for this instance, or undefined for anything else a window may be sent. */
export function readHello(raw: unknown, instance: string): FrameHello | undefined {
  const isHello =
    isRecord(raw) &&
    raw["protocol"] === FRAME_PROTOCOL &&
    raw["type"] === "hello" &&
    raw["instance"] === instance &&
    typeof raw["load"] === "string" &&
    raw["load"].length <= 128 &&
    Array.isArray(raw["versions"]) &&
    raw["versions"].includes(PROTOCOL_VERSION);
  return isHello ? (raw as unknown as FrameHello) : undefined;
}

const READERS: Readonly<Record<FrameMessage["type"], (raw: Record<string, unknown>) => boolean>> = {
  ready: (raw) => typeof raw["title"] === "string",
  resize: (raw) => Number.isFinite(raw["height"]),
  // A newer checkout may tell of events and reasons that this script has no word for.
  event: (raw) =>
    isWord(raw["name"]) && !OWN_EVENTS.includes(raw["name"]) && isRecord(raw["snapshot"]),
  close: (raw) => isWord(raw["reason"]),
};

/** A message of the protocol, or undefined: what this script does not know, it ignores. */
export function readFrameMessage(raw: unknown): FrameMessage | undefined {
  if (!isRecord(raw)) return undefined;
  const type = raw["type"];
  if (typeof type !== "string" || !Object.hasOwn(READERS, type)) return undefined;
  return READERS[type as FrameMessage["type"]](raw) ? (raw as unknown as FrameMessage) : undefined;
}
