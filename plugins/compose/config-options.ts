/** The configuration as a host writes it. Every part is optional; `configSchema` checks it and fills the defaults in. */
import type { EmbeddedNotaryOptions } from '../../adapters/local-notary/index.ts';
import type { SharedLimitsAdapter } from '../../adapters/redis-rate-limiter/index.ts';
import type { ScrapingTransport, SendRequest } from '../../adapters/scraping/index.ts';
import type { PlatformAdapter } from '../../core/platforms/platform-adapter.ts';
import type {
  JobQueueAdapter,
  NotaryAdapter,
  RateLimiterAdapter,
  ZkProverAdapter,
} from '../../core/ports/adapter-values.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type { Logger } from '../../core/ports/logger.ts';
import type { Storage } from '../../core/ports/storage.ts';
import type { BuiltInPlatformsOptions } from './built-in-platforms.ts';
import type { CredencePlugin } from './plugin.ts';

/** What `createCredence` takes. docs/configuration.md has the same fields as environment variables of the host. */
export interface CredenceConfig {
  /**
   * Where everything is kept: an adapter (`sqlite({ path })`, `postgres({ pool })`, `mongodb({ url })`, or your own `Storage`), or
   * a URL: `sqlite:PATH`, `postgres://…`, `mongodb://…`, `mongodb+srv://…`.
   * @default 'sqlite:./data/credence.db'
   * @example
   * ```ts
   * import { createCredence } from 'credence';
   * import { mongodb } from 'credence/adapters/mongodb';
   *
   * createCredence({ storage: mongodb({ url: 'mongodb://127.0.0.1/credence', maxPoolSize: 200 }) });
   * ```
   */
  readonly storage?: string | StorageUrl | Storage | undefined;
  /**
   * A token with admin rights, at least 16 characters.
   * @default the stored one; without one, `start()` makes one and returns it, this once
   */
  readonly adminToken?: string | undefined;
  /**
   * The key that encrypts webhook secrets at rest, or the file it is kept in. Back it up together with the storage.
   * @default { keyFile: './data/secrets.key' }; with `sqlite::memory:`, a new key that is kept nowhere
   */
  readonly secrets?: SecretsOptions | undefined;
  /**
   * What this instance serves.
   * @default ['engagement']
   */
  readonly services?: readonly ('engagement' | 'web-prover' | 'zk-prover' | 'notary')[] | undefined;
  /**
   * The URL under which clients reach this instance, with the path of its mount: `https://api.example.com/engagement`.
   * @default what each request was sent to
   */
  readonly publicUrl?: string | undefined;
  /** What outbound requests to URLs of your users may reach besides public addresses and port 443. */
  readonly egress?: EgressOptions | undefined;
  /**
   * The registered platforms, as a list: values of `credence/adapters/<platform>` and `PlatformAdapter`s of your own. An object
   * instead of a list sets how the default platforms are read.
   * @default the two platforms of the specification
   * @example
   * ```ts
   * import { createCredence, type PlatformAdapter } from 'credence';
   *
   * declare function toy(options: { readonly apiKey: string }): PlatformAdapter;
   * createCredence({ platforms: [toy({ apiKey: 'secret' })] });
   * ```
   */
  readonly platforms?: PlatformsOptions | readonly PlatformAdapter[] | undefined;
  /** A Redis that shares request limits and the rates of platforms between processes: `redis://…`, `rediss://…`. */
  readonly redisUrl?: string | undefined;
  /**
   * In front of every key in Redis. Deployments that share a Redis need one each.
   * @default 'credence'
   */
  readonly redisPrefix?: string | undefined;
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
   * How durable work is run: a queue as a value (`leased({ … })`, `bullmq({ … })`, or your own), or options.
   * @example
   * ```ts
   * import { createCredence } from 'credence';
   * import { bullmq } from 'credence/adapters/bullmq-jobs';
   *
   * createCredence({ jobs: bullmq({ url: 'redis://127.0.0.1:6379' }) });
   * ```
   */
  readonly jobs?: JobsOptions | JobQueueAdapter | undefined;
  /**
   * The notary that proves if a request names none: the embedded one by its options (`localNotary({ … })` is the same), or
   * another one as a value. With a value, this host needs no key of its own, except to seal proofs (`zk-prover`).
   * @example
   * ```ts
   * import { createCredence } from 'credence';
   * import { httpNotary } from 'credence/adapters/http-notary';
   *
   * const notary = httpNotary({ url: 'https://notary.example', token: 'secret', fingerprint: 'ab'.repeat(32) });
   * createCredence({ services: ['web-prover'], notary });
   * ```
   */
  readonly notary?: NotaryOptions | NotaryAdapter | undefined;
  /**
   * Notaries that others run and that callers may choose by `notaryUrl`; their keys are pinned. `mpcNotary({ … })` of
   * `@credence/blind-notary` is a blind one.
   * @default []
   */
  readonly remoteNotaries?: readonly (RemoteNotaryOptions | NotaryAdapter)[] | undefined;
  /**
   * Keys whose proofs count as trusted, besides the embedded notary's own. List the key of a notary that is passed as a value.
   * @default []
   */
  readonly trustedNotaries?: readonly TrustedNotaryOptions[] | undefined;
  /** A JSON file with further trusted keys, in the form of `trustedNotaries`; it is read again when it changes. */
  readonly trustedNotariesFile?: string | undefined;
  /**
   * PEM roots that are trusted besides Node's own when proving and verifying.
   * @default []
   */
  readonly extraRoots?: readonly string[] | undefined;
  /** The callback by which a web proof of a profile links an account. */
  readonly webProofCallback?: WebProofCallbackOptions | undefined;
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
  /** How long deliveries, finished jobs, old metrics and the like are kept. */
  readonly retention?: RetentionOptions | undefined;
  /**
   * Optional parts of packages of their own, as values: `credenceConsole()` of `@credence/console`, `blindNotary()` of
   * `@credence/blind-notary`.
   * @default []
   */
  readonly plugins?: readonly CredencePlugin[] | undefined;
  /** The page on which creators connect their accounts. */
  readonly connect?: ConnectOptions | undefined;
  /** When undecided claims are checked again. */
  readonly verification?: VerificationOptions | undefined;
  /** Posts and profiles of your choosing that are read on a schedule, to notice changes of platforms. */
  readonly canaries?: CanariesOptions | undefined;
  /** How webhooks are delivered. */
  readonly webhooks?: WebhooksOptions | undefined;
}

