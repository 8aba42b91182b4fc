import { revokeSessionToken } from "../../flows/sessions/revoke-token.ts";
import type { Command } from "../command.ts";
import { AS, CLIENT, operatorOf } from "../operator-options.ts";
import { withDatabase } from "../with-database.ts";

export const sessionRevoke: Command = {
  name: "session revoke",
  summary:
    "Revoke the public token of a session, and the page of its order. Both stop working at once; the order continues.",
  options: {
    client: CLIENT,
    session: {
      value: "ID",
      required: true,
      description: "The session's id, as the merchant chose it.",
    },
    as: AS,
  },
  argument: "session",
  example: "session revoke cart-1042 --client client_dev_ABCDEFGHIJKLMNOP",
  run: (context, input) =>
    withDatabase(context, async (deps) => {
      const clientId = input.required("client");
      const sessionId = input.required("session");
      const { session } = await revokeSessionToken(deps, {
        merchantId: clientId,
        sessionId,
        operator: operatorOf(context, input),
      });
      const then =
        session.status === "active"
          ? "Its merchant may create a new token for it."
          : `Order ${session.orderId} goes on.`;
      const orderId = session.orderId === null ? null : Number(session.orderId);
      return {
        json: { clientId, sessionId, status: session.status, orderId, revoked: true },
        text: `The token of session ${sessionId} is revoked. ${then}`,
      };
    }),
};
