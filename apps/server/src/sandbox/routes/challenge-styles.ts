/** Styles of the sandbox bank's page, for light and dark. */
export const CHALLENGE_STYLE_PATH = "/sandbox/challenge.css";

/**
 * The page runs no script. `frame-ancestors` counts every page above it, the merchant's too, so any page may
 * frame it, as with a real bank. Requests from other sites are refused before.
 */
export const CHALLENGE_CSP =
  "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors http: https:";

export const CHALLENGE_STYLES = `:root {
  color-scheme: light dark;
  --text: light-dark(#16202c, #eef2f6);
  --muted: light-dark(#4c5866, #b3bfcc);
  --line: light-dark(#c3ccd6, #4a5665);
  --accent: light-dark(#0b5d4e, #5fd1b9);
  --on-accent: light-dark(#ffffff, #06251f);
  font: 16px/1.5 system-ui, sans-serif;
}
body { margin: 0; color: var(--text); background: light-dark(#ffffff, #171d24); }
main { max-width: 24rem; margin: 0 auto; padding: 1.5rem 1.25rem; }
.bank { margin: 0 0 1rem; font-weight: 700; color: var(--accent); }
h1 { margin: 0 0 .5rem; font-size: 1.25rem; line-height: 1.3; }
p { margin: 0 0 1rem; }
form { margin: 0 0 .75rem; }
button {
  width: 100%; min-height: 2.75rem; font: inherit; font-weight: 600; border-radius: .5rem;
  border: 1px solid var(--line); background: transparent; color: inherit; cursor: pointer;
}
button.primary { border-color: var(--accent); background: var(--accent); color: var(--on-accent); }
button:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.note { font-size: .875rem; color: var(--muted); }
`;
