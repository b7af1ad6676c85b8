/**
 * How often a property is tried: as often as it says, or less where the same tests run thousands of times over, as under
 * mutation. `PROPERTY_RUNS` is the share, 1 by default.
 */
export function runs(usual: number): { numRuns: number } {
  return { numRuns: Math.max(1, Math.round(usual * Number(process.env.PROPERTY_RUNS ?? 1))) };
}
