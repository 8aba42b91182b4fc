import { afterEach } from "vitest";
import { showPagesOfFailure } from "./browser.ts";

// Where a file closes its pages after each test, it has shown them already.
afterEach(showPagesOfFailure);