/** A storage by its URL alone. */
export interface StorageUrl {
  /** `sqlite:PATH`, `postgres://…`, `mongodb://…` or `mongodb+srv://…`. */
  readonly url: string;
}

/** A key file, or the key itself. */
export type SecretsOptions = (
  | {
      /** The file of the key; created with mode 0600 on the first start. */
      readonly keyFile: string;
    }
  | {
      /** The key itself, 32 bytes. */
      readonly key: Uint8Array<ArrayBuffer>;
    }
) & {
  /**
   * Starts although stored secrets cannot be opened with this key; their webhooks must be made again.
   * @default false
   */
  readonly replaced?: boolean | undefined;
};

/** Exceptions of the guard against server-side request forgery. */
export interface EgressOptions {
  /**
   * CIDRs that may be reached although they are not public, on any port: `['10.0.0.0/8']`.
   * @default []
   */
  readonly allow?: readonly string[] | undefined;
  /**
   * Ports besides 443 that may be proven.
   * @default []
   */
  readonly ports?: readonly number[] | undefined;
}

/** What all platforms share, and what each has of its own. */
export interface PlatformsOptions extends BuiltInPlatformsOptions {
  /**
   * `safe` keeps to careful rates; `off` is for simulators.
   * @default 'safe'
   */
  readonly pacing?: 'safe' | 'off' | undefined;
  /** An HTTP proxy; `{session}` in it becomes a key of the identity, for sticky addresses. */
  readonly proxyUrl?: string | undefined;
  /**
   * The user agent of a desktop browser; its client hints follow from it.
   * @default a current Chrome
   */
  readonly userAgent?: string | undefined;
  /** Sends the requests instead of the built-in client, for example with a browser's TLS. */
  readonly transport?: SendRequest | ScrapingTransport | undefined;
  /**
   * How long registering a creator waits for the profile, in milliseconds, up to 30,000; 0 leaves the profile out.
   * @default 1_500
   */
  readonly profileWaitMs?: number | undefined;
  /**
   * Platforms besides those that are registered by default, as values.
   * @default []
   */
  readonly extra?: readonly PlatformAdapter[] | undefined;
  /** The paid account behind the source `provider`. */
  readonly dataProvider?: DataProviderOptions | undefined;
}

