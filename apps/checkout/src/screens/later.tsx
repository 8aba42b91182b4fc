/** Every screen after the first, in one file that is fetched while the customer reads the first one. */
export { createStreamer } from "../api/stream.ts";
export { ChoosingScreen } from "./choosing.tsx";
export { OrderedScreen } from "./ordered.tsx";
