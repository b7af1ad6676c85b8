/** How the time of a function grows with the size of its input: the exponent of the power law that fits best. */

/** Below this, what is measured is the clock. Input that a limit keeps this quick cannot hold anybody up. */
const WORTH_MEASURING_MS = 6;
const POINTS = 4;

export interface Growth {
  /** Undefined when even the largest input was quick. */
  readonly exponent: number | undefined;
  readonly size: number;
  readonly milliseconds: number;
}

/**
 * Enlarges the input until a call is slow enough to be measured, then fits a line through the logarithms of size and time of
 * the last few doublings. Time is processor time, the least of several calls, so that a busy machine does not matter.
 */
export async function measureGrowth<T>(
  make: (size: number) => T,
  run: (input: T) => unknown,
  largest: number,
  worthMeasuringMs = WORTH_MEASURING_MS,
): Promise<Growth> {
  let size = Math.min(largest, 256);
  let milliseconds = await cost(make(size), run, 1);
  while (milliseconds < worthMeasuringMs && size < largest) {
    size = Math.min(largest, size * 4);
    milliseconds = await cost(make(size), run, 1);
  }
  if (milliseconds < worthMeasuringMs) return { exponent: undefined, size, milliseconds };
  const points: [number, number][] = [];
  for (let index = POINTS - 1; index >= 0; index -= 1) {
    const fraction = Math.max(1, Math.floor(size / 2 ** index));
    points.push([Math.log(fraction), Math.log(await cost(make(fraction), run, 3))]);
  }
  return { exponent: slope(points), size, milliseconds };
}

async function cost<T>(input: T, run: (input: T) => unknown, times: number): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let time = 0; time < times; time += 1) {
    const before = process.cpuUsage();
    try {
      await run(input);
    } catch {
      // A refusal costs time like any other answer.
    }
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, (user + system) / 1_000);
  }
  return Math.max(least, 0.05);
}

function slope(points: readonly (readonly [number, number])[]): number {
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const meanX = mean(points.map(([x]) => x));
  const meanY = mean(points.map(([, y]) => y));
  const covariance = points.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0);
  return covariance / points.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0);
}
