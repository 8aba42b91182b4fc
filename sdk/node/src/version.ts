/** As in package.json; a test compares. */
export const PACKAGE_VERSION = "0.1.0";
