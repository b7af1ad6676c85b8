/** The pages about running Credence, and the containers, held against the code. */
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { describeNotaryEnvironment } from '../../../hosts/notary/environment.ts';
import { describeEnvironment, readEnvironment } from '../../../hosts/standalone/environment.ts';
import { readSources } from '../../arch/source-graph.ts';

const root = new URL('../../../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), 'utf8');
const names = (description: string) => [...description.matchAll(/^ {2}([A-Z_]+)\b/gm)].map(([, name]) => name);

interface Service {
  readonly image?: string;
  readonly build?: { readonly context: string; readonly target: string };
  readonly environment?: Readonly<Record<string, string>>;
  readonly volumes?: readonly string[];
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly healthcheck?: object;
}

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

describe('the page of guarantees', () => {
  it('names tests that exist', () => {
    const named = [...read('docs/guarantees.md').matchAll(/`(test\/[^`]+)`/g)].map(([, path = '']) => path);
    expect(named.length).toBeGreaterThan(15);
    for (const path of named) expect(existsSync(new URL(path, root)), path).toBe(true);
  });
});

describe('the page about several processes', () => {
  it('names settings and metrics that exist', () => {
    const page = read('docs/scaling.md');
    // The last one is Node's own.
    const known = [...names(describeEnvironment()), ...names(describeNotaryEnvironment()), 'UV_THREADPOOL_SIZE'];
    for (const [, name] of page.matchAll(/`([A-Z]+(?:_[A-Z]+)+)[`=]/g)) expect(known).toContain(name);
    const metrics = read('adapters/telemetry/index.ts');
    for (const [, name = ''] of page.matchAll(/`(credence_\w+)/g)) expect(metrics).toContain(`'${name}'`);
  });
});

describe('docker-compose.yml', () => {
  const compose = parse(read('docker-compose.yml')) as {
    readonly services: Readonly<Record<string, Service>>;
    readonly volumes: object;
  };

  it('has the four services; what one waits for can be healthy; volumes are declared', () => {
    expect(Object.keys(compose.services).sort()).toEqual(['host', 'mongodb', 'notary', 'redis']);
    for (const { depends_on = {}, volumes = [] } of Object.values(compose.services)) {
      for (const other of Object.keys(depends_on)) expect(compose.services[other]?.healthcheck).toBeDefined();
      for (const volume of volumes) expect(Object.keys(compose.volumes)).toContain(volume.split(':')[0]);
    }
  });

  it('sets what the hosts know, to what they take', () => {
    const { host, notary } = compose.services;
    expect(names(describeEnvironment())).toEqual(expect.arrayContaining(Object.keys(host?.environment ?? {})));
    expect(names(describeNotaryEnvironment())).toEqual(expect.arrayContaining(Object.keys(notary?.environment ?? {})));
    const filled = Object.entries(host?.environment ?? {}).map(([name, value]) => [
      name,
      value.replace(/\$\{\w+:-([^}]*)\}/, '$1').replace(/\$\{\w+:\?[^}]*\}/, 'a-token-from-outside'),
    ]);
    expect(readEnvironment(Object.fromEntries(filled))).toMatchObject({ JOB_QUEUE: 'leased' });
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
    const optional = Object.keys(peerDependenciesMeta).filter((name) => name !== 'vitest');
    expect(named.split(' ').sort()).toEqual(optional.sort());
    const { packages } = JSON.parse(read('package-lock.json')) as { readonly packages: object };
    for (const name of optional) {
      // Ranges that the lock file has an answer to.
      expect(Object.keys(devDependencies)).toContain(name);
      expect(Object.keys(packages)).toContain(`node_modules/${name}`);
      expect(lines.find((line) => line.startsWith('RUN node '))).toContain(`await import('${name}')`);
    }
    // A version written here would go its own way, and a second tree would bring other versions of what both need.
    const installing = lines.filter((line) => /^RUN .*\bnpm /.test(line));
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
      expect(allowed).toContain(path.split('/')[0]);
    }
  });

  it('sets variables that the hosts know', () => {
    const known = [...names(describeEnvironment()), ...names(describeNotaryEnvironment()), 'NODE_ENV'];
    for (const [, line = ''] of dockerfile.matchAll(/^ENV (.+)$/gm)) {
      for (const pair of line.split(' ')) expect(known).toContain(pair.split('=')[0]);
    }
  });
});
