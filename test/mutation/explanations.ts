/** Mutants that survive, read one by one: why no test has to notice them. */
import type { Explanation } from './evaluate.ts';

export const EXPLANATIONS: readonly Explanation[] = [];
