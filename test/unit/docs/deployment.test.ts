/** The containers, and what the page about several processes says to do with them. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { describeEnvironment, readEnvironment } from '../../../hosts/standalone/environment.ts';

const root = new URL('../../../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), 'utf8');
const names = (description: string) => [...description.matchAll(/^ {2}([A-Z_]+)\b/gm)].map(([, name]) => name);

type Variables = Readonly<Record<string, string>>;

/** What Compose makes of the values of its file: `${NAME:-default}`, and `${NAME:?…}` for what has to be set. */
const interpolated = (values: Variables, env: Variables): Variables =>
  Object.fromEntries(
    Object.entries(values).map(([key, text]) => [
      key,
      text.replace(/\$\{(\w+):([-?])([^}]*)\}/g, (_whole, name: string, kind: string, rest: string) => {
        const value = env[name] || (kind === '-' ? rest : undefined);
        if (value === undefined) throw new Error(`${name} ${rest}`);
        return value;
      }),
    ]),
  );

const readEnvFile = (text: string): Variables =>
  Object.fromEntries([...text.matchAll(/^(\w+)=(.*)$/gm)].map(([, name, value]) => [name, value]));

describe('docker-compose.yml', () => {
  const [, containers = ''] = read('docs/scaling.md').split('## Containers\n');
  const { services } = parse(read('docker-compose.yml')) as {
    readonly services: Readonly<Record<'host' | 'notary', { readonly environment: Variables }>>;
  };
  const { host, notary } = services;

  it('sets variables that the hosts know and accept', () => {
    expect(names(describeEnvironment())).toEqual(
      expect.arrayContaining(Object.keys({ ...host.environment, ...notary.environment })),
    );
    const filled = interpolated(host.environment, { ADMIN_TOKEN: 'a-token-from-outside' });
    expect(readEnvironment(filled)).toMatchObject({ JOB_QUEUE: 'leased' });
    expect(() => interpolated(host.environment, {})).toThrow('docs/scaling.md');
    expect(() => interpolated(notary.environment, {})).toThrow('docs/scaling.md');
  });

  it('gets its tokens from the file that the documented command makes, once and for its owner only', () => {
    const folder = mkdtempSync(join(tmpdir(), 'credence-compose-'));
    const [command = ''] = (/```sh\n([\s\S]*?)```/.exec(containers)?.[1] ?? '').split('\n');
    const run = () => spawnSync('sh', ['-c', command], { cwd: folder, encoding: 'utf8' });
    const path = join(folder, '.env');
    expect(run()).toMatchObject({ status: 0, stdout: '', stderr: '' });
    const written = readFileSync(path, 'utf8');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(run().status).not.toBe(0);
    expect(readFileSync(path, 'utf8')).toBe(written);
    rmSync(folder, { recursive: true });
    const env = readEnvFile(written);
    const { ADMIN_TOKEN } = readEnvironment(interpolated(host.environment, env));
    const { ADMIN_TOKEN: ofNotary } = readEnvironment(interpolated(notary.environment, env));
    expect([ADMIN_TOKEN, ofNotary]).toEqual([env.ADMIN_TOKEN, env.NOTARY_ADMIN_TOKEN]);
  });

  it("takes an operator's own key and lists of notaries without being edited", () => {
    const own = readEnvFile(/```ini\n([\s\S]*?)```/.exec(containers)?.[1] ?? '');
    const environment = interpolated(host.environment, { ADMIN_TOKEN: 'a-token-from-outside', ...own });
    const { CONFIG_DIR: _mounted, ...variables } = own;
    expect(environment).toMatchObject(variables);
    // That file is read at once, and is in the container only.
    const { TRUSTED_NOTARIES_FILE: _file, ...others } = environment;
    expect(readEnvironment(others)).toMatchObject({ ZK_ARTIFACTS_DIR: own.ZK_ARTIFACTS_DIR });
  });
});

describe('Dockerfile', () => {
  const dockerfile = read('Dockerfile');
  it('starts the host of the build, and not as root', () => {
    const { exports } = JSON.parse(read('package.json')) as { exports: Record<string, { default?: string }> };
    const stage = dockerfile.split(/^FROM /m).at(-1) ?? '';
    expect(stage).toMatch(/^USER node$/m);
    const started = /CMD \["node", "([^"]+)"\]/.exec(stage)?.[1];
    expect(exports['./host/main']?.default).toBe(`./${started}`);
  });
});
