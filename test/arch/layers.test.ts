import { describe, expect, it } from 'vitest';
import { findCycle, readSources } from './source-graph.ts';

const LAYERS = ['core', 'adapters', 'plugins', 'hosts'] as const;
const sources = readSources(...LAYERS);
const layerOf = (path: string) => LAYERS.indexOf(path.split('/', 1)[0] as (typeof LAYERS)[number]);

describe('layers', () => {
  it('reads the sources', () => {
    expect(sources.length).toBeGreaterThan(50);
    expect(sources.find(({ path }) => path === 'plugins/http/dispatcher.ts')?.imports).toContain('core/errors.ts');
  });

  it('imports point inward only', () => {
    const outward = sources.flatMap(({ path, imports }) =>
      imports
        .filter((target) => layerOf(target) === -1 || layerOf(target) > layerOf(path))
        .map((target) => `${path} -> ${target}`),
    );
    expect(outward).toEqual([]);
  });

  it('the core imports nothing but zod and @noble', () => {
    const allowed = /^(zod|@noble\/(hashes|curves|ciphers)\/.+)$/;
    const foreign = sources
      .filter(({ path }) => path.startsWith('core/'))
      .flatMap(({ path, packages }) =>
        packages.filter((name) => !allowed.test(name)).map((name) => `${path} -> ${name}`),
      );
    expect(foreign).toEqual([]);
  });

  it('the core uses no decorators and no process', () => {
    const offenders = sources
      .filter(({ path }) => path.startsWith('core/'))
      .filter(({ code }) => /^\s*@\w+\(/m.test(code) || /\bprocess\.|\bBuffer\b/.test(code))
      .map(({ path }) => path);
    expect(offenders).toEqual([]);
  });

  it('the core names no route of the HTTP API in what it says', () => {
    const route = /\b(?:GET|POST|PUT|PATCH|DELETE|HEAD) \/|['"`\s]\/(?:admin|social-accounts|web-proofs|v1|api)\/?\b/;
    const naming = sources
      .filter(({ path }) => path.startsWith('core/'))
      .filter(({ code }) => code.split('\n').some((line) => !/^import\b|\bfrom '/.test(line) && route.test(line)))
      .map(({ path }) => path);
    expect(naming).toEqual([]);
  });

  it('a use case takes its dependencies as one object, `deps`', () => {
    const declared =
      /^export (?:async )?function (\w+)(?:<[^>]*>)?\(\s*(\w+|\{[^}]*\}): (?:Pick<)?\w+(?:Deps|Dependencies)\b/gm;
    const others = sources
      .filter(({ path }) => path.startsWith('core/'))
      .flatMap(({ path, code }) => [...code.matchAll(declared)].map(([, name, taken]) => ({ path, name, taken })))
      .filter(({ taken }) => taken !== 'deps');
    expect(others).toEqual([]);
    // Without another kind of parameter beside it: stores and ports are part of the dependencies.
    const bound = sources.filter(({ path }) => /^core\/(engagement|lookups|access)\/index\.ts$/.test(path));
    expect(bound.map(({ path }) => path)).toHaveLength(3);
    const loose = bound.flatMap(({ code }) =>
      [...code.matchAll(/: (\w+)\((?!deps\)|\{ \.\.\.deps\b)[^)]*\)/g)].map(([text]) => text),
    );
    expect(loose).toEqual([]);
  });

  it('one adapter does not reach into another: it imports the other by its index', () => {
    const reaching = sources.flatMap(({ path, imports }) => {
      const own = path.split('/').slice(0, 2).join('/');
      return imports
        .filter(
          (target) => target.startsWith('adapters/') && !target.startsWith(`${own}/`) && path.startsWith('adapters/'),
        )
        .filter((target) => !target.endsWith('/index.ts'))
        .map((target) => `${path} -> ${target}`);
    });
    expect(reaching).toEqual([]);
  });

  it('the container is asked in plugins/compose only', () => {
    const offenders = sources.filter(
      ({ path, packages, code }) =>
        !/^plugins\/(?:compose|kit)\//.test(path) && (packages.includes('inversify') || /container\.get/i.test(code)),
    );
    expect(offenders.map(({ path }) => path)).toEqual([]);
  });

  it('a plugin imports the library by its kit only, and the library no plugin', () => {
    const PLUGINS = ['plugins/blind-notary/', 'plugins/console/', 'adapters/groth16-prover/'];
    const pluginOf = (path: string) => PLUGINS.find((folder) => path.startsWith(folder));
    // The app for browsers is bundled.
    const loaded = sources.filter(({ path }) => !path.startsWith('plugins/console/app/'));
    const crossing = loaded.flatMap(({ path, imports }) =>
      imports.filter((target) => pluginOf(target) !== pluginOf(path)).map((target) => `${path} -> ${target}`),
    );
    expect(crossing).toEqual([]);
  });

  // Bundlers try to resolve such a literal, and a CommonJS bundle has no `import.meta.url`: the package would not load.
  it('finds a file beside a module by `fileBeside` only', () => {
    const literal = /\bnew URL\([^;]*?\bimport\.meta\.url/;
    expect(literal.test("const FOLDER = new URL('files/', import.meta.url);")).toBe(true);
    // The demonstration is not in the package.
    const shipped = sources.filter(({ path }) => !path.startsWith('hosts/demo/'));
    expect(shipped.filter(({ code }) => literal.test(code)).map(({ path }) => path)).toEqual([]);
  });

  it('has no import cycles', () => {
    expect(findCycle(sources)).toBeNull();
  });

  it('finds a cycle where there is one', () => {
    const file = (path: string, ...imports: string[]) => ({ path, code: '', imports, packages: [] });
    expect(findCycle([file('a', 'b'), file('b', 'c'), file('c', 'b')])).toEqual(['b', 'c', 'b']);
  });
});
