/** The types of what `TOKENS` names: the ports, and the parts that stand between them. For those who replace one. */

export type { NotaryKey } from '../../adapters/local-notary/index.ts';
export type { SharedLimitsAdapter } from '../../adapters/redis-rate-limiter/index.ts';
export type {
  LimiterConnection,
  ScrapingTransport,
  SendRequest,
  TransportRequest,
  TransportResponse,
} from '../../adapters/scraping/index.ts';
export type { SubscriberOptions } from '../../core/engagement/webhooks/subscribers.ts';
export type * from '../../core/platforms/descriptor.ts';
export type * from '../../core/platforms/ownership-rules.ts';
export type { PlatformAdapter, PlatformContext } from '../../core/platforms/platform-adapter.ts';
export type { PlatformName } from '../../core/platforms/platform-name.ts';
export type { Platforms, ResolvePost } from '../../core/platforms/platforms.ts';
export type { PostRef, ShortLink } from '../../core/platforms/post-url.ts';
export type { PlatformRegistry } from '../../core/platforms/registry.ts';
export type { PlatformSourceAdapter } from '../../core/platforms/with-sources.ts';
export type * from '../../core/ports/adapter-values.ts';
export type * from '../../core/ports/attempt-store.ts';
export type * from '../../core/ports/audit-store.ts';
export type * from '../../core/ports/brand-store.ts';
export type * from '../../core/ports/campaign-store.ts';
export type * from '../../core/ports/canary-store.ts';
export type * from '../../core/ports/certificate-checker.ts';
export type * from '../../core/ports/clock.ts';
export type * from '../../core/ports/comment-store.ts';
export type * from '../../core/ports/connection-store.ts';
export type * from '../../core/ports/content-decoder.ts';
export type * from '../../core/ports/creator-store.ts';
export type * from '../../core/ports/egress.ts';
export type * from '../../core/ports/job-queue.ts';
export type * from '../../core/ports/job-store.ts';
export type * from '../../core/ports/liker-store.ts';
export type * from '../../core/ports/lock-store.ts';
export type * from '../../core/ports/logger.ts';
export type * from '../../core/ports/metrics-store.ts';
export type * from '../../core/ports/mpc-tls.ts';
export type * from '../../core/ports/notary.ts';
export type * from '../../core/ports/paging.ts';
export type * from '../../core/ports/platform.ts';
export type * from '../../core/ports/query-evaluator.ts';
export type * from '../../core/ports/random-source.ts';
export type * from '../../core/ports/rate-limiter.ts';
export type * from '../../core/ports/retention-store.ts';
export type * from '../../core/ports/secret-box.ts';
export type * from '../../core/ports/signature-verifier.ts';
export type * from '../../core/ports/storage.ts';
export type * from '../../core/ports/subscriber-store.ts';
export type * from '../../core/ports/task-pool.ts';
export type * from '../../core/ports/telemetry.ts';
export type * from '../../core/ports/tls-exchange.ts';
export type * from '../../core/ports/token-store.ts';
export type * from '../../core/ports/transcripts.ts';
export type * from '../../core/ports/usage-store.ts';
export type * from '../../core/ports/webhook-store.ts';
export type * from '../../core/ports/webhook-transport.ts';
export type * from '../../core/ports/zk-prover.ts';
export type { VerifyWebProof } from '../../core/web-proof/verify.ts';
export type { Authenticate } from '../http/access.ts';
export type { Dispatcher } from '../http/dispatcher.ts';
export type { SignRequest } from './built-in-platforms.ts';
export type { ResolvedConfig } from './config.ts';
export type { Closeable, Lifecycle, Periodic } from './lifecycle.ts';
