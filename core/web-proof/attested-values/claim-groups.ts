import type { QueriedValue } from '../../ports/claim-groups.ts';
import { groupsSteps } from './claim-tree.ts';
import { valueClaimsSteps } from './extension.ts';
import type { Steps } from './steps.ts';

/** What `ClaimGroups.hashesOf` resolves to, in steps. */
export function* groupHashesSteps(
  seed: Uint8Array,
  first: number,
  values: readonly QueriedValue[],
): Steps<readonly bigint[]> {
  const claims = yield* valueClaimsSteps(values);
  return (yield* groupsSteps(seed, first, claims)).hashes;
}
