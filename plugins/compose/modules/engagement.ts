/** Creators, brands, campaigns, attempts and what belongs to them: the use cases, their rows and their jobs. */

import { createCommentSweeper } from '../../../core/engagement/challenge-data/sweep-comments.ts';
import { createEngagement, type Engagement } from '../../../core/engagement/index.ts';
import { createAttemptRoutes } from '../../http/routes/attempts.ts';
import { createBrandConnectionRoutes } from '../../http/routes/brand-connections.ts';
import { createBrandRoutes } from '../../http/routes/brands.ts';
import { createCampaignRoutes } from '../../http/routes/campaigns.ts';
import { createChallengeDataRoutes } from '../../http/routes/challenge-data.ts';
import { createConnectionRoutes } from '../../http/routes/connections.ts';
import { createCreatorHistoryRoutes } from '../../http/routes/creator-history.ts';
import { createCreatorRoutes } from '../../http/routes/creators.ts';
import { createDrawRoutes } from '../../http/routes/draws.ts';
import { createPersonalDataRoutes } from '../../http/routes/personal-data.ts';
import { createPushRoutes } from '../../http/routes/pushes.ts';
import { createSearchRoutes } from '../../http/routes/search.ts';
import { createSeriesRoutes } from '../../http/routes/series.ts';
import { createSubscriberRoutes } from '../../http/routes/subscribers.ts';
import { createWebhookRoutes } from '../../http/routes/webhooks.ts';
import { ContainerModule } from '../container.ts';
import { connectionFigures } from '../figures.ts';
import type { Periodic } from '../lifecycle.ts';
import { provide } from '../token.ts';
import { named, PARTS, TOKENS } from '../tokens.ts';

/** Of tests and demos, which scale the checks down. */
const SHORTEST_PERIOD_MS = 500;
const MINUTE_MS = 60_000;

interface PeriodicWork extends Omit<Periodic, 'run'> {
  readonly work: keyof Engagement['periodic'];
  /** `delayScale` of the configuration multiplies `everyMs`. */
  readonly isScaled?: true;
}

const PERIODIC: readonly PeriodicWork[] = [
  { name: 'fail-overdue', work: 'failOverdue', everyMs: MINUTE_MS },
  { name: 'release-draws', work: 'releaseDraws', everyMs: MINUTE_MS },
  { name: 'renew-connections', work: 'renewConnections', everyMs: MINUTE_MS },
  // Pushes may be lost, and some things no platform pushes.
  { name: 'list-connected-posts', work: 'listAgain', everyMs: 10 * MINUTE_MS, oncePerMs: 6 * 60 * MINUTE_MS },
  { name: 'release-held', work: 'releaseHeld', everyMs: MINUTE_MS, oncePerMs: MINUTE_MS },
  { name: 'recheck-claims', work: 'recheckClaims', everyMs: MINUTE_MS, isScaled: true },
  { name: 'check-engagement', work: 'queueChecks', everyMs: MINUTE_MS, isScaled: true },
];

export const engagementModule = new ContainerModule((options) => {
  provide(
    options,
    PARTS.commentSweeper,
    named('config', 'storage', 'platforms', 'queue', 'clock', 'logger'),
    ({ config: { jobs }, storage: { campaigns, comments, creators }, ...deps }) =>
      createCommentSweeper({
        ...deps,
        campaigns,
        comments,
        creators,
        // A sweep is work like a job: another process continues with it as soon.
        takeOverAfterMs: jobs.leaseSeconds * 1_000,
      }),
  );
  provide(
    options,
    PARTS.engagement,
    {
      ...named('config', 'storage', 'platforms', 'resolvePost', 'officialApis', 'officialAccounts', 'sweeper', 'queue'),
      ...named('relay', 'dispatch', 'deliveryLoop', 'egress', 'brandEgress', 'secretBox', 'limiter'),
      ...named('clock', 'random', 'logger'),
    },
    ({ config: { connect, platforms: scraping, delayScale, publicUrl = '' }, deliveryLoop, ...deps }) =>
      createEngagement({
        returnOrigins: connect.returnOrigins,
        ...deps,
        // Never the URL of a request, which its sender chooses.
        pushUrl: (platform) => `${publicUrl}/push/${platform}`,
        wakeSender: () => deliveryLoop.wake(),
        profileWaitMs: scraping.profileWaitMs,
        recheckScale: delayScale,
      }),
  );
  provide(
    options,
    TOKENS.engagementRoutes,
    named('config', 'engagement', 'platforms', 'officialApis', 'clock', 'logger'),
    ({ config: { connect }, engagement, platforms, ...lent }) => [
      ...createWebhookRoutes(engagement),
      ...createSubscriberRoutes(engagement),
      ...createSearchRoutes(engagement),
      ...createSeriesRoutes(engagement),
      ...createChallengeDataRoutes(engagement),
      ...createCreatorHistoryRoutes(engagement),
      ...createCreatorRoutes({ ...engagement, platforms }),
      ...createPersonalDataRoutes(engagement),
      ...createBrandRoutes(engagement),
      ...createBrandConnectionRoutes({ ...engagement, platforms }),
      ...createCampaignRoutes(engagement),
      ...createDrawRoutes(engagement),
      ...createAttemptRoutes(engagement),
      ...createConnectionRoutes({ ...engagement, platforms, brand: connect.brand }),
      ...createPushRoutes({ ...lent, takeChanges: engagement.takeChanges }),
    ],
  );
  provide(options, TOKENS.jobHandlers, named('engagement'), ({ engagement }) => engagement.jobs);
  provide(options, TOKENS.metrics, named('storage'), connectionFigures);
  for (const { work, isScaled = false, ...row } of PERIODIC) {
    provide(options, TOKENS.periodic, named('config', 'engagement'), ({ config: { delayScale }, engagement }) => ({
      ...row,
      everyMs: isScaled ? Math.max(row.everyMs * delayScale, SHORTEST_PERIOD_MS) : row.everyMs,
      run: engagement.periodic[work],
    }));
  }
});
