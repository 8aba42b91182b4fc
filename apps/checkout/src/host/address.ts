/** The opener of this page, from the fragment of its address: `#i=<instance>&o=<host origin>`. */
export interface FrameAddress {
  readonly instance: string;
  readonly hostOrigin: string;
}

/** Returns undefined unless the fragment names an instance and a web origin. */
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
