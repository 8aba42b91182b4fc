interface WhatIfProps {
  readonly title: string;
  readonly answers: readonly string[];
}

/** What happens to a payment that is not as agreed, for who wants to know. */
export const WhatIf = ({ title, answers }: WhatIfProps) => (
  <details class="what-if">
    <summary>{title}</summary>
    <ul>
      {answers.map((answer) => (
        <li key={answer}>{answer}</li>
      ))}
    </ul>
  </details>
);
