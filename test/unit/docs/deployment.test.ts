/** The containers: what is started in them, and with which variables. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { readEnvironment, variableNames } from '../../../hosts/standalone/environment.ts';

const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');

it('docker-compose.yml sets variables that the host knows and accepts, and wants its tokens set', () => {
  const { services } = parse(read('docker-compose.yml')) as {
    readonly services: Readonly<Record<'host' | 'notary', { readonly environment: Readonly<Record<string, string>> }>>;
  };
  for (const { environment } of [services.host, services.notary]) {
    expect(variableNames).toEqual(expect.arrayContaining(Object.keys(environment)));
    expect(environment.ADMIN_TOKEN).toMatch(/:\?.*docs\/scaling\.md/);
    const filled = Object.entries(environment).map(([name, text]) => {
      return [
        name,
        text.replace(/\$\{\w+:([-?])([^}]*)\}/g, (_, kind, rest) => (kind === '-' ? rest : 'a-token-of-this-test')),
      ];
    });
    expect(() => readEnvironment(Object.fromEntries(filled))).not.toThrow();
  }
});

it('the Dockerfile starts the host of the build, and not as root', () => {
  const { exports } = JSON.parse(read('package.json')) as { exports: Record<string, { default?: string }> };
  const stage =
    read('Dockerfile')
      .split(/^FROM /m)
      .at(-1) ?? '';
  expect(stage).toMatch(/^USER node$/m);
  const started = /CMD \["node", "([^"]+)"\]/.exec(stage)?.[1];
  expect(exports['./host/main']?.default).toBe(`./${started}`);
});
