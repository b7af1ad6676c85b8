import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '../..');

/** Where the sources that must not know a platform are. */
const FOLDERS = ['core', 'plugins', 'hosts/standalone', 'adapters'];

/** Where a platform may be named, and why. */
const MAY_NAME: Readonly<Record<string, string>> = {
  'adapters/instagram/': 'its own folder',
  'adapters/tiktok/': 'its own folder',
  'adapters/youtube/': 'its own folder',
  'adapters/data-provider/': 'words the answers of a provider about each platform that it sells',
  'plugins/compose/built-in-platforms.ts': 'the platforms that are registered by default',
  'plugins/http/examples/': 'examples of the document',
  'hosts/standalone/platforms.ts': 'the platforms that the host knows',
  'hosts/standalone/variables.ts': 'their environment variables',
};

/** Made of the schema of the configuration, which has the names from their list. */
const GENERATED = 'plugins/compose/config-types.ts';

const sources = FOLDERS.flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => `${folder}/${name}`)
    .filter((path) => path !== GENERATED),
);
const named = sources.filter((path) => /instagram|tiktok|youtube/i.test(readFileSync(join(root, path), 'utf8')));
const isUnder = (path: string, place: string): boolean => path === place || path.startsWith(place);

describe('platforms', () => {
  it('are named nowhere but in their folders and in the lists of known ones, comments included', () => {
    expect(sources.length).toBeGreaterThan(300);
    const places = Object.keys(MAY_NAME);
    expect(named.filter((path) => !places.some((place) => isUnder(path, place)))).toEqual([]);
  });

  it('are named in every place that may name them', () => {
    const unused = Object.keys(MAY_NAME).filter((place) => !named.some((path) => isUnder(path, place)));
    expect(unused).toEqual([]);
  });
});
