/**
 * Credence as a library: `createCredence(config)` makes an instance, `credence/fastify` and `credence/express` mount it.
 *
 *     const credence = createCredence({ storage: { url: 'sqlite:./credence.db' } });
 *     await credence.start();
 *     await app.register(credenceFastify(credence));
 */
import { createJsonLogger } from '../../adapters/json-logger/index.ts';
import type { Canaries } from '../../core/canaries/index.ts';
import type { EventPattern, SubscriberHandler } from '../../core/engagement/webhooks/subscriber.ts';
import type { SubscriberOptions } from '../../core/engagement/webhooks/subscribers.ts';
import { type Logger, silentLogger } from '../../core/ports/logger.ts';
import { credenceFetch } from '../fetch/index.ts';
import type { Identify } from '../http/access.ts';
import type { Health } from '../http/health.ts';
import type { Mountable } from '../http/mountable.ts';
import type { AdminTokenResult } from './admin-token.ts';
import { createApi } from './api.ts';
import type { CredenceApi } from './api-types.ts';
import { checkCredenceOptions } from './check-options.ts';
import { type CredenceConfig, type ResolvedConfig, resolveConfig } from './config.ts';
import { type ContainerModule, createContainer } from './container.ts';
import { canariesModule } from './modules/canaries.ts';
import { engagementModule } from './modules/engagement.ts';
import { httpModule } from './modules/http.ts';
import { infrastructureModule } from './modules/infrastructure.ts';
import { maintenanceModule } from './modules/maintenance.ts';
import { platformsModule } from './modules/platforms.ts';
import { shutdownModule } from './modules/shutdown.ts';
import { storageModule } from './modules/storage.ts';
import { tokensModule } from './modules/tokens.ts';
import { notaryModule, webProofCallbackModule, webProofModule, webProverModule } from './modules/web-proof.ts';
import { webhooksModule } from './modules/webhooks.ts';
import { zkProverModule } from './modules/zk-prover.ts';
import { requirePackages } from './needed-packages.ts';
import type { AttachToServer } from './plugin.ts';
import { PARTS_OF, type Token } from './token.ts';
import { PARTS, TOKENS } from './tokens.ts';

export type { SharedLimitsAdapter } from '../../adapters/redis-rate-limiter/index.ts';
export type { ScrapingTransport, SendRequest } from '../../adapters/scraping/index.ts';
export type { Caller, Role } from '../../core/access/token.ts';
export type { CanaryRecord } from '../../core/canaries/canary.ts';
export type { AttemptState } from '../../core/engagement/attempts/states.ts';
export type { AccountEventData, EventName, PlatformEventData } from '../../core/engagement/webhooks/outbox.ts';
export type {
  EventPattern,
  SubscriberContext,
  SubscriberEvent,
  SubscriberHandler,
} from '../../core/engagement/webhooks/subscriber.ts';
export type { SubscriberOptions } from '../../core/engagement/webhooks/subscribers.ts';
export {
  type CatalogueEntry,
  DomainError,
  type DomainErrorOptions,
  ERROR_CATALOGUE,
  type ErrorCode,
  type ErrorKind,
  isDomainError,
} from '../../core/errors.ts';
export type { PlatformAdapter } from '../../core/platforms/platform-adapter.ts';
export { type PlatformSourceAdapter, withSources } from '../../core/platforms/with-sources.ts';
export type {
  JobQueueAdapter,
  NotaryAdapter,
  RateLimiterAdapter,
  ZkProverAdapter,
} from '../../core/ports/adapter-values.ts';
export type { Clock } from '../../core/ports/clock.ts';
export { type Logger, silentLogger } from '../../core/ports/logger.ts';
export type { Storage } from '../../core/ports/storage.ts';
export type { Identify } from '../http/access.ts';
export type { CallOptions } from '../http/call-route.ts';
export type { Health } from '../http/health.ts';
export type { Mountable } from '../http/mountable.ts';
export type { AdminTokenResult } from './admin-token.ts';
export type { CredenceApi } from './api-types.ts';
export type { SignRequest } from './built-in-platforms.ts';
export { ConfigurationError } from './config.ts';
export type {
  CanariesOptions,
  ConnectBrandOptions,
  ConnectOptions,
  CredenceConfig,
  DataProviderOptions,
  EgressOptions,
  JobsOptions,
  NotaryKeyOptions,
  NotaryOptions,
  PlatformsOptions,
  RemoteNotaryOptions,
  RetentionOptions,
  SecretsOptions,
  StorageUrl,
  TrustedNotaryOptions,
  WebProofCallbackOptions,
} from './config-types.ts';
export { ContainerModule, type ModuleOptions } from './container.ts';
export type { AttachOptions, CredencePlugin } from './plugin.ts';
export type * from './results.ts';
export { provide, type Token } from './token.ts';
export { TOKENS } from './tokens.ts';

/** What `createCredence` takes besides the configuration. */
export interface CredenceOptions {
  /** As `logger` of the configuration, which is asked first. Without one, warnings and errors go to stderr as JSON lines; `silentLogger` drops them. */
  readonly logger?: Logger;
  /** The host's own authentication in front of bearer tokens. */
  readonly identify?: Identify;
  /** Loaded last: `rebind` in them replaces any part named in `TOKENS`, `onActivation` wraps it. */
  readonly modules?: readonly ContainerModule[];
}

