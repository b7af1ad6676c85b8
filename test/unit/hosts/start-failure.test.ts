import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { fakeProver } from '../../../adapters/fake-prover/index.ts';
import { KeyFileError } from '../../../adapters/key-file/index.ts';
import { DomainError } from '../../../core/errors.ts';
import {
  EnvironmentError,
  readEnvironment,
  toConfig,
  variableOf,
  variablesOfPaths,
} from '../../../hosts/standalone/environment.ts';
import { hostConfig } from '../../../hosts/standalone/host-config.ts';
import { explainFailure, namingVariable } from '../../../hosts/standalone/start-failure.ts';
import { ConfigurationError, resolveConfig } from '../../../plugins/compose/config.ts';
import { newFolder } from '../../support/new-folder.ts';

function thrownBy(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  throw new Error('Nothing was thrown.');
}

describe('what an operator is shown', () => {
  it('mistakes in the configuration: the message alone, and 2', () => {
    expect(explainFailure(new EnvironmentError('PORT: wrong'))).toEqual({ text: 'PORT: wrong', exitCode: 2 });
    expect(explainFailure(new KeyFileError('The key file'))).toEqual({ text: 'The key file', exitCode: 2 });
    const error = new ConfigurationError('no key', { cause: new Error('x') });
    expect(explainFailure(error)).toEqual({ text: 'no key', exitCode: 2 });
    const usage = Object.assign(new TypeError('Unknown option'), { code: 'ERR_PARSE_ARGS_UNKNOWN_OPTION' });
    expect(explainFailure(usage)).toEqual({ text: 'Unknown option', exitCode: 2 });
  });

  it('refusals: the message and each cause once, no stack, and 1', () => {
    const cause = new Error('outer', { cause: new Error('outer', { cause: new Error('the very cause') }) });
    const refused = explainFailure(new DomainError('SERVICE_UNAVAILABLE', 'It is away.', { cause }));
    expect(refused).toEqual({ text: 'It is away.\n  because: outer\n  because: the very cause', exitCode: 1 });
    const each = Object.assign(new Error('connect ECONNREFUSED ::1:1'), { syscall: 'connect' });
    const all = Object.assign(new AggregateError([each]), { code: 'ECONNREFUSED' });
    expect(explainFailure(all)).toEqual({ text: 'connect ECONNREFUSED ::1:1', exitCode: 1 });
    expect(explainFailure(new DomainError('SERVICE_UNAVAILABLE', 'It is away.', { cause: all })).text).toBe(
      'It is away.\n  because: ECONNREFUSED',
    );
    const listening = (code: string, address: string, port?: number) =>
      explainFailure(Object.assign(new Error(`listen ${code}`), { code, syscall: 'listen', address, port }));
    expect(listening('EADDRINUSE', '127.0.0.1', 3000)).toEqual({
      text: 'The address 127.0.0.1 port 3000 is in use. Stop the process that has it, or set PORT to another one.\n  because: listen EADDRINUSE',
      exitCode: 1,
    });
    expect(listening('EADDRNOTAVAIL', '203.0.113.1').text).toMatch(
      /^The address 203\.0\.113\.1 is no address .*Set HOST/,
    );
    expect(listening('EACCES', '0.0.0.0', 80).text).toMatch(/Set PORT to 1024 or above/);
    const lookup = (code: string, host = 'nowhere.test') =>
      explainFailure(
        Object.assign(new Error(`getaddrinfo ${code} nowhere.test`), {
          code,
          syscall: 'getaddrinfo',
          hostname: 'nowhere.test',
        }),
        undefined,
        host,
      ).text;
    expect(lookup('ENOTFOUND')).toMatch(/^The address nowhere\.test is not a known name\. Set HOST .*\n {2}because: /);
    expect(lookup('EAI_AGAIN')).toMatch(/^The address nowhere\.test could not be looked up\. Set HOST /);
    expect(lookup('ENOTFOUND', 'elsewhere.test')).toBe('getaddrinfo ENOTFOUND nowhere.test');
    expect(listening('EINVAL', 'fe80::1').text).toMatch(/Set HOST/);
    expect(listening('EIO', '0.0.0.0', 80).text).toBe('listen EIO');
  });

  it('defects: the stack, with their causes', () => {
    const { text, exitCode } = explainFailure(new TypeError('a defect', { cause: new Error('below') }));
    expect(exitCode).toBe(1);
    expect(text).toMatch(/^TypeError: a defect\n\s+at [\s\S]*\n {2}because: below$/);
    expect(explainFailure('text')).toEqual({ text: 'text', exitCode: 1 });
  });
});

