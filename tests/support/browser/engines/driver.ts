/**
 * The commands of W3C WebDriver that the tests use. WebKit takes them over HTTP, Firefox on a socket of
 * its own. Their names and meanings are the same.
 */
export type Command = "Navigate" | "ExecuteScript" | "SwitchToFrame" | "PerformActions";

export interface Driver {
  send(command: Command, parameters?: Readonly<Record<string, unknown>>): Promise<unknown>;
  close(): Promise<void>;
}

/** The browser refused: the name is the error code of the standard. */
export class DriverError extends Error {
  constructor(command: string, { error, message }: { error: string; message: string }) {
    super(`${command}: ${message}`);
    this.name = error;
  }
}
