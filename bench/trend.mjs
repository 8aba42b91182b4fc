/** A leak of a hundred bytes an order exceeds this part of the mean in an hour; V8 still compiles for less. */
const GROWTH_PER_HOUR = 0.05;

/**
 * Fits the line of least squares through samples of `{ minute, value }`. `anHour` is its rise in an hour
 * and `error` twice the standard error of that. It `grows` when the rise exceeds both the error and a
 * twentieth of the mean.
 */
export function trendOf(samples) {
  const mean = (pick) => samples.reduce((sum, each) => sum + pick(each), 0) / samples.length;
  const [x, y] = [mean(({ minute }) => minute), mean(({ value }) => value)];
  const along = samples.reduce((sum, { minute }) => sum + (minute - x) ** 2, 0);
  if (samples.length < 3 || along === 0) return { mean: y, anHour: 0, error: 0, grows: false };
  const across = samples.reduce((sum, { minute, value }) => sum + (minute - x) * (value - y), 0);
  const slope = across / along;
  const scatter = samples.reduce(
    (sum, { minute, value }) => sum + (value - y - slope * (minute - x)) ** 2,
    0,
  );
  const anHour = slope * 60;
  const error = 2 * 60 * Math.sqrt(scatter / (samples.length - 2) / along);
  return { mean: y, anHour, error, grows: anHour > Math.max(error, GROWTH_PER_HOUR * y) };
}
