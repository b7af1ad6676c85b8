/** What can be asked of, and replaced in, the container. */

import type { NotaryKey } from '../../adapters/local-notary/index.ts';
import type { LimiterConnection } from '../../adapters/scraping/index.ts';
import type { Access } from '../../core/access/index.ts';
import type { Canaries } from '../../core/canaries/index.ts';
import type { RequireOwn } from '../../core/engagement/brands/own-brand.ts';
import type { CommentSweeper } from '../../core/engagement/challenge-data/sweep-comments.ts';
import type { Engagement } from '../../core/engagement/index.ts';
import type { DeliveryLoop } from '../../core/engagement/webhooks/delivery-loop.ts';
import type { DispatchEvents } from '../../core/engagement/webhooks/dispatch-event.ts';
import type { OutboxRelay } from '../../core/engagement/webhooks/outbox-relay.ts';
import type { Subscribers } from '../../core/engagement/webhooks/subscribers.ts';
import type { Late } from '../../core/late.ts';
import type { ReadCounter } from '../../core/platforms/count-reads.ts';
import type { PlatformName } from '../../core/platforms/platform-name.ts';
import type { Platforms, ResolvePost } from '../../core/platforms/platforms.ts';
import type { CertificateChecker } from '../../core/ports/certificate-checker.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type { ContentDecoder } from '../../core/ports/content-decoder.ts';
import type { EgressGuard } from '../../core/ports/egress.ts';
import type { JobHandlers, JobQueue } from '../../core/ports/job-queue.ts';
import type { Logger } from '../../core/ports/logger.ts';
import type { Notary } from '../../core/ports/notary.ts';
import type { OfficialAccounts, OfficialApi } from '../../core/ports/official-api.ts';
import type { QueryEvaluator } from '../../core/ports/query-evaluator.ts';
import type { RandomSource } from '../../core/ports/random-source.ts';
import type { RateLimiter } from '../../core/ports/rate-limiter.ts';
import type { SecretBox } from '../../core/ports/secret-box.ts';
import type { Storage } from '../../core/ports/storage.ts';
import type { Telemetry } from '../../core/ports/telemetry.ts';
import type { Transcripts } from '../../core/ports/transcripts.ts';
import type { WebhookTransport } from '../../core/ports/webhook-transport.ts';
import type { ZkProver } from '../../core/ports/zk-prover.ts';
import type { TrustedNotaries } from '../../core/web-proof/trusted-notaries.ts';
import type { VerifyWebProof } from '../../core/web-proof/verify.ts';
import type { Authenticate, Identify } from '../http/access.ts';
import type { Dispatcher } from '../http/dispatcher.ts';
import type { Route } from '../http/route.ts';
import type { ResolvedConfig } from './config.ts';
import type { Closeable, Lifecycle, Periodic, WarmUp } from './lifecycle.ts';
import type { AttachToServer } from './plugin.ts';
import { RESOLVE, token, type Values } from './token.ts';

/** The parts of an instance that are worth replacing (`CredenceOptions.modules`), by name. Those marked as multi are added to. */
export const TOKENS = {
  /** The configuration as it was resolved, for modules that depend on it. */
  config: token<ResolvedConfig>('config'),
  /** The time; the value `clock` of the configuration sets it. */
  clock: token<Clock>('clock'),
  /** Randomness of ids, codes and secrets. */
  random: token<RandomSource>('random'),
  /** The log; the value `logger` of the configuration sets it. */
  logger: token<Logger>('logger'),
  /** Metrics and spans. */
  telemetry: token<Telemetry>('telemetry'),
  /** The value `storage` of the configuration sets it. */
  storage: token<Storage>('storage'),
  /** Encrypts what is stored in secret: the secrets of webhooks. */
  secretBox: token<SecretBox>('secret-box'),
  /** For proof targets: port 443 and the configured ones. */
  egressGuard: token<EgressGuard>('egress-guard'),
  /** For webhook receivers: the usual web ports too. */
  webhookEgressGuard: token<EgressGuard>('webhook-egress-guard'),
  /** Sends webhooks. */
  webhookTransport: token<WebhookTransport>('webhook-transport'),
  /** Limits of callers; the value `rateLimiter` of the configuration sets it. */
  rateLimiter: token<RateLimiter>('rate-limiter'),
  /** Background work; the value `jobs` of the configuration sets it. */
  jobQueue: token<JobQueue>('job-queue'),
  /** The registered platforms and what reads them. */
  platforms: token<Platforms>('platforms'),
  /** Judges the certificates in web proofs. */
  certificateChecker: token<CertificateChecker>('certificate-checker'),
  /** Undoes `Content-Encoding` of proven answers. */
  contentDecoder: token<ContentDecoder>('content-decoder'),
  /** The embedded notary's key. */
  notaryKey: token<NotaryKey>('notary-key'),
  /** The embedded notary's key, the configured ones, and those in the file. */
  trustedNotaries: token<TrustedNotaries>('trusted-notaries'),
  /** The embedded notary. */
  localNotary: token<Notary>('local-notary'),
  /** The embedded one first, which is the default, then the remote ones. */
  notaries: token<readonly [Notary, ...Notary[]]>('notaries'),
  /** Evaluates JMESPath queries over proven answers. */
  queryEvaluator: token<QueryEvaluator>('query-evaluator'),
  /** Compresses proofs; the value `zkProver` of the configuration sets it. */
  zkProver: token<ZkProver>('zk-prover'),
  /** Multi: rows that are served when the service `engagement` is on. */
  engagementRoutes: token<readonly Route[]>('engagement-routes'),
  /** Multi: every other module adds the rows it serves. */
  routes: token<readonly Route[]>('routes'),
  /** Multi: every module adds the jobs it handles. */
  jobHandlers: token<JobHandlers>('job-handlers'),
  /** Multi: what every process does now and then. */
  periodic: token<Periodic>('periodic'),
  /** Multi: figures in the text format of Prometheus, which `/metrics` shows behind its own. */
  metrics: token<() => Promise<string>>('metrics'),
  /** Multi: called with every server of `Credence.attach`. */
  attach: token<AttachToServer>('attach'),
  /** Multi: closed when the instance stops. */
  closeable: token<Closeable>('closeable'),
} as const;

