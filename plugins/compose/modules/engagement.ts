/** Creators, brands, campaigns and attempts, with the jobs that verify and reward. */
import { ContainerModule } from 'inversify';
import { createAttempt } from '../../../core/engagement/attempts/create-attempt.ts';
import { failOverdue } from '../../../core/engagement/attempts/fail-overdue.ts';
import { findAttemptByHandle, getAttempt } from '../../../core/engagement/attempts/find-attempt.ts';
import { forceVerify } from '../../../core/engagement/attempts/force-verify.ts';
import { abandonVerification, reportUnissuedReward } from '../../../core/engagement/attempts/give-up.ts';
import { issueReward } from '../../../core/engagement/attempts/issue-reward.ts';
import { progressAttempt } from '../../../core/engagement/attempts/progress-attempt.ts';
import { recheckClaims } from '../../../core/engagement/attempts/recheck-claims.ts';
import { redeliverWebhooks } from '../../../core/engagement/attempts/redeliver-webhooks.ts';
import { verifyAndReward } from '../../../core/engagement/attempts/verify-and-reward.ts';
import { verifyAttempt } from '../../../core/engagement/attempts/verify-attempt.ts';
import { createBrand, listBrands } from '../../../core/engagement/brands/create-brand.ts';
import { createCampaign } from '../../../core/engagement/campaigns/create-campaign.ts';
import { deleteCampaign, endCampaign } from '../../../core/engagement/campaigns/end-campaign.ts';
import {
  getCampaign,
  listCampaigns,
  listResults,
  summariseCampaign,
} from '../../../core/engagement/campaigns/read-campaigns.ts';
import { fetchLikersNow } from '../../../core/engagement/challenge-data/fetch-likers.ts';
import { disconnectCreator } from '../../../core/engagement/creators/disconnect-creator.ts';
import { isHandleRegistered, listCreators } from '../../../core/engagement/creators/list-creators.ts';
import { refreshCreatorProfile } from '../../../core/engagement/creators/refresh-profile.ts';
import { registerCreator } from '../../../core/engagement/creators/register-creator.ts';
import { redeliverEvents } from '../../../core/engagement/webhooks/dispatch-event.ts';
import { createAttemptRoutes } from '../../http/routes/attempts.ts';
import { createBrandRoutes } from '../../http/routes/brands.ts';
import { createCampaignRoutes } from '../../http/routes/campaigns.ts';
import { createCreatorRoutes } from '../../http/routes/creators.ts';
import { absenceTolerance } from '../absence-tolerance.ts';
import { provide } from '../token.ts';
import { TOKENS } from '../tokens.ts';

const FAIL_OVERDUE_EVERY_MS = 60_000;
const RECHECK_EVERY_MS = 60_000;
/** Of tests and demos, which scale the checks down. */
const SHORTEST_PERIOD_MS = 500;

