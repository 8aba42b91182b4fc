/** Every screen after the first, in one file that is fetched while the first one is read. */
export { ChoosingScreen } from "./choosing.tsx";
export { OrderedScreen } from "./ordered.tsx";
