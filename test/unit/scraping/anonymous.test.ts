import { expect, it } from 'vitest';
import { type AnonymousIdentity, createAnonymousIdentity } from '../../../adapters/scraping/anonymous.ts';
import { createIdentity } from '../../../adapters/scraping/identity.ts';

function world(ownAddresses: boolean): { anonymous: AnonymousIdentity; left: string[] } {
  const left: string[] = [];
  let seed = 0;
  const anonymous = createAnonymousIdentity({
    baseUrl: 'https://platform.test',
    random: {
      bytes: (length) => {
        seed += 1;
        return new Uint8Array(length).fill(seed);
      },
    },
    transport: {
      exchange: () => Promise.reject(new Error('not reached')),
      forget: async (connectionKey: string) => void left.push(connectionKey),
    } as never,
    ownAddresses,
  });
  return { anonymous, left };
}

it('is replaced once by one with another connection, however many report it', async () => {
  const { anonymous, left } = world(false);
  const first = anonymous.current();
  const rotated = [0, 1, 2].map(() => anonymous.rotate(first, async () => undefined));
  await Promise.all(rotated);
  const second = anonymous.current();
  expect(second).not.toBe(first);
  expect(second.connectionKey).not.toBe(first.connectionKey);
  expect(second.label).not.toBe(first.label);
  expect(left).toEqual([first.connectionKey]);
});

it('keeps its rate when the address stays, and has a new one with a new address', async () => {
  for (const ownAddresses of [false, true]) {
    const { anonymous } = world(ownAddresses);
    const first = anonymous.current();
    const forgotten: string[] = [];
    const key = anonymous.paceKey(first);
    await anonymous.rotate(first, async (paceKey) => void forgotten.push(paceKey));
    expect(anonymous.paceKey(anonymous.current()) === key).toBe(!ownAddresses);
    expect(forgotten).toEqual(ownAddresses ? [key] : []);
  }
});

it('shares no rate with a session', () => {
  const { anonymous } = world(false);
  const session = createIdentity({
    kind: 'session',
    label: 'session-1',
    connectionKey: 's1',
    baseUrl: 'https://platform.test',
  });
  expect(anonymous.paceKey(session)).toBe('session-1');
  expect(anonymous.paceKey(anonymous.current())).not.toBe('session-1');
});