export interface Credence extends Mountable, CredenceApi {
  /**
   * Opens the storage and starts the jobs. Idempotent. Without a configured or stored admin token one is made and returned,
   * this once. After these errors all is closed, and it may be tried again. A start that fails later has stopped the
   * instance. Then, and after `stop()`, it rejects: make a new instance.
   * @throws DomainError when the storage cannot be opened; `ConfigurationError` when the key does not open what is stored;
   * `KeyFileError` when a key file cannot be used or made
   */
  start(): Promise<AdminTokenResult>;
  /** Finishes what is under way (15 s at most, the rest is left to the next start), then closes every handle. Idempotent. */
  stop(): Promise<void>;
  /** Whether the instance can serve, as `/readyz` says. Never rejects. */
  health(): Promise<Health>;
  /** What this instance serves. */
  readonly services: ResolvedConfig['services'];
  /** Whether the host's own authentication (`identify`) is asked who calls. */
  readonly hasIdentify: boolean;
  /** The configured canaries; see `CanariesOptions`. The instance must be started. */
  readonly canaries: Pick<Canaries, 'check' | 'states' | 'forget'>;
  /**
   * Calls `handler` with every event of this name, or with all events (`*`). Events are durable. Each is delivered at least once to
   * one of the processes that register the name. It is retried on the schedule of webhooks if the handler throws or takes over
   * a minute. It is kept while no process registers the name. Register before `start()`: what is announced from then on arrives.
   * A subscriber may have one handler for each event.
   *
   *     credence.on('reward.issued', async ({ data }) => ledger.add(data.userId, data.points), { name: 'points-ledger' });
   *
   * @throws DomainError `INVALID_REQUEST` for an unknown event or a name that is not 1 to 100 letters, digits, `.`, `-` and `_`;
   * `CONFLICT` if the name has a handler for the event
   */
  on<E extends EventPattern>(event: E, handler: SubscriberHandler<E>, options: SubscriberOptions): void;
  /**
   * Forgets a subscriber for good and cancels the events that wait for it. Its log stays. To pause it, leave out `on` instead.
   * The instance must be started.
   */
  off(name: string): Promise<void>;
  /**
   * Answers a `Request` of the web platform from the root path, for Hono, Next.js and the like. Never rejects. `credenceFetch`
   * of `credence/fetch` serves it below a path.
   */
  fetch(request: Request): Promise<Response>;
  /**
   * Lets plugins listen to this server for what is no request, for example the WebSockets of blind sessions. Call it once for each
   * server. Upgrades that no plugin knows are left to the server's other listeners. Does nothing without such a plugin.
   *
   *     credence.attach(app.server, { prefix: '/engagement' });
   */
  attach(...on: Parameters<AttachToServer>): void;
}

/**
 * Makes an instance; nothing is opened or written before `start()`. Any number of instances live side by
 * side in one process. Packages that only some instances need are loaded by `start()`, or by the first call that needs them.
 * @example
 * ```ts
 * import { createCredence } from 'credence';
 *
 * const credence = createCredence({ storage: { url: 'sqlite:./data/credence.db' }, adminToken: process.env.ADMIN_TOKEN });
 * await credence.start();
 * const brand = await credence.brands.create({ name: 'Acme', slug: 'acme' });
 * console.log(brand.id);
 * await credence.stop();
 * ```
 * @throws ConfigurationError naming every unusable field of the configuration; or, if packages are not installed, each field that
 * needs one and the install command
 */
export function createCredence(config: CredenceConfig = {}, options: CredenceOptions = {}): Credence {
  checkCredenceOptions(options);
  const resolved = resolveConfig(config);
  requirePackages(resolved);
  const logger = resolved.adapters.logger ?? options.logger;
  const container = createContainer([
    infrastructureModule(resolved, logger ?? createJsonLogger('warn', process.stderr)),
    storageModule,
    tokensModule,
    platformsModule,
    webhooksModule,
    engagementModule,
    maintenanceModule,
    canariesModule,
    ...webProofModules(resolved),
    shutdownModule,
    httpModule(options.identify),
    ...resolved.adapters.plugins.flatMap(({ modules }) => modules),
    ...(options.modules ?? []),
  ]);
  const get = <T>(target: Token<T>): T => container.get<T>(target);
  const lifecycle = get(PARTS.lifecycle);
  const subscribers = get(PARTS.subscribers);
  const canaries = get(PARTS.canaries);
  const mountable: Mountable = {
    routes: get(PARTS.routeTable),
    dispatcher: get(PARTS.dispatcher),
    logsRequests: logger !== undefined && logger !== silentLogger,
  };
  const instance: Credence & { readonly [PARTS_OF]: typeof get } = {
    [PARTS_OF]: get,
    ...mountable,
    ...createApi(mountable.routes, {
      baseUrl: resolved.publicUrl ?? '',
      requireOwn: get(PARTS.requireOwn),
      audit: get(PARTS.access).audit.record,
      logger: get(TOKENS.logger),
    }),
    services: resolved.services,
    hasIdentify: options.identify !== undefined,
    fetch: credenceFetch(mountable),
    attach(...on) {
      for (const attach of container.getAll<AttachToServer>(TOKENS.attach)) attach(...on);
    },
    start: () => lifecycle.start(),
    stop: () => lifecycle.stop(),
    health: () => lifecycle.health(),
    canaries: { check: canaries.check, states: canaries.states, forget: canaries.forget },
    on: (event, handler, options) => subscribers.on(event, handler, options),
    off: (name) => subscribers.off(name),
  };
  return instance;
}

/** Nothing of web proofs is bound where none of their services is on: an engagement host needs no notary key. */
function webProofModules({ services }: ResolvedConfig): ContainerModule[] {
  const modules = [
    ...(services.includes('web-prover') ? [webProverModule, webProofCallbackModule] : []),
    ...(services.includes('zk-prover') ? [zkProverModule] : []),
    ...(services.includes('notary') ? [notaryModule] : []),
  ];
  return modules.length === 0 ? [] : [webProofModule, ...modules];
}
