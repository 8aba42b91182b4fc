import { useId, useState } from "preact/hooks";
import { say, sayAmount, sayDay, sayList } from "../say.ts";

/** A bar of a day: its exact amount as text, of which only the height is a number. */
export interface Bar {
  readonly day: string;
  readonly series: string;
  readonly amount: string;
}

interface PlotProps {
  readonly label: string;
  readonly days: readonly string[];
  readonly series: readonly (readonly [name: string, title: string])[];
  readonly bars: readonly Bar[];
  readonly unit: string;
}

const WIDTH = 720;
const HEIGHT = 220;
/** Room for the line at the bottom. */
const EDGE = 2;
const SHADES_MAX = 4;

/**
 * Bars by day, one for each series. The mouse and the arrow keys choose a day with bars, and the line below the bars
 * tells its amounts. The line is a status, so that screen readers say it. Its texts are those of the table below.
 */
export function Plot(props: PlotProps) {
  const { label, days, series, bars, unit } = props;
  const [pointedAt, setChosen] = useState<string>();
  // Another currency or measure may have nothing on that day.
  const chosen = bars.some(({ day }) => day === pointedAt) ? pointedAt : undefined;
  const hint = useId();
  const top = extreme(bars, (amount, best) => amount > best);
  const titleOf = (name: string): string =>
    series.find(([seriesName]) => seriesName === name)?.[1] ?? name;
  const values = bars
    .filter(({ day }) => day === chosen)
    .map(({ series: name, amount }) => `${titleOf(name)} ${sayAmount({ amount, currency: unit })}`);
  return (
    <figure class="plot card">
      <figcaption>
        <strong>{label}</strong>
      </figcaption>
      <p class="muted small">{top && sayAmount({ amount: top.amount, currency: unit })}</p>
      <Stage {...props} chosen={chosen} hint={hint} onChoose={setChosen} />
      <p class="ends muted small">
        {[...new Set([days[0], days.at(-1)])].map((day) => (
          <bdi key={day}>{day && sayDay(day)}</bdi>
        ))}
      </p>
      <p class="small">
        <span id={hint} class={chosen === undefined ? "muted" : "hidden"}>
          {say("money.plot_hint")}
        </span>
        <span role="status">
          {chosen && say("money.plot_at", { day: sayDay(chosen), values: sayList(values) })}
        </span>
      </p>
      <Legend series={series} />
    </figure>
  );
}

/** The part of the plot that takes the focus and follows the mouse. Without both no day is chosen. */
function Stage(
  props: PlotProps & {
    readonly chosen: string | undefined;
    readonly hint: string;
    readonly onChoose: (day: string | undefined) => void;
  },
) {
  const { label, days, bars, chosen, hint, onChoose } = props;
  const daysWithBars = days.filter((day) => bars.some((bar) => bar.day === day));
  const move = (event: KeyboardEvent): void => {
    const to = dayAfterKey(event.key, daysWithBars, chosen);
    if (to === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    onChoose(to);
  };
  const point = (event: PointerEvent & { readonly currentTarget: Element }): void => {
    const { left, width } = event.currentTarget.getBoundingClientRect();
    const at = ((event.clientX - left) / width) * days.length - 0.5;
    const away = (day: string): number => Math.abs(days.indexOf(day) - at);
    onChoose(daysWithBars.toSorted((one, other) => away(one) - away(other))[0]);
  };
  return (
    <div
      role="group"
      aria-label={label}
      aria-describedby={hint}
      tabIndex={0}
      onKeyDown={move}
      onFocus={() => onChoose(chosen ?? daysWithBars.at(-1))}
      onBlur={() => onChoose(undefined)}
      onPointerDown={point}
      onPointerMove={point}
      onPointerLeave={({ currentTarget }) => currentTarget.matches(":focus") || onChoose(undefined)}
    >
      <Bars {...props} />
    </div>
  );
}

/**
 * Returns the day that a key moves to. Time runs from left to right in every language, as the plot does, so the right
 * arrow always moves to a later day.
 */
function dayAfterKey(
  key: string,
  days: readonly string[],
  day: string | undefined,
): string | undefined {
  const at = day === undefined ? -1 : days.indexOf(day);
  const last = days.length - 1;
  const moves: Readonly<Record<string, number>> = {
    ArrowLeft: Math.max(0, at < 0 ? last : at - 1),
    ArrowRight: Math.min(last, at + 1),
    Home: 0,
    End: last,
  };
  const to = moves[key];
  return to === undefined ? undefined : days[to];
}

/** The picture. A negative amount, of a day with more reversals than exchanges, hangs below the line. */
function Bars(props: PlotProps & { readonly chosen: string | undefined }) {
  const { days, series, bars, chosen } = props;
  const high = Number(extreme(bars, (amount, best) => amount > best)?.amount ?? 0);
  const low = Number(extreme(bars, (amount, best) => amount < best)?.amount ?? 0);
  const space = HEIGHT - 2 * EDGE;
  const y = (amount: number): number => EDGE + ((high - amount) / (high - low || 1)) * space;
  const slot = WIDTH / Math.max(1, days.length);
  const width = Math.min(36, Math.max(1, (slot * 0.8) / Math.max(1, series.length)));
  return (
    <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true">
      {chosen !== undefined && (
        <rect class="chosen" x={days.indexOf(chosen) * slot} width={slot} height={HEIGHT} />
      )}
      <line x1="0" x2={WIDTH} y1={y(0)} y2={y(0)} />
      {bars.map(({ day, series: name, amount }) => {
        const at = series.findIndex(([seriesName]) => seriesName === name);
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
          />
        );
      })}
    </svg>
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

function Legend({ series }: Pick<PlotProps, "series">) {
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
