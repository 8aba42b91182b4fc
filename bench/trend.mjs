/** An object of a hundred bytes that each order leaves behind is as much; V8 goes on compiling for less. */
const PER_HOUR_SEEN = 0.05;

/**
 * The line of least squares through samples of `{ minute, value }`: how much it rises in an hour, how sure
 * that is (twice its standard error), and whether it is growth: more than its own uncertainty, and more
 * than a twentieth of the mean.
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
  return { mean: y, anHour, error, grows: anHour > Math.max(error, PER_HOUR_SEEN * y) };
}
