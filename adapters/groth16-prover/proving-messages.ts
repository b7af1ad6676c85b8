/** What parent and proving process say to each other. Big integers travel as decimal text. */

import type { Groth16Proof } from './seal.ts';
import type { Signals } from './witness-input.ts';

export interface ProvingTask {
  readonly id: number;
  readonly provingKey: string;
  readonly witnessProgram: string;
  readonly verifyingKey: string;
  readonly input: Signals;
}

export type ProvingOutcome =
  | { readonly id: number; readonly proof: Groth16Proof; readonly publicSignals: readonly string[] }
  /** `missing`: snarkjs is not installed. `broken`: it cannot be loaded. `unprovable`: the statement is false. */
  | { readonly id: number; readonly failure: 'missing' | 'broken' | 'unprovable' | 'failed'; readonly message: string };
