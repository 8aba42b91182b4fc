const TABLES_SHOWN = 12;
const mb = (number) => `${number.toFixed(number < 10 ? 2 : 1)} MB`;

/** What an hour does to memory, with a verdict, and what it leaves on disk. */
export function soakReport({ minutes, requests, orders, trends, disk }) {
  const isMet = trends.length > 0 && !trends.some(({ grows }) => grows);
  const lines = [
    `${requests.toLocaleString("en")} requests and ${orders.toLocaleString("en")} whole orders in ${minutes} minutes`,
    ...trends.map(trendLine),
    isMet ? "no growth of memory: met" : "no growth of memory: NOT met",
    ...diskLines(disk),
  ];
  return { isMet, text: lines.join("\n") };
}

const trendLine = ({ name, mean, anHour, error, grows }) =>
  `${name}: ${mb(mean)}, ${anHour < 0 ? "falls" : "rises"} by ${mb(Math.abs(anHour))} ± ${mb(error)} an hour in the ` +
  `second half: ${grows ? "grows" : "does not grow"}`;

function diskLines({ before, after }) {
  const grown = [...after.tables]
    .map(([name, size]) => ({ name, grown: size - (before.tables.get(name) ?? 0) }))
    .filter((table) => table.grown > 0)
    .sort((a, b) => b.grown - a.grown);
  const sum = grown.reduce((total, table) => total + table.grown, 0);
  const shown = grown.slice(0, TABLES_SHOWN).map((table) => `${table.name} ${mb(table.grown)}`);
  return [
    `on disk the tables grew by ${mb(sum)}: ${shown.join(", ")}`,
    `the write-ahead log has ${mb(after.logMb)}, of which old parts are used again`,
  ];
}
