/** Every screen after the first, in one file that is fetched while the customer reads the first one. */
export { createStreamer } from "./api/stream.ts";
export { parseDraft } from "./flow/draft.ts";
export { keepPlace } from "./flow/keep-place.ts";
export { createLaterRunner } from "./flow/run-later-effects.ts";
export { ChoosingScreen } from "./screens/choosing.tsx";
export { OrderedScreen } from "./screens/ordered.tsx";
export { LeaveDialog } from "./ui/dialog.tsx";
