/** What the demo tells: steps with their timings, and expectations that must hold. */

export interface Story {
  /** Expectations that did not hold. */
  readonly failed: readonly string[];
  /** A new chapter. */
  act(title: string): void;
  /** Runs a step, and says how long it took. `describe` words its outcome. */
  step<T>(text: string, run: () => Promise<T>, describe?: (value: T) => string): Promise<T>;
  /** Says whether something holds; the demo fails in the end when one did not. */
  expect(text: string, held: boolean, detail?: string): void;
}

export function createStory(say: (line: string) => void): Story {
  const failed: string[] = [];
  return {
    failed,
    act: (title) => say(`\n${title}`),
    async step(text, run, describe) {
      const started = performance.now();
      const value = await run();
      const ms = Math.round(performance.now() - started);
      say(`  • ${text}${describe ? `: ${describe(value)}` : ''}  (${ms} ms)`);
      return value;
    },
    expect(text, held, detail) {
      if (!held) failed.push(text);
      say(`    ${held ? '✓' : '✗'} ${text}${held || detail === undefined ? '' : `, but: ${detail}`}`);
    },
  };
}
