/** Stops the page behind the dialog from scrolling, without touching its own styles. */
export function lockScroll(): () => void {
  const hasScrollbar = innerWidth > document.documentElement.clientWidth;
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(
    `html{overflow:hidden!important;scrollbar-gutter:${hasScrollbar ? "stable" : "auto"}}`,
  );
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
  return () => {
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((each) => each !== sheet);
  };
}
