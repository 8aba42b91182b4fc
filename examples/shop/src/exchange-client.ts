import type { Product } from "./products.ts";
import type { Settings } from "./settings.ts";

export type TokenAnswer =
  | { readonly ok: true; readonly token: string }
  | { readonly ok: false; readonly code: string; readonly message: string };

export interface Sale {
  readonly sessionId: string;
  readonly product: Product;
  /** Seconds that the token lives; left out, what Exchange has as default. */
  readonly expiresIn?: number | undefined;
}

const UNAVAILABLE = {
  ok: false,
  code: "CHECKOUT_UNAVAILABLE",
  message: "Checkout is not available right now. Please try again in a moment.",
} as const;

const TIMEOUT_MS = 10_000;

// #region token
/**
 * Asks Exchange for the public token of one session. The API key stays on this server; the token may
 * go to the browser. `lock` fixes what is sold, so that nothing a browser changes can change the price.
 */
export async function createPublicToken(settings: Settings, sale: Sale): Promise<TokenAnswer> {
  const { product, sessionId, expiresIn } = sale;
  try {
    const response = await post(settings, "/public_token/create", {
      sessionId,
      expiresIn,
      lock: product.lock,
      metadata: { productId: product.id },
    });
    return readAnswer(response.status, await response.json());
  } catch (error) {
    console.error("shop: the token call failed:", error instanceof Error ? error.message : error);
    return UNAVAILABLE;
  }
}

const post = (settings: Settings, path: string, body: unknown): Promise<Response> =>
  fetch(`${settings.exchangeUrl}${path}`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "x-api-key": settings.apiKey,
      "x-client-id": settings.clientId,
    },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
// #endregion

function readAnswer(status: number, body: unknown): TokenAnswer {
  const answer = body as { code?: string; message?: string; data?: { accessToken?: string } };
  const token = answer.data?.accessToken;
  if (status === 201 && token !== undefined) return { ok: true, token };
  // The one refusal that a customer can do something about.
  if (answer.code === "SESSION_ALREADY_USED") {
    return { ok: false, code: answer.code, message: answer.message ?? "Start a new purchase." };
  }
  console.error(`shop: the token call was refused: ${status} ${answer.code} ${answer.message}`);
  return UNAVAILABLE;
}

/** Sandbox only: pays exactly what the order lacks. False when it waits for no payment. */
export async function payInSandbox(settings: Settings, orderId: number): Promise<boolean> {
  try {
    const response = await post(settings, "/sandbox/deposits", { orderId });
    if (!response.ok) console.error(`shop: the deposit was refused: ${await response.text()}`);
    return response.ok;
  } catch (error) {
    console.error("shop: the deposit failed:", error instanceof Error ? error.message : error);
    return false;
  }
}
