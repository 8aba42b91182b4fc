/** Style of the reference, in light and dark. */
export const DOCS_STYLE = `:root {
  color-scheme: light dark;
  --paper: #ffffff; --ink: #1b2430; --soft: #55606e; --line: #d9dfe6; --fill: #f4f6f9;
  --accent: #0b57b7; --accent-ink: #ffffff;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #11161d; --ink: #e6ebf2; --soft: #a3afbd; --line: #2c3642; --fill: #1a212b;
    --accent: #8ab8ff; --accent-ink: #0b1420;
  }
}
* { box-sizing: border-box; }
html { scroll-behavior: smooth; scroll-padding-top: 1rem; }
@media (prefers-reduced-motion: reduce) { html { scroll-behavior: auto; } }
body {
  margin: 0; display: grid; grid-template-columns: 17rem minmax(0, 1fr);
  background: var(--paper); color: var(--ink);
  font: 1rem/1.6 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif;
}
a { color: var(--accent); text-underline-offset: 0.15em; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: 4px; }
.skip { position: absolute; left: -100vw; padding: 0.5rem 1rem; background: var(--paper); }
.skip:focus { left: 0.5rem; top: 0.5rem; z-index: 1; }
nav {
  position: sticky; top: 0; align-self: start; height: 100vh; overflow-y: auto;
  padding: 1.5rem 1.25rem; border-right: 1px solid var(--line); background: var(--fill);
}
nav ul { list-style: none; margin: 0; padding: 0; }
nav li { margin: 0.1rem 0; }
nav > ul > li { margin-top: 0.9rem; font-weight: 600; }
nav ul ul { padding-left: 0.75rem; font-weight: 400; }
nav a { display: inline-block; padding: 0.15rem 0; text-decoration: none; }
nav a:hover { text-decoration: underline; }
.brand { margin: 0; font-size: 1.15rem; font-weight: 700; }
.brand span { color: var(--soft); font-size: 0.85rem; font-weight: 400; }
main { padding: 2rem clamp(1rem, 4vw, 4rem) 6rem; max-width: 68rem; }
h1 { font-size: 2rem; line-height: 1.2; margin: 0 0 0.5rem; }
h2 { font-size: 1.5rem; margin: 4rem 0 0.25rem; padding-top: 1rem; border-top: 1px solid var(--line); }
h3 { font-size: 1.2rem; margin: 3rem 0 0.25rem; }
h4 { font-size: 1rem; margin: 1.5rem 0 0.5rem; }
code, pre { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; font-size: 0.9em; }
pre { margin: 0; padding: 1rem; border: 1px solid var(--line); border-radius: 8px; background: var(--fill); line-height: 1.5; }
.scroll { overflow-x: auto; }
.address { margin: 0.25rem 0; }
.method {
  display: inline-block; padding: 0 0.5rem; border-radius: 4px; font-size: 0.85rem; font-weight: 700;
  background: var(--accent); color: var(--accent-ink);
}
.credentials, .optional { color: var(--soft); }
.optional { font-size: 0.85rem; font-weight: 400; }
table { width: 100%; border-collapse: collapse; font-size: 0.95rem; }
th, td { padding: 0.45rem 0.75rem 0.45rem 0; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
thead th { color: var(--soft); font-size: 0.85rem; font-weight: 600; }
tbody th { font-weight: 400; }
tr:target { background: var(--fill); }
details { margin: 0.75rem 0; }
summary { cursor: pointer; padding: 0.25rem 0; font-weight: 600; }
@media (max-width: 48rem) {
  body { display: block; }
  nav { position: static; height: auto; border-right: 0; border-bottom: 1px solid var(--line); }
}
@media print { nav, .skip { display: none; } body { display: block; } }
`;
