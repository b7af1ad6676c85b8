import { isDomainError } from '../../errors.ts';
import type { CampaignStore } from '../../ports/campaign-store.ts';
import { requireChallenge } from '../campaigns/find-campaign.ts';

export interface DeletionWatch {
  /** Aborts, with `NOT_FOUND`, once the challenge is seen to be gone. */
  readonly signal: AbortSignal;
  stop(): void;
}

/**
 * Looks from time to time whether a challenge is still there. Of one that was deleted nothing is kept, so a long reading need
 * not continue. A look that fails is followed by the next one.
 */
export function watchForDeletion(
  deps: { readonly campaigns: Pick<CampaignStore, 'findByChallenge'> },
  challengeId: number,
  everyMs: number,
): DeletionWatch {
  const gone = new AbortController();
  async function look(): Promise<void> {
    try {
      await requireChallenge(deps, challengeId);
    } catch (error) {
      if (isDomainError(error, 'NOT_FOUND')) gone.abort(error);
    }
  }
  const timer = setInterval(() => void look(), everyMs);
  return { signal: gone.signal, stop: () => clearInterval(timer) };
}
