/** The pages about running Credence, and the containers, held against the code. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { describeNotaryEnvironment, readNotaryEnvironment } from '../../../hosts/notary/environment.ts';
import { describeEnvironment, readEnvironment } from '../../../hosts/standalone/environment.ts';
import { readSources } from '../../arch/source-graph.ts';

const root = new URL('../../../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), 'utf8');
const names = (description: string) => [...description.matchAll(/^ {2}([A-Z_]+)\b/gm)].map(([, name]) => name);

interface Port {
  readonly target: number;
  readonly host_ip: string;
  readonly published: string;
}

interface Service {
  readonly image?: string;
  readonly build?: { readonly context: string; readonly target: string };
  readonly environment?: Readonly<Record<string, string>>;
  readonly volumes?: readonly string[];
  readonly ports?: readonly (string | Port)[];
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly healthcheck?: object;
}

type Variables = Readonly<Record<string, string>>;

/** What Compose makes of a text of its file: `${NAME:-default}`, and `${NAME:?…}` for what has to be set. */
const interpolate = (text: string, env: Variables): string =>
  text.replace(/\$\{(\w+):([-?])([^}]*)\}/g, (_whole, name: string, kind: string, rest: string) => {
    const value = env[name] || (kind === '-' ? rest : undefined);
    if (value === undefined) throw new Error(`${name} ${rest}`);
    return value;
  });

const interpolated = (values: Variables = {}, env: Variables): Variables =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, interpolate(value, env)]));

const readEnvFile = (text: string): Variables =>
  Object.fromEntries([...text.matchAll(/^(\w+)=(.*)$/gm)].map(([, name, value]) => [name, value]));

/** The sources of the `COPY` lines. */
const copiedBy = (dockerfile: string): readonly string[] =>
  [...dockerfile.matchAll(/^COPY (?!--from)(.+)$/gm)].flatMap(([, line = '']) => line.split(' ').slice(0, -1));

const imports = new Map(
  readSources('core', 'adapters', 'plugins', 'hosts').map((source) => [source.path, source.imports]),
);

function reachableFrom(entry: string): readonly string[] {
  const reached = new Set([entry]);
  for (const path of reached) for (const target of imports.get(path) ?? []) reached.add(target);
  return [...reached];
}

