/**
 * Every error code of the service (completion, section 8) with its status and its default message.
 * The code that raises an error may use a more precise message. Codes are part of the contract;
 * messages are not.
 */
export const API_ERRORS = {
  INVALID_INPUT: { status: 400, message: "The request is not valid." },
  INVALID_SCOPE: {
    status: 400,
    message: "A requested scope does not exist. The reference of the endpoints lists the scopes.",
  },
  INVALID_COUNTRY: { status: 400, message: "countryCode must be an ISO 3166-1 alpha-2 code." },
  INVALID_OPERATION_TYPE: { status: 400, message: "operationType must be S, B, FF or CC." },
  SESSION_ALREADY_USED: {
    status: 400,
    message:
      "An order was already placed in this session. Restart the checkout from the merchant's platform with a new session.",
  },
  CURRENCY_NOT_FOUND: {
    status: 400,
    message: "There is no such currency. GET /v1/exchange/currencies lists them.",
  },
  UNSUPPORTED_PAIR: { status: 400, message: "This operation does not exchange these currencies." },
  PAYMENT_METHOD_NOT_FOUND: {
    status: 400,
    message: "There is no such payment method. GET /v1/payment-methods lists them.",
  },
  PAYMENT_METHOD_UNAVAILABLE: {
    status: 400,
    message: "The payment method is not available for this operation, currency or country.",
  },
  DELIVERY_METHOD_UNAVAILABLE: {
    status: 400,
    message: "The delivery method is not available for this operation, currency or country.",
  },
  AMOUNT_BELOW_MINIMUM: { status: 400, message: "The amount is below the minimum." },
  AMOUNT_ABOVE_MAXIMUM: { status: 400, message: "The amount is above the maximum." },
  AMOUNT_PRECISION: { status: 400, message: "The amount has more decimals than its currency." },
  INVALID_WALLET_ADDRESS: { status: 400, message: "The wallet address is not valid." },
  NETWORK_REQUIRED: { status: 400, message: "Say which network the wallet address belongs to." },
  NETWORK_MISMATCH: { status: 400, message: "The wallet address belongs to another network." },
  UNAUTHORIZED: { status: 401, message: "The merchant credentials are missing or not valid." },
  TOKEN_EXPIRED: {
    status: 401,
    message: "The public token has expired. Restart the checkout from the merchant's platform.",
  },
  TOKEN_INVALID: { status: 401, message: "The public token is missing or not valid." },
  INSUFFICIENT_SCOPE: { status: 403, message: "The credentials lack the scope for this call." },
  ORIGIN_NOT_ALLOWED: {
    status: 403,
    message: "This origin may not make this call. Call from the checkout's own page.",
  },
  NOT_FOUND: {
    status: 404,
    message: "There is nothing at this address. Check the path and the id.",
  },
  INVALID_ORDER_STATE: { status: 409, message: "The order's status does not allow this." },
  QUOTE_EXPIRED: { status: 409, message: "The quote has expired. Accept a fresh one." },
  QUOTE_ALREADY_USED: {
    status: 409,
    message: "The quote was already used for an order. Request a new quote.",
  },
  SESSION_EXPIRED: {
    status: 409,
    message:
      "An order was already placed in this session. Restart the checkout from the merchant's platform.",
  },
  IDEMPOTENCY_CONFLICT: {
    status: 409,
    message:
      "This Idempotency-Key belongs to a different request, or its first request is still running. Use a new key for a new request.",
  },
  PAYLOAD_TOO_LARGE: { status: 413, message: "The request body is larger than 64 kB." },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, message: "Send the body as application/json." },
  RATE_LIMITED: { status: 429, message: "Too many requests. Wait before you try again." },
  INTERNAL_ERROR: { status: 500, message: "Something went wrong on our side. Try again." },
  LIQUIDITY_UNAVAILABLE: { status: 503, message: "This currency cannot be provided right now." },
  SERVICE_UNAVAILABLE: {
    status: 503,
    message: "The service cannot answer right now. Try again after the time in Retry-After.",
  },
  PROVIDER_UNAVAILABLE: { status: 503, message: "A provider does not answer. Try again shortly." },
} as const satisfies Record<string, { status: number; message: string }>;

export type ErrorCode = keyof typeof API_ERRORS;

/**
 * The further error codes of the console's calls (`/v1/admin/*`). They are apart from `API_ERRORS`, because no merchant
 * receives them.
 */
export const ADMIN_ERRORS = {
  SIGN_IN_REQUIRED: { status: 401, message: "Your session has ended. Sign in again." },
  SIGN_IN_FAILED: {
    status: 401,
    message:
      "The sign-in failed. Check the e-mail address, the password and the code, or use another passkey.",
  },
  INVITATION_INVALID: {
    status: 401,
    message: "This link was used, has ended or was replaced. Ask for a new one.",
  },
  IDENTITY_NOT_LINKED: {
    status: 401,
    message:
      "No account of the console is linked to this account of your identity provider. Sign in another way and link it under Your account, or ask for an invitation.",
  },
  STEP_UP_REQUIRED: {
    status: 403,
    message: "Confirm with a passkey, or with password and code, that you are still there.",
  },
  ROLE_REQUIRED: { status: 403, message: "None of your roles allows this." },
  SERVICE_ACCOUNT_KEY_INVALID: {
    status: 401,
    message:
      "The key of a service account is not valid, has expired or was revoked. An administrator creates another account.",
  },
  PERSON_REQUIRED: {
    status: 403,
    message:
      "A service account may not do this, whatever its role. A person does it in the console.",
  },
  PERSON_CONFLICT: { status: 409, message: "The state of this person does not allow this." },
  PRICE_CONFLICT: { status: 409, message: "The state of this price does not allow this." },
} as const satisfies Record<string, { status: number; message: string }>;

export type AdminErrorCode = keyof typeof ADMIN_ERRORS;