/** A paid provider of platform data (ScrapeCreators). */
export interface DataProviderOptions {
  /** The API key; every answer costs a credit. */
  readonly key: string;
  /** Where the provider is asked. */
  readonly baseUrl?: string | undefined;
}

/** How durable work is run. */
export interface JobsOptions {
  /**
   * After how many seconds another process takes over the jobs of a dead one.
   * @default 60
   */
  readonly leaseSeconds?: number | undefined;
  /**
   * Set to `false` for a process that serves requests and runs no jobs.
   * @default true
   */
  readonly run?: boolean | undefined;
  /**
   * Where jobs wait: in the storage, in the Redis of `redisUrl` with a copy in the storage, or a queue as a value.
   * @default 'leased'
   */
  readonly queue?: 'leased' | 'bullmq' | JobQueueAdapter | undefined;
}

/** The embedded notary. */
export interface NotaryOptions extends EmbeddedNotaryOptions {}

/** A key file, created with mode 0600 on first use, or the 32 bytes of the key. */
export type NotaryKeyOptions = { readonly file: string } | { readonly secret: Uint8Array<ArrayBuffer> };

/** A notary that somebody else runs. */
export interface RemoteNotaryOptions {
  /** Its address. */
  readonly url: string;
  /** The bearer token that it gave you. */
  readonly token: string;
  /** SHA-256 of its public key, 64 hex digits. */
  readonly fingerprint: string;
}

/** A key whose proofs count as trusted. */
export interface TrustedNotaryOptions {
  /** SHA-256 of the public key, 64 hex digits. */
  readonly fingerprint: string;
  /** For people. */
  readonly name?: string | undefined;
  /** Trusted for sessions from this time on: ISO 8601, or unix seconds. */
  readonly validFrom?: string | number | undefined;
  /** Trusted for sessions before this time: ISO 8601, or unix seconds. */
  readonly validUntil?: string | number | undefined;
}

/** The callback by which a web proof of a profile links an account. */
export interface WebProofCallbackOptions {
  /** `whsec_` and base64. Signs the calls; without it they are refused. */
  readonly secret?: string | undefined;
}

/** The page on which creators connect their accounts. */
export interface ConnectOptions {
  /**
   * Origins that `returnUrl` may have, for example `https://app.example`.
   * @default none: a `returnUrl` is refused
   */
  readonly returnOrigins?: readonly string[] | undefined;
  /**
   * Whose accounts are linked; shown at the head of the page.
   * @default none: the page names the account, and the host of its `returnUrl`
   */
  readonly brand?: ConnectBrandOptions | undefined;
}

/** The brand of the connect page. */
export interface ConnectBrandOptions {
  /** The name, at most 80 characters. */
  readonly name: string;
  /**
   * The logo: an https URL of one file, or a base64 data URL of a PNG, JPEG, GIF, WebP or SVG image. It has at most 65,536
   * characters. The page may load this image and no other.
   * @default none
   */
  readonly logoUrl?: string | undefined;
  /**
   * The colour of buttons and links, for example `#1257c9`. Links use the nearest shade that can be read.
   * @default a blue
   */
  readonly color?: string | undefined;
}

/** How long finished work is kept. */
export interface RetentionOptions {
  /**
   * Days, or `off` for forever. Creators, brands, campaigns, attempts and comments always stay.
   * @default 90
   */
  readonly days?: number | 'off' | undefined;
  /**
   * Days of the audit log, or `off` for forever.
   * @default 365
   */
  readonly auditDays?: number | 'off' | undefined;
}

/** When undecided claims are checked again. */
export interface VerificationOptions {
  /**
   * Scales the delays between checks of an undecided claim; below 1 for tests and demos.
   * @default 1
   */
  readonly recheckScale?: number | undefined;
}

/** The drift monitor: a canary that lacks a field it had before, or cannot be read, is announced as `platform.drifted`. */
export interface CanariesOptions {
  /**
   * Post URLs, and profiles as `platform:handle`, for example `toy:nasa`; at most 100.
   * @default []
   */
  readonly targets?: readonly string[] | undefined;
  /**
   * Each is read once in this time, by one of all processes.
   * @default 900
   */
  readonly intervalSeconds?: number | undefined;
}

/** How webhooks are delivered. */
export interface WebhooksOptions {
  /**
   * Scales the delays between retries; below 1 for tests and demos.
   * @default 1
   */
  readonly retryScale?: number | undefined;
}
