/** The environment variables of the standalone host. */
import { z } from 'zod';
import { MAX_RECV_DATA, MAX_SENT_DATA } from '../../adapters/blind-notary/options.ts';
import { dataProviderOptionsSchema } from '../../adapters/data-provider/index.ts';
import { egressGuardOptions } from '../../adapters/egress-guard/index.ts';
import { httpProverOptionsSchema } from '../../adapters/http-prover/options.ts';
import { instagramOptionsSchema } from '../../adapters/instagram/index.ts';
import { redisPrefix, redisUrl } from '../../adapters/redis-rate-limiter/index.ts';
import { browserUserAgent } from '../../adapters/scraping/index.ts';
import { tiktokOptionsSchema } from '../../adapters/tiktok/index.ts';
import { youtubeOptionsSchema } from '../../adapters/youtube/options.ts';
import { DEFAULT_ABSENCE_TOLERANCE } from '../../core/engagement/attempts/absence.ts';
import { bearerToken } from '../../core/security/bearer-token.ts';
import { platformSources } from '../../plugins/compose/built-in-platforms.ts';
import { callbackSecret, guestId, notaryUrl, origin, storageUrl } from '../../plugins/compose/config.ts';
import { publicUrl } from '../../plugins/compose/public-url.ts';
import { brandColor, brandLogoUrl, brandName } from '../../plugins/http/pages/connect/brand.ts';
import { decimal, integer, list, listenHost } from './environment-values.ts';

const dataProvider = dataProviderOptionsSchema.shape;
const egress = egressGuardOptions.shape;
const instagram = instagramOptionsSchema.shape;
const docIds = instagram.docIds.unwrap().shape;
const tiktok = tiktokOptionsSchema.shape;
const youtube = youtubeOptionsSchema.shape;
const zkProver = httpProverOptionsSchema.shape;

const switchValue = z.enum(['on', 'off']);

const proxy = z.union(
  [z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6(), z.enum(['loopback', 'linklocal', 'uniquelocal'])],
  'must be addresses or CIDRs',
);

/**
 * One entry a variable; the order is the order of `--help`. `field` is the field of the library's configuration that it sets;
 * what has none is about this host alone.
 */
