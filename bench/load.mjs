import autocannon from "autocannon";

/**
 * Requests a second of a closed loop, and its latencies. `body` may be a function: then each request
 * gets a body of its own. Throws when any answer is not a success: an error is not a fast answer.
 */
export async function load({ url, method = "GET", headers = {}, body, connections, seconds }) {
  const each = typeof body === "function";
  const request = each ? { setupRequest: (draft) => ({ ...draft, body: body() }) } : {};
  const result = await autocannon({
    url,
    method,
    headers,
    connections,
    duration: seconds,
    ...(each ? { requests: [request] } : { body }),
  });
  const bad = result.non2xx + result.errors + result.timeouts;
  if (bad > 0) throw new Error(`${url}: ${bad} of ${result.requests.total} requests failed`);
  const { p50, p99 } = result.latency;
  return { perSecond: result.requests.total / result.duration, p50, p99 };
}
