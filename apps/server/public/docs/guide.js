// Search over all pages. Without it the pages are complete.
const results = document.querySelector("#results");
const found = document.querySelector("#found");
const RESULTS_MAX = 12;

// The reference was at this address, and its fragments are in other people's links.
if (location.pathname === "/docs" && /^#(error-|tag-|[a-z]+[A-Z])/.test(location.hash)) {
  location.replace(`/docs/api${location.hash}`);
}

let index;
/** Every heading of every page with its address. It is loaded once, when somebody wants to search. */
function loadIndex() {
  index ??= fetch("/docs/search.json")
    .then((response) => response.json())
    .then((pages) =>
      pages.flatMap(({ name, title, summary, headings }) => [
        { href: `/docs/${name}`, title, text: `${title} ${summary}`.toLowerCase(), weight: 2 },
        ...headings.map(([id, text]) => ({
          href: `/docs/${name}#${id}`,
          title: `${title} › ${text}`,
          text: `${title} ${text}`.toLowerCase(),
          weight: 1,
        })),
      ]),
    );
  return index;
}

/** A title that contains the words is a better match than a summary that does. */
function rankOf({ title, weight }, words) {
  const inTitle = words.filter((word) => title.toLowerCase().includes(word)).length;
  return weight + 2 * inTitle;
}

async function showMatches() {
  const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
  const entries = words.length === 0 ? [] : await loadIndex();
  const matches = entries
    .filter(({ text }) => words.every((word) => text.includes(word)))
    .sort((a, b) => rankOf(b, words) - rankOf(a, words));
  found.textContent =
    words.length === 0 ? "" : `${matches.length} ${matches.length === 1 ? "match" : "matches"}`;
  results.replaceChildren(
    ...matches.slice(0, RESULTS_MAX).map(({ href, title }) => {
      const link = Object.assign(document.createElement("a"), { href, textContent: title });
      const item = document.createElement("li");
      item.append(link);
      return item;
    }),
  );
}

function searchPages() {
  showMatches().catch(() => {
    index = undefined;
    found.textContent = "The list of pages could not be loaded. Type again to retry.";
  });
}

input.addEventListener("input", searchPages);
