/**
 * Binds every use case of engagement once, in the groups of the API. Routes, the API in process and jobs take them from here.
 * Only `acceptWebProof` is bound where web proofs are on, so that an instance without them does not load their code.
 */
import type { PlatformName } from '../platforms/platform-name.ts';
import type { JobHandlers } from '../ports/job-queue.ts';
import type { Storage } from '../ports/storage.ts';
import type { AbsenceTolerance } from './attempts/absence.ts';
import { abandonCheck, checkEngagement, queueChecks } from './attempts/check-engagement.ts';
import { createAttempt } from './attempts/create-attempt.ts';
import { abandonVerification, reportUnissuedReward } from './attempts/dead-letter.ts';
import type { RecheckPolicy } from './attempts/deadline.ts';
import { findAttemptByHandle, readAttempt } from './attempts/find-attempt.ts';
import { forceVerify } from './attempts/force-verify.ts';
import { issueReward } from './attempts/issue-reward.ts';
import { failOverdue, recheckClaims } from './attempts/move-due.ts';
import { previewRewards } from './attempts/preview-rewards.ts';
import { progressAttempt } from './attempts/progress-attempt.ts';
import { redeliverWebhooks } from './attempts/redeliver-webhooks.ts';
import { releaseHeld } from './attempts/release-held.ts';
import { reviewAttempt } from './attempts/review-attempt.ts';
import { verifyAndReward } from './attempts/verify-and-reward.ts';
import { verifyAttempt } from './attempts/verify-attempt.ts';
import { completeConnecting, startConnecting } from './brand-connections/connect-account.ts';
import { disconnectAccount, listConnections } from './brand-connections/manage-connections.ts';
import { type RenewConnectionsDeps, renewConnections } from './brand-connections/renew-connections.ts';
import { deleteBrand, updateBrand } from './brands/change-brand.ts';
import { createBrand, listBrands } from './brands/create-brand.ts';
import { readLeaderboard } from './brands/leaderboard.ts';
import { createCampaign } from './campaigns/create-campaign.ts';
import { drawWinners, readDraw, releaseDraws } from './campaigns/draw-winners.ts';
import { deleteCampaign, endCampaign } from './campaigns/end-campaign.ts';
import { getCampaign, listCampaigns, listResults, summariseCampaign } from './campaigns/read-campaigns.ts';
import { updateCampaign } from './campaigns/update-campaign.ts';
import { failLikersFetch, fetchLikersJob, fetchLikersNow, requestLikers } from './challenge-data/fetch-likers.ts';
import { listComments, listLikers, readLikersStatus } from './challenge-data/read-stored.ts';
import { readMetrics, refreshMetrics, refreshMetricsJob } from './challenge-data/refresh-metrics.ts';
import type { CommentSweeper } from './challenge-data/sweep-comments.ts';
import { checkConnection, viewConnection } from './connections/check-connection.ts';
import { startConnection } from './connections/start-connection.ts';
import { listCreatorAttempts, listCreatorDeliveries, readCreatorPoints } from './creators/creator-history.ts';
import { disconnectCreator } from './creators/disconnect-creator.ts';
import { eraseCreator, exportCreator } from './creators/erase-creator.ts';
import { isHandleRegistered, listAccounts, listCreatorPage, listCreators } from './creators/list-creators.ts';
import { refreshCreatorProfile } from './creators/refresh-profile.ts';
import { registerCreator } from './creators/register-creator.ts';
import { listAgain, settleComments } from './pushes/settle-comments.ts';
import { type TakeChanges, takeChanges } from './pushes/take-changes.ts';
import { previewRules } from './rules/preview-rules.ts';
import { search } from './search.ts';
import { readSeries } from './series.ts';
import type { UseCaseParts } from './use-case-parts.ts';
import { getDelivery, listDeliveries, readHealth, replayFailed, sendTestEvent } from './webhooks/deliveries.ts';
import type { DispatchEvents } from './webhooks/dispatch-event.ts';
import {
  deleteWebhook,
  listWebhooks,
  registerWebhook,
  rotateWebhookSecret,
  updateWebhook,
} from './webhooks/manage-webhooks.ts';
import type { OutboxRelay } from './webhooks/outbox-relay.ts';
import { listSubscriberDeliveries, listSubscribers } from './webhooks/read-subscribers.ts';

export interface EngagementDeps
  extends UseCaseParts,
    RecheckPolicy,
    Pick<RenewConnectionsDeps, 'officialApis' | 'officialAccounts' | 'pushUrl'> {
  readonly storage: Storage;
  readonly sweeper: CommentSweeper;
  readonly relay: Pick<OutboxRelay, 'nudge' | 'handOver'>;
  readonly dispatch: DispatchEvents;
  /** How many comments a reading may lack and still prove absence. */
  readonly absenceTolerance?: AbsenceTolerance;
  /** Origins that the connect page may lead back to. */
  readonly returnOrigins?: readonly string[];
  /** How long registering a creator waits for the profile, in milliseconds. */
  readonly profileWaitMs?: number;
}

