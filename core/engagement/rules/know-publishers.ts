/** Who published the post of a challenge: read once, if the rules ask about it. */
import { normaliseHandle } from '../../platforms/handle.ts';
import { platformOf } from '../../platforms/platforms.ts';
import type { CampaignStore } from '../../ports/campaign-store.ts';
import type { PlatformCallOptions } from '../../ports/platform.ts';
import { brandAsCaller, type CampaignWithChallenge } from '../campaigns/campaign.ts';
import { ifReadable } from '../challenge-data/platform-failure.ts';
import type { UseCaseParts } from '../use-case-parts.ts';
import { needsPublishers } from './unmet-rules.ts';

export interface KnowPublishersDeps extends Pick<UseCaseParts, 'platforms' | 'logger'> {
  readonly campaigns: Pick<CampaignStore, 'update'>;
}

/** The challenge with those who published its post, if its rules need them and the post can be read. They are stored. */
export async function knowPublishers(
  deps: KnowPublishersDeps,
  found: CampaignWithChallenge,
  call: Pick<PlatformCallOptions, 'caller' | 'signal'> = {},
): Promise<CampaignWithChallenge> {
  const { campaigns, platforms, logger } = deps;
  const { campaign, challenge } = found;
  if (!needsPublishers(challenge) || challenge.publishedBy) return found;
  const options = { caller: brandAsCaller(campaign), brandId: campaign.brandId, ...call };
  const facts = { challengeId: challenge.id };
  const post = await ifReadable({ logger, signal: call.signal }, facts, 'who published the post is not known', () =>
    platformOf(platforms, challenge.platform).getPost(challenge, options),
  );
  if (post === null) return found;
  const publishedBy = [post.owner, ...(post.coauthors ?? [])].map(({ handle, accountId }) => ({
    handle: normaliseHandle(handle),
    accountId,
  }));
  await campaigns.update(campaign, { publishedBy });
  return { campaign, challenge: { ...challenge, publishedBy } };
}