export const variables = {
  PORT: integer(0, 65535).prefault('3000').meta({ description: 'Port to listen on; 0 takes any free one.' }),
  HOST: listenHost.default('127.0.0.1').meta({ description: 'Address to listen on.' }),
  STORAGE_URL: storageUrl.optional().meta({
    field: 'storage.url',
    description: 'sqlite:PATH or mongodb://…; sqlite:$DATA_DIR/credence.db when unset.',
  }),
  DATA_DIR: z.string().min(1).default('./data').meta({ description: 'Directory for the database and the key files.' }),
  ADMIN_TOKEN: bearerToken.optional().meta({
    field: 'adminToken',
    description: 'Token with admin rights; unset on the first start: one is generated and printed once.',
  }),
  SECRETS_KEY_FILE: z.string().min(1).optional().meta({
    field: 'secrets.keyFile',
    description: 'Key that encrypts secrets at rest; $DATA_DIR/secrets.key when unset, created with mode 0600.',
  }),
  SECRETS_KEY_REPLACED: switchValue.default('off').meta({
    field: 'secrets.replaced',
    description:
      'on: start though stored webhook secrets cannot be opened with the key; rotate the secrets of their webhooks.',
  }),
  SERVICES: list
    .prefault('engagement,web-prover,zk-prover')
    .pipe(z.array(z.enum(['engagement', 'web-prover', 'zk-prover', 'notary'])).min(1))
    .meta({
      field: 'services',
      description: 'Which of engagement, web-prover, zk-prover, notary to serve; comma separated.',
    }),
  PUBLIC_URL: publicUrl
    .optional()
    .meta({ field: 'publicUrl', description: 'URL under which clients reach this host, for links and documents.' }),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info').meta({
    description:
      'Least severe level that is logged. Lines are gathered for up to 0.1 s; a host that is killed loses those.',
  }),
  TRUST_PROXY: list.pipe(z.array(proxy)).optional().meta({
    description: 'Addresses or CIDRs of proxies whose X-Forwarded-For is believed; comma separated, none by default.',
  }),
  INSTAGRAM_BASE_URL: instagram.baseUrl.meta({
    field: 'platforms.instagram.baseUrl',
    description: 'Where Instagram is read from.',
  }),
  TIKTOK_BASE_URL: tiktok.baseUrl.meta({
    field: 'platforms.tiktok.baseUrl',
    description: 'Where TikTok is read from.',
  }),
  INSTAGRAM_SESSION_IDS: list.pipe(instagram.sessionIds.unwrap()).optional().meta({
    field: 'platforms.instagram.sessionIds',
    description: 'sessionid cookies for what Instagram hides from visitors (likers, replies); comma separated.',
  }),
  INSTAGRAM_SOURCES: list.prefault('own').pipe(platformSources).meta({
    field: 'platforms.instagram.sources',
    description: 'Who is asked about Instagram: own, provider, or both in order; comma separated.',
  }),
  TIKTOK_SOURCES: list.prefault('own').pipe(platformSources).meta({
    field: 'platforms.tiktok.sources',
    description: 'Who is asked about TikTok: own, provider, or both in order; comma separated.',
  }),
  INSTAGRAM_POST_DOC_IDS: list.prefault(docIds.post.parse(undefined).join(',')).pipe(docIds.post.unwrap()).meta({
    field: 'platforms.instagram.docIds.post',
    description:
      "doc_id of Instagram's query for a post, tried in order; comma separated. Such ids change every few weeks.",
  }),
  INSTAGRAM_OLDER_POST_DOC_ID: docIds.olderPost.meta({
    field: 'platforms.instagram.docIds.olderPost',
    description: "doc_id of Instagram's query for a post by shortcode; tried after those.",
  }),
  INSTAGRAM_COMMENTS_DOC_ID: docIds.comments.meta({
    field: 'platforms.instagram.docIds.comments',
    description: "doc_id of Instagram's query for the comments of a post.",
  }),
  INSTAGRAM_PROFILE_DOC_ID: docIds.profile.meta({
    field: 'platforms.instagram.docIds.profile',
    description: "doc_id of Instagram's query for a profile, asked with a session.",
  }),
  INSTAGRAM_APP_ID: instagram.appId.meta({
    field: 'platforms.instagram.appId',
    description: "X-IG-App-ID of Instagram's web app.",
  }),
  INSTAGRAM_ASBD_ID: instagram.asbdId.meta({
    field: 'platforms.instagram.asbdId',
    description: "X-ASBD-ID of Instagram's web app.",
  }),
  TIKTOK_APP_ID: tiktok.appId.meta({
    field: 'platforms.tiktok.appId',
    description: "aid of TikTok's web app in requests for comments.",
  }),
  YOUTUBE_API_KEY: youtube.apiKey.optional().meta({
    description: 'Key of the YouTube Data API v3; registers YouTube, which is unknown without it.',
  }),
  YOUTUBE_BASE_URL: youtube.baseUrl.meta({ description: 'Where the YouTube Data API is asked.' }),
  DATA_PROVIDER_KEY: dataProvider.key.optional().meta({
    field: 'platforms.dataProvider.key',
    description: 'API key of the data provider (ScrapeCreators); every answer of the source provider costs a credit.',
  }),
  DATA_PROVIDER_BASE_URL: dataProvider.baseUrl.meta({
    field: 'platforms.dataProvider.baseUrl',
    description: 'Where the data provider is asked.',
  }),
  SCRAPER_PROXY_URL: instagram.proxyUrl.meta({
    field: 'platforms.proxyUrl',
    description:
      'HTTP proxy for requests to the platforms; {session} in it becomes a key of the identity, for sticky addresses.',
  }),
  SCRAPER_USER_AGENT: browserUserAgent.optional().meta({
    field: 'platforms.userAgent',
    description: 'User agent of a desktop browser, for requests to the platforms; a current Chrome when unset.',
  }),
  SCRAPER_PACING: z
    .enum(['safe', 'off'])
    .default('safe')
    .meta({ field: 'platforms.pacing', description: 'safe keeps to careful rates; off is for simulators.' }),
  SCRAPER_PROFILE_WAIT_MS: integer(0, 30_000).prefault('1500').meta({
    field: 'platforms.profileWaitMs',
    description: 'How long registering a creator waits for the profile, in milliseconds; 0 leaves the profile out.',
  }),
  PLATFORM_CANARIES: list.optional().meta({
    field: 'canaries.targets',
    description:
      'Posts (URL) and profiles (instagram:HANDLE) that are read on a schedule to notice drift; comma separated.',
  }),
  PLATFORM_CANARY_SECONDS: integer(1, 604_800).prefault('900').meta({
    field: 'canaries.intervalSeconds',
    description: 'How often each canary is read, by one of all hosts.',
  }),
  REDIS_URL: redisUrl.optional().meta({
    field: 'redisUrl',
    description: 'Shares request limits and the rate limits of platforms between processes; unset: each keeps its own.',
  }),
  REDIS_PREFIX: redisPrefix.meta({
    field: 'redisPrefix',
    description: 'In front of every key in Redis; deployments that share a Redis need one each.',
  }),
  EGRESS_ALLOW: list.pipe(egress.allow.unwrap()).optional().meta({
    field: 'egress.allow',
    description: 'CIDRs that outbound requests may reach besides public addresses; none by default.',
  }),
  EGRESS_PORTS: list
    .pipe(z.array(integer(1, 65535)))
    .optional()
    .meta({ field: 'egress.ports', description: 'Ports besides 443 that may be proven; comma separated.' }),
  CONSOLE: switchValue.default('on').meta({ description: 'off: do not serve the console at /console.' }),
  CONNECT_RETURN_ORIGINS: list.pipe(z.array(origin).max(100)).optional().meta({
    field: 'connect.returnOrigins',
    description: 'Origins to which the connect page may lead back; comma separated. Others are refused.',
  }),
  CONNECT_BRAND_NAME: brandName.optional().meta({
    field: 'connect.brand.name',
    description: 'Whose accounts are linked: the name at the head of the connect page.',
  }),
  CONNECT_BRAND_LOGO_URL: brandLogoUrl.optional().meta({
    field: 'connect.brand.logoUrl',
    description: 'Its logo: an https URL of one file, or a base64 data URL of an image; needs CONNECT_BRAND_NAME.',
  }),
  CONNECT_BRAND_COLOR: brandColor.optional().meta({
    field: 'connect.brand.color',
    description: 'Its colour for buttons and links, for example #1257c9; needs CONNECT_BRAND_NAME.',
  }),
  TLS_EXTRA_CA_FILE: z
    .string()
    .min(1)
    .optional()
    .meta({ field: 'extraRoots', description: "PEM roots trusted besides Node's own when proving and verifying." }),
  NOTARY_KEY_FILE: z.string().min(1).optional().meta({
    field: 'notary.key.file',
    description: "The notary's signing key; $DATA_DIR/notary.key when unset, created with mode 0600.",
  }),
  NOTARY_URL: notaryUrl
    .optional()
    .meta({ field: 'notary.url', description: 'Address of the default notary, written into proofs.' }),
  MPC_SESSIONS: integer(0, 256).prefault('0').meta({
    field: 'notary.sessions.concurrency',
    description: 'Blind sessions (MPC-TLS) of the service notary at one time; 0 offers none.',
  }),
  MPC_READY_SESSIONS: integer(0, 64).prefault('1').meta({
    field: 'notary.sessions.ready',
    description:
      'Blind sessions made ready ahead: by the notary with the engine loaded, with a blind remote notary set up to the request.',
  }),
  MPC_READY_SECONDS: integer(0, 3_600).prefault('300').meta({
    field: 'notary.sessions.readySeconds',
    description: 'How long a session that a prover has set up ahead may wait for its request; 0 allows none.',
  }),
  MPC_MAX_SENT_DATA: integer(64, MAX_SENT_DATA).prefault('1024').meta({
    field: 'notary.sessions.maxSentData',
    description: 'Most bytes of the request of a blind session.',
  }),
  MPC_MAX_RECV_DATA: integer(64, MAX_RECV_DATA).prefault('4096').meta({
    field: 'notary.sessions.maxRecvData',
    description: 'Most bytes of the answer in a blind session; more takes more memory and time.',
  }),
  MPC_MEMORY_MIB: integer(512, 4_096).prefault('1024').meta({
    field: 'notary.sessions.memoryMiB',
    description: 'Most memory of the process of one blind session; 1 KB takes 450 MiB, 4 KB takes 500 MiB.',
  }),
  TLSN_PROVERS: z.enum(['token', 'anyone', 'off']).default('off').meta({
    field: 'notary.sessions.stockProvers',
    description: 'Who may open sessions for stock provers of TLSNotary: token (any token), anyone, or off.',
  }),
  TRUSTED_NOTARIES_FILE: z.string().min(1).optional().meta({
    field: 'trustedNotariesFile',
    description: 'JSON list of trusted notary keys with their validity; read again when it changes.',
  }),
  REMOTE_NOTARIES_FILE: z.string().min(1).optional().meta({
    field: 'remoteNotaries',
    description:
      'JSON list of notaries run by others, with url, token and fingerprint of each, and mode for blind ones.',
  }),
  WEB_PROOF_CALLBACK_SECRET: callbackSecret.optional().meta({
    field: 'webProofCallback.secret',
    description:
      'whsec_ and base64: the secret that signs calls of /web-proofs/callback; without one they are refused.',
  }),
  WEB_PROOF_CLOCK_TOLERANCE_SECONDS: integer(0, 600).default(30).meta({
    field: 'webProofCallback.clockToleranceSeconds',
    description: "How far a notary's clock may differ from ours, for proofs that link an account.",
  }),
  ZK_PROVER: z
    .enum(['groth16', 'rapidsnark', 'http', 'fake'])
    .default('groth16')
    .meta({ field: 'zk.prover', description: 'Which prover compresses proofs.' }),
  ZK_RAPIDSNARK_PATH: z.string().min(1).optional().meta({
    field: 'zk.rapidsnark',
    description: 'The program that you installed, with ZK_PROVER=rapidsnark.',
  }),
  ZK_WARM_UP: switchValue
    .default('on')
    .meta({ field: 'zk.warmUp', description: 'off: the prover is loaded by the first proof, which takes longer.' }),
  ZK_PROVER_URL: zkProver.url
    .optional()
    .meta({ field: 'zk.url', description: 'The remote prover, with ZK_PROVER=http.' }),
  ZK_PROVER_TOKEN: zkProver.token
    .optional()
    .meta({ field: 'zk.token', description: 'Bearer token for the remote prover.' }),
  ZK_ARTIFACTS_DIR: z.string().min(1).optional().meta({
    field: 'zk.artifacts',
    description: 'Proving key and verifying key of your own ceremony; the bundled development key when unset.',
  }),
  ZK_ALLOW_DEVELOPMENT_KEY: guestId.optional().meta({
    field: 'zk.allowDevelopmentKey',
    description: 'Guest id of a development key to be used with NODE_ENV=production all the same.',
  }),
  JOB_QUEUE: z.enum(['leased', 'bullmq']).default('leased').meta({
    field: 'jobs.queue',
    description: 'Where jobs wait: leased keeps them in the storage, bullmq in Redis with a copy in the storage.',
  }),
  JOB_LEASE_SECONDS: integer(1, 3600)
    .prefault('60')
    .meta({ field: 'jobs.leaseSeconds', description: 'After how long a job of a dead process is taken up again.' }),
  RETENTION_DAYS: z
    .union([z.literal('off'), integer(1, 3650)], 'must be a number of days from 1 to 3650, or off')
    .prefault('90')
    .meta({
      field: 'retention.days',
      description:
        'How long finished deliveries, dead-lettered jobs, old metrics and likers, usage and expired requests stay; off: forever.',
    }),
  AUDIT_RETENTION_DAYS: z
    .union([z.literal('off'), integer(1, 36_500)], 'must be a number of days from 1 to 36500, or off')
    .prefault('365')
    .meta({
      field: 'retention.auditDays',
      description: 'How long entries of the audit log stay; off: forever.',
    }),
  VERIFICATION_MISSING_COMMENTS: integer(0, 1_000).prefault(String(DEFAULT_ABSENCE_TOLERANCE.count)).meta({
    field: 'verification.missingComments',
    description: 'How many counted comments may be missing from a reading that still proves a creator absent.',
  }),
  VERIFICATION_MISSING_SHARE: decimal(0, 0.5).prefault(String(DEFAULT_ABSENCE_TOLERANCE.share)).meta({
    field: 'verification.missingShare',
    description: 'The same as a share of all comments, from 0 to 0.5; the larger of the two counts.',
  }),
  VERIFICATION_RECHECK_SCALE: decimal(0.0001, 1).prefault('1').meta({
    field: 'verification.recheckScale',
    description: 'Scales the delays between checks of an undecided claim; below 1 for tests and demos.',
  }),
  WEBHOOK_RETRY_SCALE: decimal(0.0001, 1).prefault('1').meta({
    field: 'webhooks.retryScale',
    description: 'Scales the delays between webhook retries; below 1 for tests and demos.',
  }),
  RUN_JOBS: switchValue
    .default('on')
    .meta({ field: 'jobs.run', description: 'off: this process serves requests only and runs no jobs.' }),
} as const;
