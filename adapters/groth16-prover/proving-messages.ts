/** What parent and proving process say to each other. Big integers travel as decimal text. */

import type { CircuitPaths } from './artifacts.ts';
import type { Groth16Proof } from './seal.ts';
import type { Signals } from './witness-input.ts';

export type ProvingWork =
  | { readonly circuit: CircuitPaths; readonly input: Signals }
  /** Only loads what proofs with these circuits need. */
  | { readonly load: readonly CircuitPaths[] };

export type ProvingTask = ProvingWork & { readonly id: number };

export interface ProvenStatement {
  readonly proof: Groth16Proof;
  readonly publicSignals: readonly string[];
}

export type ProvingOutcome =
  | ({ readonly id: number } & ProvenStatement)
  | { readonly id: number; readonly loaded: true }
  /** `unprovable`: the statement is false. */
  | { readonly id: number; readonly failure: 'unprovable' | 'failed'; readonly message: string };
