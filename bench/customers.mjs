import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const CUSTOMERS = fileURLToPath(new URL("./customer-process.mjs", import.meta.url));

/**
 * Customers in a process of their own, who buy bitcoin by card: each places its next order when the
 * merchant has been told that the last one was fulfilled, with `perSecond` together at most so many.
 * `buy` gives the orders of the time and how long they took from being placed to the second webhook.
 */
export async function startCustomers(service) {
  const child = fork(CUSTOMERS);
  const ask = async (message) => {
    child.send(message);
    const [answer] = await once(child, "message");
    if (answer.error) throw new Error(answer.error);
    return answer;
  };
  const { url, headers } = service;
  const { endpointId } = await ask({ kind: "open", url, headers });
  return {
    buy: (wish) => ask({ kind: "buy", ...wish }),
    stop: async () => {
      child.kill("SIGKILL");
      const endpoint = `${url}/webhook_endpoints/${endpointId}`;
      await fetch(endpoint, { method: "DELETE", headers });
    },
  };
}
