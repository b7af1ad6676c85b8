/** Clock, randomness, secrets, outbound connections, limits: what everything else stands on. */

import { createEgressGuard } from '../../../adapters/egress-guard/index.ts';
import { createMemoryRateLimiter } from '../../../adapters/memory-rate-limiter/index.ts';
import { redis, type SharedLimitsAdapter } from '../../../adapters/redis-rate-limiter/index.ts';
import { createTelemetry } from '../../../adapters/telemetry/index.ts';
import type { RateLimiterAdapter } from '../../../core/ports/adapter-values.ts';
import { systemClock } from '../../../core/ports/clock.ts';
import type { Logger } from '../../../core/ports/logger.ts';
import { systemRandom } from '../../../core/ports/random-source.ts';
import type { RateLimiter } from '../../../core/ports/rate-limiter.ts';
import { madeBy } from '../adapter-values.ts';
import type { ResolvedConfig } from '../config.ts';
import { ContainerModule } from '../container.ts';
import { createConfiguredSecretBox } from '../sealed-secrets.ts';
import { provide } from '../token.ts';
import { named, PARTS, TOKENS } from '../tokens.ts';

/**
 * Receivers listen on the web's ports, or on one that needs no privilege; those below it belong to other protocols (mail,
 * shells). Proof targets get 443 and the configured ports only.
 */
const HTTP_PORT = 80;
const UNPRIVILEGED_PORTS_FROM = 1024;

/** Counts nothing that anybody is refused for. */
const AT_START = { name: 'start', units: 1_000_000, windowSeconds: 1 };

export function infrastructureModule(config: ResolvedConfig, logger: Logger): ContainerModule {
  return new ContainerModule((options) => {
    options.bind(TOKENS.config).toConstantValue(config);
    options.bind(TOKENS.logger).toConstantValue(logger);
    options.bind(TOKENS.clock).toConstantValue(config.adapters.clock ?? systemClock);
    options.bind(TOKENS.random).toConstantValue(systemRandom);
    provide(options, TOKENS.telemetry, {}, () => createTelemetry());
    provide(options, TOKENS.secretBox, named('config', 'random'), ({ config: { secrets }, random }) =>
      createConfiguredSecretBox(secrets, random),
    );
    // Any caller with a token chooses what is proven; where webhooks go is for administrators to say.
    provide(options, TOKENS.egressGuard, named('config'), ({ config: { egress } }) => createEgressGuard(egress));
    provide(options, PARTS.brandEgressGuard, named('config'), ({ config: { egress } }) =>
      createEgressGuard({ ...egress, ports: [HTTP_PORT, ...egress.ports], portsFrom: UNPRIVILEGED_PORTS_FROM }),
    );
    provide(options, TOKENS.webhookEgressGuard, named('brandEgress'), ({ brandEgress }) => brandEgress);
    const limits = config.adapters.rateLimiter ?? limitsOf(config);
    const lent = named('clock', 'random', 'logger');
    provide(options, TOKENS.rateLimiter, lent, (context) =>
      limits === undefined
        ? createMemoryRateLimiter()
        : madeBy<RateLimiter>('rateLimiter', ['consume'], limits.create(context)),
    );
    provide(options, PARTS.limiterConnection, lent, (context) =>
      isShared(limits) ? limits.shareRates(context) : undefined,
    );
    if (!isShared(limits)) return;
    // A server that cannot be reached is named in the log now, and not when the first request is counted.
    provide(options, PARTS.warmUp, named('limiter'), ({ limiter }) => ({
      name: 'shared limits',
      run: async () => void (await limiter.consume(AT_START, 'start', 1)),
    }));
  });
}

function isShared(limits: RateLimiterAdapter | undefined): limits is SharedLimitsAdapter {
  return limits !== undefined && 'shareRates' in limits;
}

/** The limits that options describe; without a Redis each process counts for itself. */
function limitsOf({ redisUrl, redisPrefix }: ResolvedConfig): SharedLimitsAdapter | undefined {
  return redisUrl === undefined ? undefined : redis({ url: redisUrl, prefix: redisPrefix });
}
