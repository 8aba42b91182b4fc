/**
 * An exchange.js of a few lines that has the documented calls and opens nothing. With `stub` the
 * test sends events and ends the opening; `calls` records the calls.
 */
export const stubScript = (clientId: string): string => `(() => {
  if (window.exchange && !window.exchange.q) return;
  const listeners = [];
  let run, sequence = 0;
  const refuse = (message) => {
    throw Object.assign(new Error(message), { code: "invalid_options", recoverable: false });
  };
  window.calls = [];
  window.exchange = Object.freeze({
    version: "0.1.0",
    get state() { return run ? "open" : "idle"; },
    configure(options) {
      if (options.clientId !== ${JSON.stringify(clientId)}) refuse("clientId must be the script's.");
      calls.push(["configure", options]);
      return this;
    },
    init({ authenticationToken: token }) {
      if (!token) refuse("authenticationToken must be a token, a promise or a function.");
      let resolve;
      run = { result: new Promise((settle) => { resolve = settle; }), resolve };
      calls.push(["init", typeof token === "function" ? token() : token]);
      stub.tell("open");
      return run.result;
    },
    on(name, listener) {
      listeners.push(listener);
      return () => listeners.splice(listeners.indexOf(listener), 1);
    },
    close: () => stub.end({ outcome: "closed", reason: "host" }),
    destroy() {},
  });
  window.stub = {
    count: () => listeners.length,
    tell(name, data = null) {
      for (const listener of [...listeners]) listener({ name, data, timestamp: 0, sequence: ++sequence });
    },
    end(result) {
      const { resolve } = run;
      run = undefined;
      stub.tell("close");
      resolve(result);
    },
  };
})();`;