describe('the page about several processes', () => {
  it('names settings and metrics that exist', () => {
    const page = read('docs/scaling.md');
    // The last one is Node's own.
    const known = [...names(describeEnvironment()), ...names(describeNotaryEnvironment()), 'UV_THREADPOOL_SIZE'];
    for (const [, name] of page.matchAll(/`([A-Z]+(?:_[A-Z]+)+)[`=]/g)) expect(known).toContain(name);
    const metrics = read('adapters/telemetry/recorder.ts');
    for (const [, name = ''] of page.matchAll(/`(credence_\w+)/g)) expect(metrics).toContain(`'${name}'`);
  });
});

describe('docker-compose.yml', () => {
  const [, containers = ''] = read('docs/scaling.md').split('## Containers\n');
  const compose = parse(read('docker-compose.yml')) as {
    readonly services: Readonly<Record<string, Service>>;
    readonly volumes: object;
  };

  it('has the four services; what one waits for can be healthy; volumes are declared', () => {
    expect(Object.keys(compose.services).sort()).toEqual(['host', 'mongodb', 'notary', 'redis']);
    for (const { depends_on = {}, volumes = [] } of Object.values(compose.services)) {
      for (const other of Object.keys(depends_on)) expect(compose.services[other]?.healthcheck).toBeDefined();
      for (const volume of volumes) {
        expect(Object.keys(compose.volumes)).toContain(interpolate(volume, {}).split(':')[0]);
      }
    }
  });

  it('sets what the hosts know, to what they take', () => {
    const { host, notary } = compose.services;
    expect(names(describeEnvironment())).toEqual(expect.arrayContaining(Object.keys(host?.environment ?? {})));
    expect(names(describeNotaryEnvironment())).toEqual(expect.arrayContaining(Object.keys(notary?.environment ?? {})));
    const filled = interpolated(host?.environment, { ADMIN_TOKEN: 'a-token-from-outside' });
    expect(readEnvironment(filled)).toMatchObject({ JOB_QUEUE: 'leased' });
    expect(() => interpolated(host?.environment, {})).toThrow('docs/scaling.md');
    expect(() => interpolated(notary?.environment, {})).toThrow('docs/scaling.md');
  });

  const [makeEnv = '', scale = ''] = [...containers.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, code]) => code);

  it('gets its tokens from the file that the documented command makes, once and for its owner only', () => {
    const folder = mkdtempSync(join(tmpdir(), 'credence-compose-'));
    const [command = '', up] = makeEnv.trim().split('\n');
    expect(up).toMatch(/^docker compose up/);
    const run = () => spawnSync('sh', ['-c', command], { cwd: folder, encoding: 'utf8' });
    const path = join(folder, '.env');
    expect(run()).toMatchObject({ status: 0, stdout: '', stderr: '' });
    const written = readFileSync(path, 'utf8');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(run().status).not.toBe(0);
    expect(readFileSync(path, 'utf8')).toBe(written);
    rmSync(folder, { recursive: true });

    const env = readEnvFile(written);
    const { host, notary } = compose.services;
    const { ADMIN_TOKEN } = readEnvironment(interpolated(host?.environment, env));
    const { NOTARY_TOKENS } = readNotaryEnvironment(interpolated(notary?.environment, env));
    expect([ADMIN_TOKEN, ...NOTARY_TOKENS]).toEqual([env.ADMIN_TOKEN, env.NOTARY_TOKENS]);
    expect(ADMIN_TOKEN).toHaveLength(32);
    expect(ADMIN_TOKEN).not.toBe(env.NOTARY_TOKENS);
    expect(read('.gitignore').split('\n')).toContain('.env');
    expect(read('.dockerignore')).toMatch(/^\*$/m);
    expect(read('.dockerignore')).not.toContain('.env');
  });

  it('has a port for each of several hosts, on this machine only', () => {
    const [, range = '', first, last, hosts] =
      /^HOST_PORTS=((\d+)-(\d+)) docker .* --scale host=(\d+)$/m.exec(scale) ?? [];
    expect(Number(last) - Number(first) + 1).toBe(Number(hosts));
    const { host, notary } = compose.services;
    const [port] = host?.ports ?? [];
    // The long form: Compose hands the range of a short one to the first container whole.
    if (typeof port !== 'object') throw new Error('The port of the host is not in the long form.');
    expect([port.target, port.host_ip]).toEqual([3000, '127.0.0.1']);
    expect(interpolate(port.published, {})).toBe('3000');
    expect(interpolate(port.published, { HOST_PORTS: range })).toBe(range);
    expect(notary?.ports).toEqual([expect.stringMatching(/^127\.0\.0\.1:/)]);
  });

  it("takes an operator's own key and lists of notaries without being edited", () => {
    const own = readEnvFile(/```ini\n([\s\S]*?)```/.exec(containers)?.[1] ?? '');
    const { host } = compose.services;
    const environment = interpolated(host?.environment, { ADMIN_TOKEN: 'a-token-from-outside', ...own });
    expect(environment).toMatchObject(
      Object.fromEntries(Object.entries(own).filter(([name]) => name !== 'CONFIG_DIR')),
    );
    const { ZK_ARTIFACTS_DIR, REMOTE_NOTARIES_FILE, TRUSTED_NOTARIES_FILE } = readEnvironment(environment);
    const mounts = host?.volumes?.map((volume) => interpolate(volume, own).split(':'));
    expect(mounts).toContainEqual([own.CONFIG_DIR, '/config', 'ro']);
    for (const path of [ZK_ARTIFACTS_DIR, REMOTE_NOTARIES_FILE, TRUSTED_NOTARIES_FILE]) {
      expect(path).toMatch(/^\/config\//);
    }
    expect(environment.SERVICES).toContain('zk-prover');
    // A name without a slash would be a volume's.
    expect(own.CONFIG_DIR).toMatch(/^\.\//);
  });
});

describe('Dockerfile', () => {
  const dockerfile = read('Dockerfile');

  it('has the stages that are built, runs what exists, and not as root', () => {
    const stages = dockerfile.split(/^FROM /m).slice(1);
    const named = new Map(stages.map((stage) => [/ AS (\w+)/.exec(stage)?.[1], stage]));
    for (const target of ['host', 'notary']) {
      const stage = named.get(target) ?? '';
      expect(stage).toMatch(/^USER node$/m);
      const entry = /CMD \["node", "([^"]+)"\]/.exec(stage)?.[1] ?? 'none';
      expect(existsSync(new URL(entry, root)), entry).toBe(true);
      const copied = copiedBy(`${named.get('base')}${stage}`);
      const missing = reachableFrom(entry).filter((path) => !copied.some((folder) => path.startsWith(`${folder}/`)));
      expect(missing).toEqual([]);
    }
    expect(named.get('base')).toMatch(/HEALTHCHECK/);
  });

  it('installs the optional packages of the host with the others, as locked, and loads each', () => {
    const { peerDependenciesMeta, devDependencies } = JSON.parse(read('package.json')) as {
      readonly peerDependenciesMeta: object;
      readonly devDependencies: Readonly<Record<string, string>>;
    };
    const lines = dockerfile.replaceAll('\\\n', ' ').split('\n');
    const [, named = ''] = /^RUN for name in ([^;]+);/m.exec(lines.join('\n')) ?? [];
    // The host is Fastify's; the test runner is for users of the contract suites.
    const peers = Object.keys(peerDependenciesMeta).filter((name) => name !== 'vitest' && name !== 'express');
    // The image runs the sources, which take the reader of /docs from its package.
    const optional = [...peers, '@scalar/fastify-api-reference'];
    expect(named.split(' ')).toEqual(expect.arrayContaining(optional));
    expect(named.split(' ')).toHaveLength(optional.length);
    const { packages } = JSON.parse(read('package-lock.json')) as { readonly packages: object };
    for (const name of optional) {
      // Ranges that the lock file has an answer to.
      expect(Object.keys(devDependencies)).toContain(name);
      expect(Object.keys(packages)).toContain(`node_modules/${name}`);
    }
    const [, loaded = ''] = /^RUN node .*\bof \[([^\]]*)\]\) await import\(name\);/m.exec(lines.join('\n')) ?? [];
    expect(loaded).toBe(optional.map((name) => `'${name}'`).join(', '));
    // A version written here would go its own way, and a second tree would bring other versions of what both need.
    const installing = lines.filter((line) => /^RUN .*\bnpm install\b/.test(line));
    expect(installing).toHaveLength(1);
    expect(installing[0]).toMatch(/npm install --omit=dev --no-audit --no-fund\s*$/);
    expect(installing[0]).not.toMatch(/\d\.\d|--prefix|\bcp\b/);
  });

  it('copies what the ignore file lets through', () => {
    const allowed = [...read('.dockerignore').matchAll(/^!(.+)$/gm)].map(([, path]) => path);
    const copied = copiedBy(dockerfile);
    expect(copied.length).toBeGreaterThan(6);
    for (const path of copied) {
      expect(existsSync(new URL(path, root)), path).toBe(true);
      expect(
        [path, path.split('/')[0]].some((one) => allowed.includes(one)),
        path,
      ).toBe(true);
    }
  });

  it('sets variables that the hosts know', () => {
    const known = [...names(describeEnvironment()), ...names(describeNotaryEnvironment()), 'NODE_ENV'];
    for (const [, line = ''] of dockerfile.matchAll(/^ENV (.+)$/gm)) {
      for (const pair of line.split(' ')) expect(known).toContain(pair.split('=')[0]);
    }
  });
});
