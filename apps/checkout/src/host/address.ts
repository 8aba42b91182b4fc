/** Who opened this frame, as the fragment of its address says: `#i=<instance>&o=<host origin>`. */
export interface FrameAddress {
  readonly instance: string;
  readonly hostOrigin: string;
}

/** Undefined when the fragment does not name exactly one instance and one web origin. */
export function readFrameAddress(hash: string): FrameAddress | undefined {
  const parameters = new URLSearchParams(hash.replace(/^#/, ""));
  const instance = parameters.get("i") ?? "";
  const hostOrigin = parameters.get("o") ?? "";
  if (!/^[A-Za-z0-9_-]{8,128}$/.test(instance)) return undefined;
  return isWebOrigin(hostOrigin) ? { instance, hostOrigin } : undefined;
}

function isWebOrigin(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const url = new URL(text);
  return (url.protocol === "https:" || url.protocol === "http:") && url.origin === text;
}