export type Engagement = ReturnType<typeof createEngagement>;

export function createEngagement(deps: EngagementDeps) {
  const { sweeper } = deps;
  return {
    creators: {
      register: registerCreator(deps),
      disconnect: disconnectCreator(deps),
      list: listCreators(deps),
      listPage: listCreatorPage(deps),
      listAttempts: listCreatorAttempts(deps),
      listDeliveries: listCreatorDeliveries(deps),
      points: readCreatorPoints(deps),
      isHandleRegistered: isHandleRegistered(deps),
      refreshProfile: refreshCreatorProfile(deps),
      export: exportCreator(deps),
      erase: eraseCreator(deps),
    },
    brands: {
      create: createBrand(deps),
      list: listBrands(deps),
      leaderboard: readLeaderboard(deps),
      update: updateBrand(deps),
      delete: deleteBrand(deps),
    },
    brandConnections: {
      list: listConnections(deps),
      start: startConnecting(deps),
      complete: completeConnecting(deps),
      disconnect: disconnectAccount(deps),
    },
    campaigns: {
      create: createCampaign(deps),
      list: listCampaigns(deps),
      get: getCampaign(deps),
      update: updateCampaign(deps),
      summarise: summariseCampaign(deps),
      listResults: listResults(deps),
      previewRewards: previewRewards(deps),
      previewRules: previewRules(deps),
      verifyAndReward: verifyAndReward(deps),
      draw: drawWinners(deps),
      readDraw: readDraw(deps),
      end: endCampaign(deps),
      delete: deleteCampaign(deps),
    },
    attempts: {
      create: createAttempt(deps),
      get: readAttempt(deps),
      findByHandle: findAttemptByHandle(deps),
      progress: progressAttempt(deps),
      forceVerify: forceVerify(deps),
      review: reviewAttempt(deps),
      redeliver: redeliverWebhooks(deps),
    },
    challenges: {
      listComments: listComments(deps),
      refreshComments: sweeper.sweep,
      metrics: readMetrics(deps),
      refreshMetrics: refreshMetrics(deps),
      listLikers: listLikers(deps),
      refreshLikers: requestLikers(deps),
      likersStatus: readLikersStatus(deps),
    },
    webhooks: {
      create: registerWebhook(deps),
      list: listWebhooks(deps),
      withHealth: readHealth(deps),
      update: updateWebhook(deps),
      delete: deleteWebhook(deps),
      rotateSecret: rotateWebhookSecret(deps),
      listDeliveries: listDeliveries(deps),
      getDelivery: getDelivery(deps),
      replay: replayFailed(deps),
      test: sendTestEvent(deps),
    },
    search: search(deps),
    series: readSeries(deps),
    subscribers: { list: listSubscribers(deps), listDeliveries: listSubscriberDeliveries(deps) },
    connections: {
      start: startConnection(deps),
      view: viewConnection(deps),
      check: checkConnection(deps),
      list: listAccounts(deps),
    },
    /** By platform with an official API. */
    takeChanges: bindPushes(deps),
    jobs: bindJobs(deps),
    /** For timers; safe in any number of processes. */
    periodic: {
      failOverdue: failOverdue(deps),
      releaseDraws: releaseDraws(deps),
      listAgain: listAgain({ ...deps, accounts: deps.officialAccounts, refreshComments: sweeper.sweep }),
      recheckClaims: recheckClaims(deps),
      queueChecks: queueChecks(deps),
      releaseHeld: releaseHeld(deps),
      renewConnections: renewConnections(deps),
    },
  };
}

function bindPushes(deps: EngagementDeps): ReadonlyMap<PlatformName, TakeChanges> {
  const { officialApis, officialAccounts: accounts, sweeper } = deps;
  const { signal } = new AbortController();
  const shared = { ...deps, accounts, readAgain: sweeper.sweep, signal };
  return new Map([...officialApis].map(([platform, api]) => [platform, takeChanges({ ...shared, api })]));
}

/** The handlers of all jobs of engagement. */
function bindJobs(deps: EngagementDeps) {
  const { sweeper } = deps;
  const reading = { ...deps, refreshComments: sweeper.sweep, refreshLikers: fetchLikersNow(deps) };
  const verify = verifyAttempt(reading);
  const check = checkEngagement(reading);
  return {
    'verify-attempt': { run: verify, onDeadLetter: abandonVerification(deps) },
    'issue-reward': { run: issueReward(deps), onDeadLetter: reportUnissuedReward(deps) },
    'check-engagement': { run: check, onDeadLetter: abandonCheck(deps) },
    'sweep-comments': { run: sweeper.takeOver, onDeadLetter: sweeper.abandon },
    'settle-comments': settleComments(deps),
    'refresh-metrics': refreshMetricsJob(deps),
    'fetch-likers': { run: fetchLikersJob(deps), onDeadLetter: failLikersFetch(deps) },
  } satisfies Required<Omit<JobHandlers, 'read-canary'>>;
}
