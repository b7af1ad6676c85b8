import { afterEach, beforeEach, expect, it } from 'vitest';
import { createEngagementWorld, type EngagementWorld } from '../../support/engagement-world.ts';

let world: EngagementWorld;
beforeEach(async () => {
  world = await createEngagementWorld();
});
afterEach(() => world.close());

it('a token is shown once and recognised by its hash', async () => {
  const { token, stored } = await world.createToken({ name: 'app', role: 'creator', externalId: 'ext-1' });
  expect(token).toMatch(/^crd_[A-Za-z0-9_-]{43}$/);
  expect(JSON.stringify(await world.listTokens())).not.toContain(token.slice(4));
  expect(await world.authenticate(token)).toEqual({
    role: 'creator',
    externalId: 'ext-1',
    tokenId: stored.id,
    key: `token:${stored.id}`,
  });
  expect(await world.authenticate(`${token}x`)).toBeNull();
  expect(await world.authenticate(stored.hash)).toBeNull();
});

it('tokens are unlike each other', async () => {
  const made = await Promise.all(Array.from({ length: 50 }, () => world.createToken({ name: 'x', role: 'client' })));
  expect(new Set(made.map(({ token }) => token)).size).toBe(50);
});

it('externalId belongs to creators, and to them only', async () => {
  const refusal = {
    code: 'INVALID_REQUEST',
    message: 'externalId is required for role "creator" and belongs to no other role.',
  };
  await expect(world.createToken({ name: 'x', role: 'creator' })).rejects.toMatchObject(refusal);
  await expect(world.createToken({ name: 'x', role: 'admin', externalId: 'e' })).rejects.toMatchObject(refusal);
});

it('a revoked token is nobody, and no token revokes itself', async () => {
  const mine = await world.createToken({ name: 'mine', role: 'admin' });
  const other = await world.createToken({ name: 'other', role: 'admin' });
  const caller = await world.authenticate(mine.token);
  await expect(world.revokeToken({ tokenId: mine.stored.id, caller })).rejects.toMatchObject({
    code: 'CONFLICT',
    message: 'This token makes the request itself: revoke it with another admin token.',
  });
  const revoked = await world.revokeToken({ tokenId: other.stored.id, caller });
  expect(revoked.revokedAt).toEqual(world.now());
  expect(await world.authenticate(other.token)).toBeNull();
  world.pass(1000);
  expect((await world.revokeToken({ tokenId: other.stored.id, caller })).revokedAt).toEqual(revoked.revokedAt);
  await expect(world.revokeToken({ tokenId: 99, caller })).rejects.toMatchObject({
    code: 'NOT_FOUND',
    message: 'There is no token 99.',
  });
  const late = { tokenId: other.stored.id, role: 'admin', externalId: null, key: 'token:late' } as const;
  await expect(world.revokeToken({ tokenId: mine.stored.id, caller: late })).rejects.toMatchObject({
    code: 'UNAUTHORIZED',
    message: 'The token of this request was revoked meanwhile.',
  });
  expect(await world.authenticate(mine.token)).not.toBeNull();
  // Whom the embedding application vouches for is no token.
  expect((await world.revokeToken({ tokenId: mine.stored.id, caller: null })).revokedAt).toEqual(world.now());
});
