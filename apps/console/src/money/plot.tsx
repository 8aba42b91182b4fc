/** A bar of a day: its exact amount as text, of which only the height is a number. */
export interface Bar {
  readonly day: string;
  readonly series: string;
  readonly amount: string;
}

const WIDTH = 720;
const HEIGHT = 220;
/** Room for the line at the bottom. */
const EDGE = 2;
const SHADES_MAX = 4;

/**
 * Bars by day, one for each series. The table below has the same texts, so the picture is one image for screen readers.
 * A negative amount, of a day with more reversals than exchanges, hangs below the line.
 */
export function Plot(props: {
  readonly label: string;
  readonly days: readonly string[];
  readonly series: readonly (readonly [name: string, title: string])[];
  readonly bars: readonly Bar[];
  readonly unit: string;
}) {
  const { days, series, bars, unit } = props;
  const top = extreme(bars, (amount, best) => amount > best);
  const bottom = extreme(bars, (amount, best) => amount < best);
  const [high, low] = [Number(top?.amount ?? 0), Number(bottom?.amount ?? 0)];
  const space = HEIGHT - 2 * EDGE;
  const y = (amount: number): number => EDGE + ((high - amount) / (high - low || 1)) * space;
  const slot = WIDTH / Math.max(1, days.length);
  const width = Math.min(36, Math.max(1, (slot * 0.8) / Math.max(1, series.length)));
  const [first = "", last = ""] = [days[0], days.at(-1)];
  return (
    <figure class="plot card">
      <figcaption>
        <strong>{props.label}</strong>
      </figcaption>
      <p class="muted small">{top && `${top.amount} ${unit}`}</p>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={props.label}>
        <line x1="0" x2={WIDTH} y1={y(0)} y2={y(0)} />
        {bars.map(({ day, series: name, amount }) => {
          const at = series.findIndex(([known]) => known === name);
          const middle = (days.indexOf(day) + 0.5) * slot;
          const units = Number(amount);
          return (
            <rect
              key={`${day} ${name}`}
              class={`shade-${at % SHADES_MAX}`}
              x={middle + (at - series.length / 2) * width}
              y={y(Math.max(0, units))}
              width={width}
              height={Math.abs(y(units) - y(0))}
              data-day={day}
              data-series={name}
              data-amount={amount}
            >
              <title>{`${day}, ${series[at]?.[1] ?? name}: ${amount} ${unit}`}</title>
            </rect>
          );
        })}
      </svg>
      <p class="ends muted small">
        <span>{first}</span>
        {last !== first && <span>{last}</span>}
      </p>
      <Legend series={series} />
    </figure>
  );
}

const extreme = (
  bars: readonly Bar[],
  isBeyond: (amount: number, best: number) => boolean,
): Bar | undefined =>
  bars.reduce<Bar | undefined>(
    (best, bar) => (isBeyond(Number(bar.amount), Number(best?.amount ?? 0)) ? bar : best),
    undefined,
  );

function Legend({
  series,
}: {
  readonly series: readonly (readonly [name: string, title: string])[];
}) {
  return (
    <ul class="legend">
      {series.map(([name, title], at) => (
        <li key={name}>
          <svg viewBox="0 0 12 12" aria-hidden="true">
            <rect class={`shade-${at % SHADES_MAX}`} width="12" height="12" rx="3" />
          </svg>
          {title}
        </li>
      ))}
    </ul>
  );
}
