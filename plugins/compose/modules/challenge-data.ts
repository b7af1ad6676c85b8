/** What is read from the platforms for a challenge: comments, metrics, likers. */
import { ContainerModule } from 'inversify';
import { failLikersFetch, fetchLikersJob } from '../../../core/engagement/challenge-data/fetch-likers.ts';
import { refreshMetricsJob } from '../../../core/engagement/challenge-data/refresh-metrics.ts';
import { createCommentSweeper } from '../../../core/engagement/challenge-data/sweep-comments.ts';
import { createChallengeDataRoutes } from '../../http/routes/challenge-data.ts';
import { absenceTolerance } from '../absence-tolerance.ts';
import { provide } from '../token.ts';
import { TOKENS } from '../tokens.ts';

export const challengeDataModule = new ContainerModule((options) => {
  provide(
    options,
    TOKENS.commentSweeper,
    {
      config: TOKENS.config,
      storage: TOKENS.storage,
      platforms: TOKENS.platforms,
      queue: TOKENS.jobQueue,
      clock: TOKENS.clock,
      logger: TOKENS.logger,
    },
    ({ config: { jobs, verification }, storage: { campaigns, comments }, platforms, queue, clock, logger }) =>
      createCommentSweeper({
        campaigns,
        comments,
        platforms,
        queue,
        clock,
        logger,
        // A sweep is work like a job: another process goes on with it as soon.
        takeOverAfterMs: jobs.leaseSeconds * 1_000,
        absenceTolerance: absenceTolerance(verification),
      }),
  );
  provide(
    options,
    TOKENS.engagementRoutes,
    {
      storage: TOKENS.storage,
      platforms: TOKENS.platforms,
      sweeper: TOKENS.commentSweeper,
      queue: TOKENS.jobQueue,
      clock: TOKENS.clock,
      logger: TOKENS.logger,
    },
    ({ storage: { campaigns, comments, metrics, likers }, platforms, sweeper, queue, clock, logger }) =>
      createChallengeDataRoutes({
        campaigns,
        comments,
        metrics,
        likers,
        platforms,
        sweeper,
        queue,
        clock,
        logger,
      }),
  );
  provide(
    options,
    TOKENS.jobHandlers,
    {
      storage: TOKENS.storage,
      platforms: TOKENS.platforms,
      sweeper: TOKENS.commentSweeper,
      queue: TOKENS.jobQueue,
      clock: TOKENS.clock,
      logger: TOKENS.logger,
    },
    ({ storage: { campaigns, metrics, likers }, platforms, sweeper, queue, clock, logger }) => {
      const deps = { campaigns, metrics, likers, platforms, queue, clock, logger };
      return {
        'sweep-comments': {
          run: (payload) => sweeper.takeOver(payload),
          givenUp: (payload, failure) => sweeper.abandon(payload, failure),
        },
        'refresh-metrics': refreshMetricsJob(deps),
        'fetch-likers': { run: fetchLikersJob(deps), givenUp: failLikersFetch(deps) },
      };
    },
  );
});
