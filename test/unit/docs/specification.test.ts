/** The pages of rules name what the code has. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ATTEMPT_STATE_NAMES } from '../../../core/engagement/attempts/states.ts';
import { EVENT_NAMES } from '../../../core/engagement/webhooks/outbox.ts';
import { ERROR_CATALOGUE } from '../../../core/errors.ts';
import { createCredence } from '../../../plugins/compose/index.ts';

const page = (name: string) => readFileSync(new URL(`../../../docs/specification/${name}.md`, import.meta.url), 'utf8');
const engagement = page('engagement');
const webProofs = page('web-proofs');
const both = engagement + webProofs;

const { routes } = createCredence({
  services: ['engagement', 'web-prover', 'zk-prover'],
  secrets: { key: new Uint8Array(32) },
  zk: { prover: 'fake' },
});
const served = routes.map(({ method, path }) => `${method} ${path}`);

describe('the pages of rules', () => {
  it('name routes that are served', () => {
    const named = [...both.matchAll(/`(GET|POST|PATCH|DELETE) (\/[^`?]+)`/g)].map(
      ([, method, path]) => `${method} ${path}`,
    );
    expect(named.length).toBeGreaterThan(40);
    expect(named.filter((route) => !served.includes(route))).toEqual([]);
  });

  it('name every state and every event', () => {
    const [states = ''] = /^The states are [\s\S]*?\./m.exec(engagement) ?? [];
    expect([...states.matchAll(/`(\w+)`/g)].map(([, state]) => state)).toEqual([...ATTEMPT_STATE_NAMES]);
    const events = [...engagement.matchAll(/^\| `(\w+\.\w+)` \|/gm)].map(([, name]) => name);
    expect(events).toEqual([...EVENT_NAMES]);
  });

  it('name codes with the statuses that they have', () => {
    const rows = both.split('\n').filter((line) => line.startsWith('| '));
    const named = rows.flatMap((row) => {
      const status = / (\d{3}) \|/.exec(row)?.[1];
      const code = / `([A-Z]+(?:_[A-Z]+)*)` \|/.exec(row)?.[1];
      return status === undefined || code === undefined ? [] : [[code, Number(status)] as const];
    });
    expect(named.length).toBeGreaterThan(8);
    for (const [code, status] of named) {
      expect(ERROR_CATALOGUE[code as keyof typeof ERROR_CATALOGUE]?.status, code).toBe(status);
    }
  });
});
