/**
 * A checkout page of a few lines that speaks the frame protocol, for tests of the host's side. The
 * client id varies it: `silent` sends nothing, `late` says hello after 3 seconds, `loaded` just after its load, `stay`
 * refuses to close, `brief` closes when it is ready.
 */
export const FAKE_CHECKOUT_PAGE = `<!doctype html><html lang="en"><title>Fake checkout</title>
<h1 tabindex="-1">Fake checkout</h1>
<label>Amount <input id="amount"></label> <button id="order">Order</button> <button id="tall">Tall</button>
<button id="paid">Paid</button> <button id="card">Card</button> <button id="close">Close</button>
<button id="stop">Stop</button><pre id="log"></pre>
<script>
const clientId = new URLSearchParams(location.search).get("clientId");
const hash = new URLSearchParams(location.hash.slice(1));
const instance = hash.get("i"), hostOrigin = hash.get("o");
const load = String(Math.random());
const addressSeen = location.href;
history.replaceState(null, "", location.pathname + location.search);
const host = window.opener ?? window.parent;
let port, sequence = 0;
const log = (entry) => { document.getElementById("log").textContent += JSON.stringify(entry) + "\\n"; };
const snapshot = (more) => ({ sessionId: "s1", screen: "amount", operationType: "B", live: false, ...more });
const tell = (name, more, code) =>
  port.postMessage({ type: "event", name, snapshot: snapshot(more), sequence: ++sequence, code });
// Later than the click that asked for it: a test's driver waits for the click to end.
const close = (reason) => setTimeout(() => port.postMessage({ type: "close", reason }), 100);
const onPort = ({ data }) => {
  log(data);
  if (data.type === "init") {
    port.postMessage({ type: "ready", title: "Buy Bitcoin", locale: "en" });
    tell("ready");
    if (clientId === "brief") port.postMessage({ type: "close", reason: "user" });
  }
  if (data.type === "init-failed") tell("error", {}, "token_unavailable");
  if (data.type === "close-request") {
    tell("exitIntent");
    if (clientId !== "stay") close(data.by);
  }
};
addEventListener("message", ({ data, ports, origin }) => {
  if (origin !== hostOrigin || data.type !== "welcome" || data.load !== load || port) return;
  port = ports[0];
  port.onmessage = onPort;
  log({ addressSeen });
});
const hello = () => {
  if (port || clientId === "silent") return;
  host.postMessage({ protocol: "exchange.v1", type: "hello", instance, load, versions: [1] }, hostOrigin);
  setTimeout(hello, 50);
};
if (clientId === "loaded") addEventListener("load", () => setTimeout(hello, 200));
else setTimeout(hello, clientId === "late" ? 3000 : 0);
addEventListener("keydown", (event) => {
  if (event.key === "Escape") close("escape");
});
const sent = { orderId: 42, status: "awaiting_payment" };
document.getElementById("order").onclick = () => tell("orderPlaced", { ...sent, outcome: "pending" });
document.getElementById("card").onclick = () => {
  tell("orderPlaced", { ...sent, outcome: "unpaid" });
  tell("orderUpdated", { ...sent, outcome: "declined" });
};
document.getElementById("paid").onclick = () => {
  tell("orderUpdated", { orderId: 42, status: "processing", outcome: "paid" });
  tell("orderUpdated", { orderId: 42, status: "completed", outcome: "paid" });
};
document.getElementById("tall").onclick = () => port.postMessage({ type: "resize", height: 5000 });
document.getElementById("close").onclick = () => close("user");
// As after a reload with a token that has expired: the checkout no longer knows its session.
document.getElementById("stop").onclick = () => {
  tell("error", { sessionId: "", screen: "stopped" }, "token_expired");
  close("token_expired");
};
</script></html>`;
