/** What the main thread and the thread of claims say to each other. */
import type { QueriedValue } from '../../core/ports/claim-groups.ts';

/** Answered in the order in which they are asked. */
export interface GroupsTask {
  readonly seed: Uint8Array;
  readonly first: number;
  readonly values: readonly QueriedValue[];
}

/** The thread's first message: it can compute. */
export const READY = 'ready';

/** Hashes of groups. */
export type GroupsReply = readonly bigint[];
