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
  const url = readUrl(text);
  return /^https?:$/.test(url?.protocol ?? "") && url?.origin === text;
}

/** Returns undefined for a text that is not a URL. `URL.canParse` is missing in browsers of 2023, which customers have. */
export function readUrl(text: string, base?: string): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}
