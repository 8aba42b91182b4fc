import { chooseLocale, inRegion, type Language, languageOf } from "@exchange/ui/languages";
import { speak } from "./speech.ts";

/** The device's languages, and the storage that keeps a choice for this window. */
export interface Device {
  readonly languages: readonly string[];
  readonly memory: Pick<Storage, "getItem" | "setItem"> | undefined;
}

const KEY = "exchange.language";

let device: Device = { languages: [], memory: undefined };
let picked: Language | undefined;
let session: string | undefined;

/** Starts with the likeliest language, before the shop names one, so that its texts arrive early. */
export function startSpeaking(found: Device): Promise<string> {
  device = found;
  return speak(chooseLocale([recall()?.language, ...device.languages]));
}

/**
 * Chooses the language of this checkout: the customer's pick while it is open, else the shop's,
 * else the customer's pick before a reload, else the device's, else English. The session is undefined until it has been read.
 */
export function speakFor(
  sessionId: string | undefined,
  requested: string | null | undefined,
): Promise<string> {
  session = sessionId;
  if (picked) {
    remember(picked);
    return speak(inRegion(picked, device.languages));
  }
  const before = recall();
  const earlier =
    before && before.session === sessionId ? inRegion(before.language, device.languages) : null;
  return speak(chooseLocale([requested, earlier, ...device.languages]));
}

export function pickLanguage(language: Language): Promise<string> {
  picked = language;
  remember(language);
  return speak(inRegion(language, device.languages));
}

/** Stores the pick for this checkout only: another session in the same window does not inherit it. */
function remember(language: Language): void {
  if (session === undefined) return;
  try {
    device.memory?.setItem(KEY, `${language} ${session}`);
  } catch {
    // A browser that blocks storage forgets the pick at the next reload.
  }
}

function recall(): { readonly language: Language; readonly session: string } | undefined {
  try {
    const [locale = "", ...rest] = (device.memory?.getItem(KEY) ?? "").split(" ");
    const language = languageOf(locale);
    return language && { language, session: rest.join(" ") };
  } catch {
    return undefined;
  }
}
