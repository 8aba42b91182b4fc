import type { Mail } from "../domain/ports/mailer.ts";
import type { ClaimedInvitation } from "../storage/mails/invitation-mails.ts";
import { layOutMail } from "./compose-mail.ts";

interface InvitationTexts {
  readonly title: string;
  readonly text: string;
  readonly button: string;
  readonly careful: string;
  readonly why: string;
}

/** The words by language: those of the console. */
const TEXTS = {
  en: {
    title: "Your account in the console of {of}",
    text: "{by} made an account for you. The link works once, until {until}.",
    button: "Create the account",
    careful: "Do not forward this mail. Anyone who has the link can open the account.",
    why: "You get this mail because {by} entered this address in the console. If you do not expect it, ignore it.",
  },
  de: {
    title: "Ihr Konto in der Konsole von {of}",
    text: "{by} hat ein Konto für Sie angelegt. Der Link gilt einmal, bis {until}.",
    button: "Konto anlegen",
    careful: "Leiten Sie diese E-Mail nicht weiter. Wer den Link hat, kann das Konto öffnen.",
    why: "Sie erhalten diese E-Mail, weil {by} diese Adresse in der Konsole eingegeben hat. Wenn Sie sie nicht erwarten, ignorieren Sie sie.",
  },
} as const satisfies Record<string, InvitationTexts>;

/** Returns the mail of an invitation in the language of its person. */
export function composeInvitation(
  invitation: Pick<ClaimedInvitation, "language" | "merchantName" | "invitedBy" | "expiresAt">,
  link: string,
): Pick<Mail, "subject" | "text" | "html"> {
  const { merchantName, invitedBy, expiresAt } = invitation;
  const language = Object.hasOwn(TEXTS, invitation.language) ? invitation.language : "en";
  const { button, ...texts } = TEXTS[language as keyof typeof TEXTS];
  const format = new Intl.DateTimeFormat(language, {
    dateStyle: "long",
    timeStyle: "short",
    timeZone: "UTC",
  });
  const values: Readonly<Record<string, string>> = {
    of: merchantName ?? new URL(link).host,
    by: invitedBy,
    until: `${format.format(expiresAt)} UTC`,
  };
  const fill = (text: string): string =>
    text.replace(/\{(\w+)\}/g, (_match, name: string) => values[name] ?? "");
  return layOutMail({
    language,
    subject: fill(texts.title),
    text: fill(texts.text),
    rows: [],
    button,
    url: link,
    careful: texts.careful,
    why: fill(texts.why),
  });
}
