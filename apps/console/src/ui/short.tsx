const SHOWN = 7;

/** The two ends of an address or a hash. The whole is its title. */
export const Short = ({ text }: { readonly text: string }) => (
  <code class="small" title={text}>
    {text.length <= SHOWN * 2 ? text : `${text.slice(0, SHOWN)}…${text.slice(-SHOWN)}`}
  </code>
);
