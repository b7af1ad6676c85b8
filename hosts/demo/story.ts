/** What the demo tells: steps with their timings, and expectations that must hold. */

export interface StoryResult {
  readonly steps: readonly { readonly text: string; readonly ms: number }[];
  readonly expectations: readonly { readonly text: string; readonly held: boolean; readonly detail?: string }[];
  readonly figures: Readonly<Record<string, number | string>>;
}

export interface Story {
  /** A new chapter. */
  act(title: string): void;
  /** Runs a step, shows it while it runs and how long it took. `describe` words its outcome. */
  step<T>(text: string, run: () => Promise<T>, describe?: (value: T) => string): Promise<T>;
  /** Notes whether something holds; the demo fails in the end when one did not. */
  expect(text: string, held: boolean, detail?: string): void;
  figure(name: string, value: number | string): void;
  result(): StoryResult;
}

/** Tells to `out` line by line; with a terminal, a running step is shown in place. */
export function createStory(out: NodeJS.WriteStream, quiet: boolean): Story {
  const steps: { text: string; ms: number }[] = [];
  const expectations: { text: string; held: boolean; detail?: string }[] = [];
  const figures: Record<string, number | string> = {};
  const say = (line: string) => {
    if (!quiet) out.write(`${line}\n`);
  };
  return {
    act(title) {
      say(`\n${title}`);
    },
    async step(text, run, describe) {
      const started = performance.now();
      const inPlace = !quiet && out.isTTY;
      if (inPlace) out.write(`  … ${text}`);
      try {
        const value = await run();
        const ms = Math.round(performance.now() - started);
        steps.push({ text, ms });
        if (inPlace) out.write('\r\x1b[K');
        say(`  • ${text}${describe ? `: ${describe(value)}` : ''}  (${ms} ms)`);
        return value;
      } catch (error) {
        if (inPlace) out.write('\n');
        say(`  ✗ ${text}`);
        throw error;
      }
    },
    expect(text, held, detail) {
      expectations.push(detail === undefined ? { text, held } : { text, held, detail });
      say(`    ${held ? '✓' : '✗'} ${text}${held || detail === undefined ? '' : `, but: ${detail}`}`);
    },
    figure(name, value) {
      figures[name] = value;
    },
    result: () => ({ steps, expectations, figures }),
  };
}
