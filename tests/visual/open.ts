import { NOW } from "./answers.ts";
import { startCheckout } from "./checkout.ts";
import { SCREENS, STATES } from "./scenes/scenes.ts";

const SCENES = [...SCREENS, ...STATES];
export const SCENE_NAMES: readonly string[] = SCENES.map(({ name }) => name).sort();

/** The scenes' quotes and sessions expire soon after their own time, so the page's clock has to stay there. */
const FROZEN_CLOCK = `<script>
Date = class extends Date {
  constructor(...parts) {
    super(...(parts.length === 0 ? [${NOW.getTime()}] : parts));
  }
  static now() {
    return ${NOW.getTime()};
  }
};
</script>`;

/** Serves the opening of a scene for a person's browser. Undefined when no scene has the name. */
export async function openScene(name: string) {
  const scene = SCENES.find((candidate) => candidate.name === name);
  if (scene === undefined) return undefined;
  const { addressFor, close } = await startCheckout({ head: FROZEN_CLOCK });
  return { address: addressFor(scene), close };
}
