/** The settings of an instance as its operators may see them: without secrets. */
import type { Setting } from '../http/routes/settings.ts';
import type { ResolvedConfig } from './config.ts';

/** `plain` is shown, `url` without credentials and query, `count` as how many there are; of the others only whether they are set. */
type Shown = 'plain' | 'url' | 'count' | 'code' | 'secret';

/** Every field. One that is missing here fails a test, so that none is shown by mistake. */
export const SHOWN: Readonly<Record<string, Shown>> = {
  'storage.url': 'url',
  adminToken: 'secret',
  'secrets.keyFile': 'plain',
  'secrets.replaced': 'plain',
  'secrets.key': 'secret',
  services: 'plain',
  publicUrl: 'url',
  'egress.allow': 'plain',
  'egress.ports': 'plain',
  'platforms.pacing': 'plain',
  'platforms.proxyUrl': 'url',
  'platforms.userAgent': 'plain',
  'platforms.transport': 'code',
  'platforms.profileWaitMs': 'plain',
  'platforms.instagram.baseUrl': 'url',
  'platforms.instagram.sessionIds': 'secret',
  'platforms.instagram.appId': 'plain',
  'platforms.instagram.asbdId': 'plain',
  'platforms.instagram.docIds.post': 'plain',
  'platforms.instagram.docIds.olderPost': 'plain',
  'platforms.instagram.docIds.comments': 'plain',
  'platforms.instagram.docIds.profile': 'plain',
  'platforms.instagram.userAgent': 'plain',
  'platforms.instagram.transport': 'code',
  'platforms.instagram.sources': 'plain',
  'platforms.tiktok.baseUrl': 'url',
  'platforms.tiktok.appId': 'plain',
  'platforms.tiktok.userAgent': 'plain',
  'platforms.tiktok.transport': 'code',
  'platforms.tiktok.sign': 'code',
  'platforms.tiktok.sources': 'plain',
  'platforms.extra': 'count',
  'platforms.dataProvider.key': 'secret',
  'platforms.dataProvider.baseUrl': 'url',
  redisUrl: 'url',
  redisPrefix: 'plain',
  'jobs.leaseSeconds': 'plain',
  'jobs.run': 'plain',
  'jobs.queue': 'plain',
  'notary.key.file': 'plain',
  'notary.key.secret': 'secret',
  'notary.url': 'url',
  'notary.timeoutMs': 'plain',
  'notary.concurrency': 'plain',
  'notary.maxQueued': 'plain',
  'notary.maxQueuedPerCaller': 'plain',
  'notary.maxWaitMs': 'plain',
  'notary.sessions.concurrency': 'plain',
  'notary.sessions.ready': 'plain',
  'notary.sessions.maxSentData': 'plain',
  'notary.sessions.maxRecvData': 'plain',
  'notary.sessions.memoryMiB': 'plain',
  'notary.sessions.stockProvers': 'plain',
  remoteNotaries: 'count',
  trustedNotaries: 'count',
  trustedNotariesFile: 'plain',
  extraRoots: 'count',
  'webProofCallback.secret': 'secret',
  'webProofCallback.clockToleranceSeconds': 'plain',
  'zk.prover': 'plain',
  'zk.url': 'url',
  'zk.token': 'secret',
  'zk.artifacts': 'plain',
  'zk.allowDevelopmentKey': 'plain',
  'zk.rapidsnark': 'plain',
  'zk.warmUp': 'plain',
  console: 'plain',
  'connect.returnOrigins': 'plain',
  'connect.brand.name': 'plain',
  'connect.brand.logoUrl': 'url',
  'connect.brand.color': 'plain',
  'retention.days': 'plain',
  'retention.auditDays': 'plain',
  'verification.missingComments': 'plain',
  'verification.missingShare': 'plain',
  'verification.recheckScale': 'plain',
  'canaries.targets': 'plain',
  'canaries.intervalSeconds': 'plain',
  'webhooks.retryScale': 'plain',
};

/** A logo may be a long data URL. */
const MOST_CHARACTERS = 200;

/** All settings, in the order of the configuration. */
export function settingsOf(config: ResolvedConfig): readonly Setting[] {
  return Object.entries(SHOWN).map(([field, shown]) => {
    const value = valueAt(config, field);
    const isSet = value !== undefined && value !== null;
    return { field, isSet, isSecret: shown === 'secret', value: isSet ? shownValue(value, shown) : null };
  });
}

function shownValue(value: unknown, shown: Shown): Setting['value'] {
  if (shown === 'plain') {
    if (Array.isArray(value)) return value.map(String);
    return typeof value === 'number' || typeof value === 'boolean' ? value : String(value);
  }
  if (shown === 'url') return withoutSecrets(String(value)).slice(0, MOST_CHARACTERS);
  return shown === 'count' && Array.isArray(value) ? value.length : null;
}

/** Everything up to the last `@` may be a password, and every query a key. */
function withoutSecrets(url: string): string {
  return url.replace(/^([a-z+]+:\/\/).*@/is, '$1…@').replace(/[?#].*$/s, '?…');
}

function valueAt(config: unknown, field: string): unknown {
  return field
    .split('.')
    .reduce<unknown>((value, name) => (value as Readonly<Record<string, unknown>> | undefined | null)?.[name], config);
}
