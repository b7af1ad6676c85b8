/** How the time of every parser grows with input that is made to be slow: the exponent of the power law that fits best. */
import { type HostileCase, hostileCases } from '../support/hostile-input.ts';
import type { Bench, Unit } from './bench.ts';
import { alone, fittedExponent, median, processorTimed } from './rounds.ts';

const EXPONENT: Unit = { name: 'exponent', better: 'lower' };
/** Below this, what is measured is the clock. */
const WORTH_MEASURING_MS = 6;
/** What the clock can tell. */
const LEAST_MS = 0.05;
/** Of the longest time. A square keeps three of its sizes. */
const WORTH_A_POINT = 1 / 20;
/** A text twice as long takes three times as long. */
const STEEPEST = 1.6;
const DOUBLINGS = 3;
const ROUNDS = 3;

export const growthBench: Bench = {
  name: 'growth',
  title: 'Parsers on hostile input: growth of processor time with size, for the steepest input of each parser',
  async run({ quick, progress }) {
    const rows = [];
    for (const [reader, cases] of [...hostileCases()].slice(0, quick ? 2 : undefined)) {
      progress(reader);
      let steepest: { readonly input: string; readonly exponents: number[] } | undefined;
      for (const one of quick ? cases.slice(0, 2) : cases) {
        const exponents = await exponentsOf(one, quick);
        if (exponents.length === 0) continue;
        if (steepest === undefined || Math.min(...exponents) > Math.min(...steepest.exponents)) {
          steepest = { input: one.input, exponents };
        }
      }
      const name = steepest === undefined ? `${reader}: quick at every size` : `${reader}: ${steepest.input}`;
      const figures = steepest?.exponents ?? [0];
      rows.push(alone({ name, unit: EXPONENT, aim: { of: 'figure', atMost: STEEPEST } }, figures));
    }
    return rows;
  },
};

/** One exponent a round; none for input that is quick at its largest. */
async function exponentsOf({ largest, run }: HostileCase, quick: boolean): Promise<number[]> {
  let size = Math.min(largest, 256);
  while (size < largest && (await cost(run, size)) < WORTH_MEASURING_MS) size = Math.min(largest, size * 4);
  if (!quick && (await cost(run, size)) < WORTH_MEASURING_MS) return [];
  const rounds = quick ? 1 : ROUNDS;
  const exponents = await exponentsUpTo(size, run, rounds);
  // What grows is steep at every size. What takes a step is not.
  return median(exponents) > STEEPEST && size < largest ? exponentsUpTo(largest, run, rounds) : exponents;
}

async function exponentsUpTo(size: number, run: HostileCase['run'], rounds: number): Promise<number[]> {
  const exponents: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const points = [];
    for (let halvings = DOUBLINGS; halvings >= 0; halvings--) {
      const part = Math.max(64, Math.floor(size / 2 ** halvings));
      points.push({ size: part, time: Math.min(await cost(run, part), await cost(run, part)) });
    }
    exponents.push(fittedExponent(pointsThatTell(points)));
  }
  return exponents;
}

/** Some parsers look closer at longer texts. Such a step is not taken for growth: what is quick below it is left out. */
function pointsThatTell<T extends { readonly time: number }>(points: readonly T[]): readonly T[] {
  const longest = Math.max(...points.map(({ time }) => time));
  const telling = points.filter(({ time }) => time >= longest * WORTH_A_POINT);
  return telling.length < 2 ? points : telling;
}

/** Milliseconds of processor time, so that a busy machine matters little. */
async function cost(run: HostileCase['run'], size: number): Promise<number> {
  await settled(run, 0);
  await settled(run, size);
  return Math.max(await processorTimed(() => settled(run, size)), LEAST_MS);
}

async function settled(run: HostileCase['run'], size: number): Promise<void> {
  if (size === 0) return;
  try {
    await run(size);
  } catch {
    // A refusal costs time like any other answer.
  }
}
