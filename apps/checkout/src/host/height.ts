import type { HostChannel } from "./channel.ts";

const HEIGHT_MIN = 320;
const HEIGHT_MAX = 2000;

/**
 * Tells the host how tall the content is, whenever that changes. The element is measured, never the
 * document: a document does not shrink below its frame.
 */
export function reportHeight(element: HTMLElement, channel: HostChannel): void {
  let reported = 0;
  const report = (): void => {
    const height = Math.ceil(element.getBoundingClientRect().height);
    const clamped = Math.min(Math.max(height, HEIGHT_MIN), HEIGHT_MAX);
    if (clamped === reported) return;
    reported = clamped;
    channel.resize(clamped);
  };
  new ResizeObserver(report).observe(element);
  report();
}
