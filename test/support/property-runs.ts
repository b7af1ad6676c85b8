/**
 * How often a property is tried: `usual` times `PROPERTY_RUNS`, 1 by default. A long run sets it to 10; the mutation tests,
 * which run the same tests thousands of times, to 0.1.
 */
export function runs(usual: number): { numRuns: number } {
  return { numRuns: Math.max(1, Math.round(usual * Number(process.env.PROPERTY_RUNS ?? 1))) };
}