export const engagementModule = new ContainerModule((options) => {
  provide(
    options,
    TOKENS.engagementRoutes,
    { storage: TOKENS.storage, platforms: TOKENS.platforms, clock: TOKENS.clock, logger: TOKENS.logger },
    ({ storage: { creators }, platforms, clock, logger }) =>
      createCreatorRoutes({
        platforms,
        registerCreator: registerCreator({ creators, platforms, clock, logger }),
        disconnectCreator: disconnectCreator({ creators, clock }),
        listCreators: listCreators({ creators }),
        isHandleRegistered: isHandleRegistered({ creators }),
        refreshCreatorProfile: refreshCreatorProfile({ creators, platforms, logger }),
      }),
  );
  provide(
    options,
    TOKENS.engagementRoutes,
    { storage: TOKENS.storage, clock: TOKENS.clock },
    ({ storage: { brands }, clock }) =>
      createBrandRoutes({ createBrand: createBrand({ brands, clock }), listBrands: listBrands({ brands }) }),
  );
  provide(
    options,
    TOKENS.engagementRoutes,
    {
      storage: TOKENS.storage,
      platforms: TOKENS.platforms,
      resolvePost: TOKENS.resolvePost,
      clock: TOKENS.clock,
      random: TOKENS.random,
      relay: TOKENS.outboxRelay,
    },
    ({ storage, platforms, resolvePost, clock, random, relay }) =>
      createCampaignRoutes({
        createCampaign: createCampaign({
          brands: storage.brands,
          campaigns: storage.campaigns,
          platforms,
          resolvePost,
          clock,
        }),
        listCampaigns: listCampaigns({ storage }),
        getCampaign: getCampaign({ storage }),
        summariseCampaign: summariseCampaign({ storage }),
        listResults: listResults({ storage }),
        verifyAndReward: verifyAndReward({ storage, clock, random, relay }),
        endCampaign: endCampaign({ campaigns: storage.campaigns, clock }),
        deleteCampaign: deleteCampaign({ campaigns: storage.campaigns }),
      }),
  );
  provide(
    options,
    TOKENS.engagementRoutes,
    {
      storage: TOKENS.storage,
      queue: TOKENS.jobQueue,
      clock: TOKENS.clock,
      random: TOKENS.random,
      relay: TOKENS.outboxRelay,
    },
    ({ storage, queue, clock, random, relay }) => {
      const deps = { storage, clock, random, relay };
      return createAttemptRoutes({
        createAttempt: createAttempt({ storage, clock }),
        getAttempt: getAttempt({ storage }),
        findAttemptByHandle: findAttemptByHandle({ storage }),
        progressAttempt: progressAttempt(deps),
        forceVerify: forceVerify(deps),
        redeliverWebhooks: redeliverWebhooks({ storage, redeliver: redeliverEvents({ queue, random }) }),
      });
    },
  );
  provide(
    options,
    TOKENS.jobHandlers,
    {
      config: TOKENS.config,
      storage: TOKENS.storage,
      platforms: TOKENS.platforms,
      sweeper: TOKENS.commentSweeper,
      queue: TOKENS.jobQueue,
      relay: TOKENS.outboxRelay,
      clock: TOKENS.clock,
      random: TOKENS.random,
      logger: TOKENS.logger,
    },
    ({ config: { verification }, storage, platforms, sweeper, queue, relay, clock, random, logger }) => {
      const { campaigns, likers } = storage;
      const deps = { storage, clock, random, relay, recheckScale: verification.recheckScale };
      return {
        'verify-attempt': {
          run: verifyAttempt({
            ...deps,
            refreshComments: (challengeId, refresh) => sweeper.sweep(challengeId, refresh),
            absenceTolerance: absenceTolerance(verification),
            refreshLikers: fetchLikersNow({ campaigns, likers, platforms, queue, clock, logger }),
            logger,
          }),
          givenUp: abandonVerification({ ...deps, logger }),
        },
        'issue-reward': { run: issueReward(deps), givenUp: reportUnissuedReward({ storage, logger }) },
      };
    },
  );
  provide(
    options,
    TOKENS.periodic,
    { storage: TOKENS.storage, clock: TOKENS.clock, random: TOKENS.random, relay: TOKENS.outboxRelay },
    ({ storage, clock, random, relay }) => ({
      name: 'fail-overdue',
      everyMs: FAIL_OVERDUE_EVERY_MS,
      run: failOverdue({ storage, clock, random, relay }),
    }),
  );
  provide(
    options,
    TOKENS.periodic,
    {
      config: TOKENS.config,
      storage: TOKENS.storage,
      clock: TOKENS.clock,
      random: TOKENS.random,
      relay: TOKENS.outboxRelay,
    },
    ({ config: { verification }, storage, clock, random, relay }) => ({
      name: 'recheck-claims',
      everyMs: Math.max(RECHECK_EVERY_MS * verification.recheckScale, SHORTEST_PERIOD_MS),
      run: recheckClaims({ storage, clock, random, relay }),
    }),
  );
});
