/** One event of a stream of server-sent events. */
export interface StreamEvent {
  readonly type: string;
  readonly data: string;
}

/**
 * Reads a stream as it comes in pieces, by the rules of the WHATWG HTML standard, section 9.2.6. An
 * `EventSource` does the same but cannot send the token in a header.
 */
export function readEvents(onEvent: (event: StreamEvent) => void): (text: string) => void {
  let line = "";
  let endedInReturn = false;
  let type = "";
  let data: string[] = [];
  const dispatch = (): void => {
    if (data.length > 0) onEvent({ type: type || "message", data: data.join("\n") });
    type = "";
    data = [];
  };
  const readLine = (whole: string): void => {
    if (whole === "") return dispatch();
    const [, name, value = ""] = /^([^:]*):? ?(.*)$/s.exec(whole) ?? [];
    if (name === "event") type = value;
    if (name === "data") data.push(value);
  };
  return (text) => {
    // A line may end in CR, LF or both, and both may come in two pieces.
    const piece = endedInReturn && text.startsWith("\n") ? text.slice(1) : text;
    if (text !== "") endedInReturn = text.endsWith("\r");
    const lines = (line + piece).split(/\r\n|\r|\n/);
    line = lines.pop() ?? "";
    for (const whole of lines) readLine(whole);
  };
}
