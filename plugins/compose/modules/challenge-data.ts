/** What is read from the platforms for a challenge: comments, metrics, likers. */
import { ContainerModule } from 'inversify';
import { fetchLikersJob } from '../../../core/engagement/sweeps/fetch-likers.ts';
import { refreshMetricsJob } from '../../../core/engagement/sweeps/refresh-metrics.ts';
import { createCommentSweeper } from '../../../core/engagement/sweeps/sweep-comments.ts';
import { createChallengeDataRoutes } from '../../http/routes/challenge-data.ts';
import { provide } from '../token.ts';
import { TOKENS } from '../tokens.ts';

export const challengeDataModule = new ContainerModule((options) => {
  provide(
    options,
    TOKENS.commentSweeper,
    [TOKENS.storage, TOKENS.platforms, TOKENS.jobQueue, TOKENS.clock, TOKENS.logger],
    ({ campaigns, comments }, platforms, queue, clock, logger) =>
      createCommentSweeper({ campaigns, comments, platforms, queue, clock, logger }),
  );
  provide(
    options,
    TOKENS.engagementRoutes,
    [TOKENS.storage, TOKENS.platforms, TOKENS.commentSweeper, TOKENS.jobQueue, TOKENS.clock, TOKENS.logger],
    ({ campaigns, comments, metrics, likers }, platforms, sweeper, queue, clock, logger) =>
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
    [TOKENS.storage, TOKENS.platforms, TOKENS.commentSweeper, TOKENS.jobQueue, TOKENS.clock, TOKENS.logger],
    ({ campaigns, metrics, likers }, platforms, sweeper, queue, clock, logger) => ({
      'sweep-comments': (payload) => sweeper.takeOver(payload),
      'refresh-metrics': refreshMetricsJob({ campaigns, metrics, platforms, queue, clock, logger }),
      'fetch-likers': fetchLikersJob({ campaigns, likers, platforms, queue, clock, logger }),
    }),
  );
});