describe('a variable', () => {
  it.each([
    [{ PORT: 'http' }, ['PORT']],
    [{ HOST: '[::1]' }, ['HOST']],
    [{ HOST: '  ' }, ['HOST']],
    [{ HOST: 'http://localhost' }, ['HOST']],
    [{ HOST: 'x'.repeat(254) }, ['HOST']],
    [{ TLS_EXTRA_CA_FILE: '/dev/zero' }, ['TLS_EXTRA_CA_FILE']],
    [{ REMOTE_NOTARIES_FILE: '/' }, ['REMOTE_NOTARIES_FILE']],
    [{ TRUSTED_NOTARIES_FILE: '/dev/zero' }, ['TRUSTED_NOTARIES_FILE']],
    [{ PORT: '65536', LOG_LEVEL: 'loud', ADMIN_TOKEN: 'short' }, ['PORT', 'LOG_LEVEL', 'ADMIN_TOKEN']],
    [{ STORAGE_URL: 'mysql://localhost/x' }, ['STORAGE_URL']],
    [{ JOB_QUEUE: 'bullmq' }, ['REDIS_URL']],
    [{ SCRAPER_PROXY_URL: 'socks5://127.0.0.1:1080' }, ['SCRAPER_PROXY_URL']],
    [{ ZK_PROVER: 'grot16' }, ['ZK_PROVER']],
    [{ TIKTOK_SOURCES: 'own,provider' }, ['DATA_PROVIDER_KEY']],
    [{ EGRESS_ALLOW: '127.0.0.0/8,localhost' }, ['EGRESS_ALLOW']],
    [{ TRUST_PROXY: 'the proxy' }, ['TRUST_PROXY']],
    [{ INSTAGRAM_SESSION_IDS: 'one; two' }, ['INSTAGRAM_SESSION_IDS']],
    [{ TLS_EXTRA_CA_FILE: '/nonexistent/ca.pem' }, ['TLS_EXTRA_CA_FILE']],
    [{ TRUSTED_NOTARIES_FILE: '/nonexistent/list.json' }, ['TRUSTED_NOTARIES_FILE']],
    [{ SERVICES: 'engagement,everything' }, ['SERVICES']],
  ])('that is wrong is named and not quoted: %o', (env, names) => {
    const error = thrownBy(() => resolveConfig(toConfig(readEnvironment(env))));
    const { text, exitCode } = explainFailure(error, variableOf);
    expect(exitCode).toBe(2);
    for (const name of names) expect(text).toMatch(new RegExp(`\\b${name}(?:, \\d)?: `));
    expect(text).not.toMatch(/^\s+at |short|one; two/m);
  });
});

it.each([[{ ZK_PROVER: 'http' }, 'CONFIG_FILE, zk.url: is missing']])(
  'a prover without what it needs is refused: %o',
  async (env, expected) => {
    const error = await hostConfig(readEnvironment(env)).catch((thrown: unknown) => thrown);
    const { text, exitCode } = explainFailure(error, variableOf);
    expect(text).toContain(expected);
    expect(exitCode).toBe(2);
  },
);

