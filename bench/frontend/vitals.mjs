/**
 * Runs in every frame before its own scripts: keeps what the browser tells of painting, moving, tasks
 * and inputs, for `readVitals`.
 */
export function watchVitals() {
  const vitals = { lcp: 0, cls: 0, tasks: [], inputs: {} };
  const watch = (type, take, options = {}) =>
    new PerformanceObserver((list) => list.getEntries().forEach(take)).observe({
      type,
      buffered: true,
      ...options,
    });
  watch("largest-contentful-paint", ({ startTime }) => {
    vitals.lcp = startTime;
  });
  watch("layout-shift", ({ value, hadRecentInput }) => {
    if (!hadRecentInput) vitals.cls += value;
  });
  watch("longtask", ({ startTime, duration }) => vitals.tasks.push({ startTime, duration }));
  watch(
    "event",
    ({ interactionId, duration }) => {
      if (!interactionId) return;
      vitals.inputs[interactionId] = Math.max(vitals.inputs[interactionId] ?? 0, duration);
    },
    { durationThreshold: 16 },
  );
  window.vitals = vitals;
}

const BLOCKING_MS = 50;

/** Milliseconds until the largest paint, moved share of the screen, blocked time, slowest input. */
export async function readVitals(frame) {
  const { lcp, cls, tasks, inputs } = await frame.locator("body").evaluate(() => window.vitals);
  const tbt = tasks.reduce((sum, { duration }) => sum + Math.max(0, duration - BLOCKING_MS), 0);
  // An input that is not told of took less than what is told.
  return { lcp, cls, tbt, inp: Math.max(16, ...Object.values(inputs)) };
}