/** What modules share among themselves: nothing to replace. */
export const PARTS = {
  resolve: RESOLVE,
  /** Shares the rate limits of platforms between processes; absent without Redis. */
  limiterConnection: token<LimiterConnection | undefined>('limiter-connection'),
  /** Counts how platforms are read. */
  readCounter: token<ReadCounter>('read-counter'),
  /** The platforms' own APIs that are set up. */
  officialApis: token<ReadonlyMap<PlatformName, OfficialApi>>('official-apis'),
  /** The accounts that brands have connected, or the host. */
  officialAccounts: token<OfficialAccounts>('official-accounts'),
  verifyWebProof: token<VerifyWebProof>('verify-web-proof'),
  transcripts: token<Transcripts>('transcripts'),
  /** For webhook receivers that a brand names. Admins may be allowed more. */
  brandEgressGuard: token<EgressGuard>('brand-egress-guard'),
  outboxRelay: token<OutboxRelay>('outbox-relay'),
  dispatchEvents: token<DispatchEvents>('dispatch-events'),
  /** Sends what is due to webhooks and subscribers. */
  deliveryLoop: token<DeliveryLoop>('delivery-loop'),
  /** Handlers of events in this process. */
  subscribers: token<Subscribers>('subscribers'),
  resolvePost: token<ResolvePost>('resolve-post'),
  authenticate: token<Authenticate>('authenticate'),
  /** Keeps callers of one brand to what is theirs. */
  requireOwn: token<RequireOwn>('require-own'),
  /** Who may call, and what was used. */
  access: token<Access>('access'),
  /** The use cases of engagement, bound once. */
  engagement: token<Engagement>('engagement'),
  /** All rows, those about the service itself too. */
  routeTable: token<readonly Route[]>('route-table'),
  /** The host's own authentication. */
  identify: token<Identify | undefined>('identify'),
  warmUp: token<WarmUp>('warm-up'),
  /** Multi: made by `start()`, so that what is wrong with them stops the start. */
  openedAtStart: token<() => Promise<unknown>>('opened-at-start'),
  dispatcher: token<Dispatcher>('dispatcher'),
  commentSweeper: token<CommentSweeper>('comment-sweeper'),
  /** Posts and profiles that are read to notice changes of platforms. */
  canaries: token<Canaries>('canaries'),
  lifecycle: token<Lifecycle>('lifecycle'),
  webProofs: token<Late<WebProofParts>>('web-proof-parts'),
  compression: token<Late<ZkProver>>('compression'),
} as const;

/** Every part by the name under which use cases and adapters take it. */
const BY_NAME = {
  ...TOKENS,
  ...PARTS,
  queue: TOKENS.jobQueue,
  relay: PARTS.outboxRelay,
  dispatch: PARTS.dispatchEvents,
  sweeper: PARTS.commentSweeper,
  limiter: TOKENS.rateLimiter,
  guard: TOKENS.egressGuard,
  egress: TOKENS.webhookEgressGuard,
  brandEgress: PARTS.brandEgressGuard,
  transport: TOKENS.webhookTransport,
  key: TOKENS.notaryKey,
  certificates: TOKENS.certificateChecker,
  decoder: TOKENS.contentDecoder,
  evaluator: TOKENS.queryEvaluator,
} as const;

/** What a factory gets of these dependencies. */
export type Parts<N extends keyof typeof BY_NAME> = Values<Pick<typeof BY_NAME, N>>;

/** Dependencies by their names. */
export function named<N extends keyof typeof BY_NAME>(...names: readonly N[]): Pick<typeof BY_NAME, N> {
  return Object.fromEntries(names.map((name) => [name, BY_NAME[name]])) as Pick<typeof BY_NAME, N>;
}

/** What routes of web proofs work with. */
export interface WebProofParts {
  readonly notaries: readonly [Notary, ...Notary[]];
  readonly transcripts: Transcripts;
  readonly evaluator: QueryEvaluator;
}
