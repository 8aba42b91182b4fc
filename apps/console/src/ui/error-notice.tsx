import type { AdminErrorCode, ErrorCode } from "@exchange/contract";
import type { CallError } from "../api.ts";
import { languageNow, sayWord } from "../say.ts";

/** The codes that only the merchants' API, or a program with a key, receives. */
type OfPrograms =
  | ("INVALID_SCOPE" | "INVALID_OPERATION_TYPE" | "SESSION_ALREADY_USED" | "SESSION_EXPIRED")
  | ("UNAUTHORIZED" | "TOKEN_EXPIRED" | "TOKEN_INVALID" | "INSUFFICIENT_SCOPE")
  | ("QUOTE_EXPIRED" | "QUOTE_ALREADY_USED" | "IDEMPOTENCY_CONFLICT" | "UNSUPPORTED_MEDIA_TYPE")
  | ("INVALID_WALLET_ADDRESS" | "NETWORK_REQUIRED" | "NETWORK_MISMATCH")
  | ("SERVICE_ACCOUNT_KEY_INVALID" | "PERSON_REQUIRED");
/** The codes that the console makes by itself. */
type OwnCode =
  | ("UNREACHABLE" | "ANSWER_LOST" | "NOT_AMOUNT")
  | ("PASSKEY_CANCELLED" | "PROVIDER_SIGN_IN_FAILED");
type ShownCode = Exclude<ErrorCode | AdminErrorCode, OfPrograms> | OwnCode;

/**
 * How each error is shown. `code`: the code alone says what to do, so the person reads the console's text. `message`: the
 * service's message says which field, limit, time or person it is about, and is English. It follows the text of the
 * code, and in English it stands alone, since it says the same and more.
 */
const SHOWN_BY: Readonly<Record<ShownCode, "code" | "message">> = {
  UNREACHABLE: "code",
  ANSWER_LOST: "code",
  PASSKEY_CANCELLED: "code",
  PROVIDER_SIGN_IN_FAILED: "code",
  NOT_AMOUNT: "code",
  SIGN_IN_REQUIRED: "code",
  SIGN_IN_FAILED: "code",
  INVITATION_INVALID: "code",
  IDENTITY_NOT_LINKED: "code",
  STEP_UP_REQUIRED: "code",
  ROLE_REQUIRED: "code",
  ORIGIN_NOT_ALLOWED: "code",
  NOT_FOUND: "message",
  PAYLOAD_TOO_LARGE: "code",
  INTERNAL_ERROR: "code",
  SERVICE_UNAVAILABLE: "code",
  LIQUIDITY_UNAVAILABLE: "code",
  INVALID_COUNTRY: "code",
  CURRENCY_NOT_FOUND: "code",
  UNSUPPORTED_PAIR: "code",
  PAYMENT_METHOD_NOT_FOUND: "code",
  PAYMENT_METHOD_UNAVAILABLE: "code",
  DELIVERY_METHOD_UNAVAILABLE: "code",
  INVALID_INPUT: "message",
  AMOUNT_BELOW_MINIMUM: "message",
  AMOUNT_ABOVE_MAXIMUM: "message",
  AMOUNT_PRECISION: "message",
  INVALID_ORDER_STATE: "message",
  PERSON_CONFLICT: "message",
  PRICE_CONFLICT: "message",
  RATE_LIMITED: "message",
  PROVIDER_UNAVAILABLE: "message",
};

const isShown = (code: string): code is ShownCode => Object.hasOwn(SHOWN_BY, code);
/** Returns the text of a code in the language of the person. */
const textOf = (code: ShownCode): string =>
  sayWord("error", code.toLowerCase() as Lowercase<ShownCode>);

/** Says why something failed, in the language of the person. */
export function ErrorNotice({ error }: { readonly error: CallError | undefined }) {
  if (error === undefined) return null;
  const { code, message } = error;
  const hasMessage = message !== "" && !(isShown(code) && SHOWN_BY[code] === "code");
  const isAlone = hasMessage && (languageNow() === "en" || !isShown(code));
  return (
    <p class="notice danger" role="alert">
      {!isAlone && textOf(isShown(code) ? code : "INTERNAL_ERROR")}{" "}
      {hasMessage && <bdi lang="en">{message}</bdi>}
    </p>
  );
}