describe('DATA_DIR', () => {
  it.each([
    ['/', 'sqlite:/credence.db'],
    ['//x/', 'sqlite:/x/credence.db'],
    ['./data', 'sqlite:./data/credence.db'],
  ])('of %s has its database in it', (DATA_DIR, url) => {
    const zkProver = fakeProver();
    expect(resolveConfig({ ...toConfig(readEnvironment({ DATA_DIR })), zkProver }).storage).toEqual({ url });
  });

  it('is named if its files are unusable, like the variable of any other path', () => {
    const naming = (text: string, env: Record<string, string>) =>
      namingVariable({ text, exitCode: 2 }, variablesOfPaths(env)).text;
    expect(naming('The key file /x/secrets.key is missing.', { DATA_DIR: '/x' })).toMatch(/^DATA_DIR: The key file/);
    expect(naming("EACCES: permission denied, mkdir '/x'", { DATA_DIR: '/x' })).toMatch(/^DATA_DIR: EACCES/);
    expect(naming('The key file ./k is missing.', { NOTARY_KEY_FILE: './k' })).toMatch(/^NOTARY_KEY_FILE: The key/);
    expect(naming('PORT: wrong', { DATA_DIR: '/' })).toBe('PORT: wrong');
  });
});

describe('a MongoDB URL', () => {
  it.each([
    ['w=1', 'w to anything but majority'],
    ['readPreference=nearest', 'readPreference to anything but primary'],
    ['retrywrites=perhaps', 'the MongoDB driver cannot read the URL'],
    ['colour=red', 'the MongoDB driver cannot read the URL: option colour is not supported'],
  ])('with %s is refused by the name of its variable, and not quoted', (settings, reason) => {
    const url = `mongodb://user:s3cret@127.0.0.1/x?${settings}`;
    const { text, exitCode } = explainFailure(
      thrownBy(() => readEnvironment({ STORAGE_URL: url })),
      variableOf,
    );
    expect(text).toContain('\n  STORAGE_URL: ');
    expect(text).toContain(reason);
    expect(text).not.toContain('s3cret');
    expect(exitCode).toBe(2);
    expect(() => resolveConfig({ storage: { url } })).toThrow(`storage.url: `);
  });

  it.each(['mongodb://u:p@ss@h/x', 'mongodb://h:port/x', 'mongodb://h/%zz', 'mongodb://h/a.b', 'mongodb://u:%zz@h/x'])(
    '%s, which the driver cannot read, is refused',
    (url) => {
      expect(() => readEnvironment({ STORAGE_URL: url })).toThrow(
        'STORAGE_URL: the MongoDB driver cannot read the URL',
      );
    },
  );

  it('that is usable is taken', () => {
    const url = 'mongodb+srv://user:s3cret@db.example.com/x?retryWrites=true&w=majority';
    expect(readEnvironment({ STORAGE_URL: url }).STORAGE_URL).toBe(url);
  });
});

describe('the contents of files', () => {
  let directory: string;
  beforeEach(() => {
    directory = newFolder();
  });

  it.each([
    ['REMOTE_NOTARIES_FILE', '[{"url":"http://n"}]', 'REMOTE_NOTARIES_FILE, 0.url: must be https'],
    ['REMOTE_NOTARIES_FILE', '[{"mode":"blnd"}]', 'REMOTE_NOTARIES_FILE, 0.mode: must be one of "attesting", "blind"'],
    [
      'REMOTE_NOTARIES_FILE',
      '[{"url":"https://n.example","mode":"blind"},{"url":"https://n.example/"}]',
      'REMOTE_NOTARIES_FILE, 1.url: is the address of an entry before it',
    ],
    ['TRUSTED_NOTARIES_FILE', '{"a":1}', 'TRUSTED_NOTARIES_FILE: must be a list'],
    [
      'TRUSTED_NOTARIES_FILE',
      `[{"fingerprint":"${'ab'.repeat(32)}"},{"fingerprint":"ab"}]`,
      'TRUSTED_NOTARIES_FILE, 1.fingerprint: must be the SHA-256',
    ],
    ['TLS_EXTRA_CA_FILE', 'hello', 'TLS_EXTRA_CA_FILE: must be PEM'],
    [
      'TLS_EXTRA_CA_FILE',
      '-----BEGIN CERTIFICATE-----\naGVsbG8=\n-----END CERTIFICATE-----\n',
      'TLS_EXTRA_CA_FILE: must be PEM',
    ],
  ])('%s: are refused by the name of the variable', (variable, content, expected) => {
    const path = join(directory, 'file');
    writeFileSync(path, content);
    const error = thrownBy(() => resolveConfig(toConfig(readEnvironment({ [variable]: path }))));
    const { text, exitCode } = explainFailure(error, variableOf);
    expect(text).toContain(`\n  ${expected}`);
    expect(exitCode).toBe(2);
  });
});

