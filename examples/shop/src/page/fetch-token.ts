import { orderForm } from "./elements.ts";
import { follow, showNotice } from "./purchase.ts";

// #region fetch-token
/** Asks the shop's own server, never Exchange: the API key stays there. */
export async function fetchToken() {
  const response = await fetch(orderForm.action, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(Object.fromEntries(new FormData(orderForm))),
  });
  const { sessionId, token, message } = await response.json();
  if (!response.ok) {
    showNotice(message);
    throw new Error(message);
  }
  follow({ sessionId, token }); // shows "Your purchase"
  return token;
}
// #endregion
