import type { SharedLimitsAdapter } from '../../adapters/redis-rate-limiter/index.ts';
import type { RateLimiterAdapter, ZkProverAdapter } from '../../core/ports/adapter-values.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type { Logger } from '../../core/ports/logger.ts';
import type { CredencePlugin } from './plugin.ts';

/** Fields of the configuration that hold values and no options; the others are written from its schema. */
export interface ConfiguredValues {
  /**
   * Counts requests: `redis({ url })`, or an adapter of your own. It takes the place of `redisUrl` and `redisPrefix`.
   * @default counts in the memory of this process
   * @example
   * ```ts
   * import { createCredence } from 'credence';
   * import { redis } from 'credence/adapters/redis-rate-limiter';
   *
   * createCredence({ rateLimiter: redis({ url: 'redis://127.0.0.1:6379', prefix: 'engagement' }) });
   * ```
   */
  readonly rateLimiter?: RateLimiterAdapter | SharedLimitsAdapter | undefined;
  /**
   * The prover of the service `zk-prover`, which needs one: `groth16()` of `@credence/groth16`, `httpProver({ url, token })`,
   * `fakeProver()`, or your own.
   * @example
   * ```ts
   * import { groth16 } from '@credence/groth16';
   * import { createCredence } from 'credence';
   *
   * createCredence({ services: ['zk-prover'], zkProver: groth16({ artifacts: './ceremony' }) });
   * ```
   */
  readonly zkProver?: ZkProverAdapter | undefined;
  /**
   * What the time is.
   * @default the clock of the system
   */
  readonly clock?: Clock | undefined;
  /**
   * Takes structured logs; pino and Fastify's logger fit. `silentLogger` drops them.
   * @default warnings and errors go to stderr as JSON lines
   */
  readonly logger?: Logger | undefined;
  /**
   * Optional parts of packages of their own, as values: `credenceConsole()` of `@credence/console`, `blindNotary()` of
   * `@credence/blind-notary`.
   * @default []
   */
  readonly plugins?: readonly CredencePlugin[] | undefined;
}
