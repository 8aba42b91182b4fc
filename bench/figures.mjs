import { median } from "./measure.mjs";
import { nodeMemoryMb } from "./processes.mjs";
import { makeDataDir, startService } from "./service.mjs";

const MEMORY_MB_MAX = 250;
const FIRST_START_SECONDS_MAX = 3;
const NEXT_START_SECONDS_MAX = 1.5;

/** A row that has no floor: the figure itself stands where the others have their ratio. */
const figureRow = ({ row, unit, target, figures }) => {
  const ratio = median(figures);
  const spread = [Math.min(...figures), Math.max(...figures)];
  return {
    row,
    ratio,
    unit,
    target,
    isMet: ratio <= target,
    floor: "",
    p50: null,
    p99: null,
    spread,
  };
};

/** How soon an installed and built service is ready: on an empty data folder, and after that. */
export async function measureStarts({ rounds, progress }) {
  const [first, next] = [[], []];
  for (let round = 1; round <= rounds; round++) {
    const { dataDir, remove } = await makeDataDir();
    for (const figures of [first, next]) {
      const service = await startService(dataDir);
      figures.push(service.readySeconds);
      await service.stop();
    }
    await remove();
    progress(
      `ready: round ${round} of ${rounds}, ${first.at(-1).toFixed(1)} s, ${next.at(-1).toFixed(1)} s`,
    );
  }
  const unit = " s";
  return [
    figureRow({ row: "ready, first start", unit, target: FIRST_START_SECONDS_MAX, figures: first }),
    figureRow({ row: "ready, next start", unit, target: NEXT_START_SECONDS_MAX, figures: next }),
  ];
}

/** Resident memory of the Node processes of the service, as the rows before left it. */
export async function measureMemory(service) {
  const figures = [await nodeMemoryMb(service.pid)];
  return figureRow({ row: "memory after the run", unit: " MB", target: MEMORY_MB_MAX, figures });
}
