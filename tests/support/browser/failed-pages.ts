import { afterEach } from "vitest";
import { showPagesOfFailure } from "./browser.ts";

// A file that closes its pages after each test has printed them already.
afterEach(showPagesOfFailure);