describe('CONFIG_FILE', () => {
  it.each([
    [{ zk: { prover: 'grot16' } }, 'zk.prover: must be one of "groth16", "http", "fake"'],
    [{ zk: 'http' }, 'zk: must be an object, not text'],
    [{ zk: { colour: 'red' } }, 'zk: has no field "colour"'],
    [{ secrets: './secrets.key' }, 'secrets: must be { keyFile'],
    [{ platforms: { proxyUrl: 'socks5://127.0.0.1:1080' } }, 'platforms.proxyUrl: must be an http or https URL'],
    [{ notary: 'https://n.example' }, 'notary: must be an object, not text'],
    [{ remoteNotaries: [{ mode: 'blnd' }] }, 'remoteNotaries.0.mode: must be one of "attesting", "blind"'],
    [{ remoteNotaries: [{ mode: 'blind', url: 'n' }] }, 'remoteNotaries.0.url: must be an https URL'],
    [{ remoteNotaries: [{ mode: 'blind', memoryMib: 512 }] }, 'remoteNotaries.0: has no field "memoryMib"'],
    [{ jobs: { leaseSeconds: 'x' } }, 'jobs.leaseSeconds: must be a number, not text'],
    [{ jobs: { queue: 'bullmq' } }, 'redisUrl: is missing; the job queue bullmq needs it'],
    [{ extraRoots: ['x'] }, 'extraRoots.0: must be PEM'],
  ])('is named with the key that is wrong, and not a variable: %j', async (content, expected) => {
    const env = { CONFIG_FILE: join(newFolder(), 'credence.json'), RETENTION_DAYS: '5' };
    writeFileSync(env.CONFIG_FILE, JSON.stringify(content));
    const error = await hostConfig(readEnvironment(env))
      .then(({ config }) => resolveConfig(config))
      .catch((thrown: unknown) => thrown);
    const { text, exitCode } = explainFailure(error, (field) => variableOf(field, env));
    expect(text).toContain(`\n  CONFIG_FILE, ${expected}`);
    expect(exitCode).toBe(2);
    expect(variableOf('retention.days', env)).toBe('RETENTION_DAYS');
  });
});

describe('the configuration of the library', () => {
  it('has the rules of the host for the admin token and the storage', () => {
    expect(() => resolveConfig({ adminToken: 'my secret admin token' })).toThrow('adminToken: must be printable ASCII');
    for (const url of ['sqlite://./data/x.db', 'sqlite://data/x.db']) {
      expect(() => resolveConfig({ storage: { url } }), url).toThrow('storage.url: must be sqlite:data/x.db');
    }
    for (const path of ['/x/a.db?mode=ro', '~/x.db', '~ann/x.db', 'file:/x', 'FILE:x', '/x.db ', ' /x.db', 'x.db\t']) {
      const url = `sqlite:${path}`;
      expect(() => resolveConfig({ storage: { url } }), url).toThrow('storage.url: must be sqlite:data/x.db');
    }
    for (const url of [
      'sqlite:a b/x~1.db',
      'sqlite:./x.db',
      'sqlite:/x.db',
      'sqlite:///x.db',
      'sqlite::memory:',
      'mongodb://h/x',
    ]) {
      expect(resolveConfig({ storage: { url } }).storage).toEqual({ url });
      expect(resolveConfig({ storage: url }).storage).toEqual({ url });
    }
  });

  it('tells the fields apart from their text', () => {
    const error = thrownBy(() => resolveConfig({ adminToken: 'short' }));
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error).toMatchObject({ issues: [{ field: 'adminToken', message: 'must have at least 16 characters' }] });
    expect([variableOf('storage.url'), variableOf('storageurl'), variableOf('extraRoots.0')]).toEqual([
      'STORAGE_URL',
      'CONFIG_FILE, storageurl',
      'TLS_EXTRA_CA_FILE',
    ]);
  });
});
