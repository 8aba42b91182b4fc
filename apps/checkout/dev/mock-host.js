// The host's side of the frame protocol, as small as it can be. ?token=…&options={…}&width=…
const service = "{{service}}";
const query = new URLSearchParams(location.search);
const instance = crypto.randomUUID().replaceAll("-", "");
const frame = document.createElement("iframe");
frame.title = "Checkout";
if (query.has("width")) frame.style.maxWidth = `${query.get("width")}px`;
frame.src = `${service}/checkout?clientId=mock&mode=modal#i=${instance}&o=${location.origin}`;
document.body.append(frame);
window.messages = [];
addEventListener("message", (event) => {
  if (event.origin !== service || event.source !== frame.contentWindow) return;
  if (event.data.type !== "hello" || event.data.instance !== instance) return;
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = ({ data }) => {
    window.messages.push(data);
    if (data.type === "resize") frame.style.height = `${Math.min(data.height, innerHeight)}px`;
    if (data.type === "close") frame.remove();
  };
  const { load } = event.data;
  const welcome = { protocol: "exchange.v1", type: "welcome", instance, load, version: 1 };
  frame.contentWindow.postMessage(welcome, service, [port2]);
  const options = JSON.parse(query.get("options") ?? "{}");
  if (query.has("fail")) port1.postMessage({ type: "init-failed" });
  else port1.postMessage({ type: "init", token: query.get("token") ?? "plain.1", options });
  window.hostPort = port1;
});
