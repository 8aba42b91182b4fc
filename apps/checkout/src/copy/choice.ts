import { chooseLocale, inRegion, type Language, languageOf } from "./languages.ts";
import { speak } from "./speech.ts";

/** What the device says of languages, and where a choice is kept for this window. */
export interface Device {
  readonly languages: readonly string[];
  readonly memory: Pick<Storage, "getItem" | "setItem"> | undefined;
}

const KEY = "exchange.language";

let device: Device = { languages: [], memory: undefined };
let picked: Language | undefined;
let session: string | undefined;

/** Begins with the likeliest language, before anybody said which: its texts are on their way early. */
export function startSpeaking(found: Device): Promise<string> {
  device = found;
  return speak(chooseLocale([recall()?.language, ...device.languages]));
}

/**
 * Speaks what this checkout shall be in: what its customer picks while it is open, else what its
 * page asks for, what its customer picked before a reload, what the device is in, English.
 */
export function speakFor(sessionId: string, asked: string | null | undefined): Promise<string> {
  session = sessionId;
  if (picked) {
    remember(picked);
    return speak(inRegion(picked, device.languages));
  }
  const before = recall();
  const kept = before?.session === sessionId ? inRegion(before.language, device.languages) : null;
  return speak(chooseLocale([asked, kept, ...device.languages]));
}

export function pickLanguage(language: Language): Promise<string> {
  picked = language;
  remember(language);
  return speak(inRegion(language, device.languages));
}

/** Kept for this checkout only: another session of the same window does not inherit it. */
function remember(language: Language): void {
  if (session === undefined) return;
  try {
    device.memory?.setItem(KEY, `${language} ${session}`);
  } catch {
    // A browser that keeps nothing forgets this too.
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
