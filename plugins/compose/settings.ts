/** The settings of an instance as its operators may see them: without secrets. */
import type { TrustedNotary } from '../../core/web-proof/trusted-notaries.ts';
import type { Setting } from '../http/routes/settings.ts';
import { builtInPlatformFields } from './built-in-platforms.ts';
import type { ResolvedConfig } from './config.ts';
import { fieldsAt } from './unknown-fields.ts';

/**
 * `plain` is shown. `url` is shown without credentials and query, `endpoint` without its path too. `notaries` are names and
 * fingerprints, and `count` is how many there are. Of the others only whether they are set.
 */
type Shown = 'plain' | 'url' | 'endpoint' | 'notaries' | 'count' | 'code' | 'secret';

/** What is not plain about one built-in platform, by the field of its own. A list of sessions is as good as passwords. */
const OF_A_PLATFORM: Readonly<Record<string, Shown>> = {
  baseUrl: 'endpoint',
  sessionIds: 'secret',
  transport: 'code',
  sign: 'code',
};

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
  'platforms.proxyUrl': 'endpoint',
  'platforms.userAgent': 'plain',
  'platforms.transport': 'code',
  'platforms.profileWaitMs': 'plain',
  ...builtInPlatformRows(),
  'platforms.extra': 'count',
  'platforms.dataProvider.key': 'secret',
  'platforms.dataProvider.baseUrl': 'endpoint',
  redisUrl: 'url',
  redisPrefix: 'plain',
  'jobs.leaseSeconds': 'plain',
  'jobs.run': 'plain',
  'jobs.queue': 'plain',
  'notary.key.file': 'plain',
  'notary.key.secret': 'secret',
  'notary.url': 'endpoint',
  'notary.timeoutMs': 'plain',
  'notary.concurrency': 'plain',
  'notary.maxQueued': 'plain',
  'notary.maxQueuedPerCaller': 'plain',
  'notary.maxWaitMs': 'plain',
  'notary.sessions.concurrency': 'plain',
  'notary.sessions.ready': 'plain',
  'notary.sessions.readySeconds': 'plain',
  'notary.sessions.maxSentData': 'plain',
  'notary.sessions.maxRecvData': 'plain',
  'notary.sessions.memoryMiB': 'plain',
  'notary.sessions.stockProvers': 'plain',
  remoteNotaries: 'count',
  trustedNotaries: 'notaries',
  trustedNotariesFile: 'plain',
  extraRoots: 'count',
  'webProofCallback.secret': 'secret',
  'webProofCallback.clockToleranceSeconds': 'plain',
  'zk.prover': 'plain',
  'zk.url': 'endpoint',
  'zk.token': 'secret',
  'zk.artifacts': 'plain',
  'zk.allowDevelopmentKey': 'plain',
  'zk.rapidsnark': 'plain',
  'zk.warmUp': 'plain',
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
  switch (shown) {
    case 'plain':
      if (Array.isArray(value)) return value.map(String);
      return typeof value === 'number' || typeof value === 'boolean' ? value : String(value);
    case 'url':
      return withoutSecrets(String(value)).slice(0, MOST_CHARACTERS);
    case 'endpoint':
      return withoutPath(withoutSecrets(String(value))).slice(0, MOST_CHARACTERS);
    case 'notaries':
      return (value as readonly TrustedNotary[]).map(({ name, fingerprint }) =>
        name === undefined ? fingerprint : `${name}: ${fingerprint}`,
      );
    default:
      return shown === 'count' && Array.isArray(value) ? value.length : null;
  }
}

/** Everything up to the last `@` may be a password, and every query a key. */
function withoutSecrets(url: string): string {
  return url.replace(/^([a-z+]+:\/\/).*@/is, '$1…@').replace(/[?#].*$/s, '?…');
}

/** Some services take their key in the path. */
function withoutPath(url: string): string {
  return url.replace(/^([a-z+]+:\/\/[^/?]*)\/[^?].*$/is, '$1/…');
}

/** A field of a platform may hold fields itself. */
function builtInPlatformRows(): Readonly<Record<string, Shown>> {
  const rows = Object.entries(builtInPlatformFields).flatMap(([platform, schema]) =>
    fieldsAt(schema, []).flatMap((name) => {
      const inner = fieldsAt(schema, [name]).map((field) => `${name}.${field}`);
      const shown = OF_A_PLATFORM[name] ?? 'plain';
      return (inner.length > 0 ? inner : [name]).map((field) => [`platforms.${platform}.${field}`, shown] as const);
    }),
  );
  return Object.fromEntries(rows);
}

function valueAt(config: unknown, field: string): unknown {
  return field
    .split('.')
    .reduce<unknown>((value, name) => (value as Readonly<Record<string, unknown>> | undefined | null)?.[name], config);
}
