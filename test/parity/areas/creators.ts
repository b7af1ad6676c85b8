import { expect } from 'vitest';
import { createCampaign, createCreator, expectKeys, expectPages } from '../fixtures.ts';
import type { Stage } from '../stage.ts';
import type { ParityWorld } from '../world.ts';

export async function creators(stage: Stage, { world, posts }: ParityWorld): Promise<void> {
  const body = { externalId: 'c-ada', platform: 'instagram', handle: '@Ada.Runs', displayName: 'Ada' };
  await stage.refuse('INVALID_REQUEST', 'registerCreator', { body: { ...body, displayname: 'Ada' } });
  const created = await stage.ok(201, 'registerCreator', { body });
  expectKeys(created, 'data');
  expectKeys(created.data, 'user socialAccount');
  expectKeys(created.data?.user, 'id externalId email');
  expectKeys(created.data?.socialAccount, 'id platform platformUsername profileData');
  expect(created.data?.socialAccount?.platformUsername).toBe('ada.runs');
  expect(created.data?.socialAccount?.profileData).toMatchObject({ biography: 'Outside, mostly.' });

  const again = await stage.ok(200, 'registerCreator', {
    body: { ...body, handle: 'ADA.runs', email: 'other@example.com', displayName: 'Other' },
  });
  expect(again).toEqual(created);
  const second = await stage.ok(201, 'registerCreator', {
    body: { externalId: 'c-ada', platform: 'tiktok', handle: 'ada_tok', email: 'late@example.com' },
  });
  expect(second.data?.user).toEqual(created.data?.user);
  await createCreator(stage, 'c-namesake', 'instagram', 'ada.runs');
  const mail = await stage.ok(201, 'registerCreator', {
    body: { externalId: 'c-mail', platform: 'tiktok', handle: 'mailed', email: 'me@example.com' },
  });
  expect(mail.data?.user?.email).toBe('me@example.com');

  const unnamed = { externalId: 'c-unnamed', platform: 'tiktok', handle: 'unnamed', displayName: '' };
  const nameless = await stage.ok(201, 'registerCreator', { body: unnamed });

  for (const wrong of [
    {},
    { externalId: 'x', platform: 'instagram' },
    { externalId: '', platform: 'instagram', handle: 'x' },
    { externalId: ' \t ', platform: 'instagram', handle: 'x' },
    { externalId: 'x', platform: 'myspace', handle: 'x' },
    { externalId: 'x', platform: 'instagram', handle: 'https://instagram.com/x' },
    { externalId: 'x', platform: 'instagram', handle: 'x', email: 'no mail' },
    { externalId: 7, platform: 'instagram', handle: 'x' },
    { externalId: { $gt: '' }, platform: 'instagram', handle: 'x' },
    { externalId: 'a\u0000b', platform: 'instagram', handle: 'x' },
    [],
    'text',
    null,
  ]) {
    await stage.refuse('INVALID_REQUEST', 'registerCreator', { body: wrong });
  }

  const rows = (await stage.ok(200, 'listCreators')).data;
  await expectPages(stage, 'listCreators');
  expectKeys(
    rows?.['0'],
    'userId externalId email displayName avatarUrl platform platformUsername connectedAt profileData totalAttempts totalVerified totalRewarded totalPoints',
  );

  const unnamedRow = { userId: nameless.data?.user?.id, displayName: null };
  expect(rows).toContainEqual(expect.objectContaining(unnamedRow));

  for (const [handle, verified] of [
    ['ada.runs', true],
    ['@ADA.RUNS', true],
    ['nobody.here', false],
    ['%', false],
  ] as const) {
    expect(await stage.ok(200, 'isHandleRegistered', { params: { handle } })).toEqual({ data: { verified } });
  }
  await stage.refuse('INVALID_REQUEST', 'isHandleRegistered', { params: { handle: 'x'.repeat(101) } });

  const userId = Number(created.data?.user?.id);
  world.addProfile({ platform: 'instagram', handle: 'ada.runs', bio: 'New bio', followers: 5 });
  world.addProfile({ platform: 'tiktok', handle: 'ada_tok', bio: 'Tok bio', followers: 6 });
  const refreshed = await stage.ok(200, 'refreshCreatorProfile', { params: { userId } });
  expect(refreshed.data).toMatchObject({ biography: 'Tok bio', followers: 6 });
  const empty = world.failures.add({ platform: 'tiktok', handle: 'ada_tok', shape: 'empty-profile' });
  expect((await stage.ok(200, 'refreshCreatorProfile', { params: { userId } })).data).toEqual({});
  world.failures.remove(empty);
  const lost = world.failures.add({ platform: 'instagram', handle: 'ada.runs', shape: 'not-found' });
  const partly = await stage.ok(200, 'refreshCreatorProfile', { params: { userId } });
  expect(partly.data).toMatchObject({ biography: 'Tok bio' });
  expect(partly.warning).toContain('@ada.runs on Instagram (PROFILE_NOT_FOUND)');
  world.failures.remove(lost);
  const gone = await createCreator(stage, 'c-gone', 'instagram', 'never_was');
  await stage.refuse('PROFILE_NOT_FOUND', 'refreshCreatorProfile', { params: { userId: gone } });
  await stage.refuse('NOT_FOUND', 'refreshCreatorProfile', { params: { userId: 999_999 } });
  for (const wrong of ['0', '-1', '1e3', '0x1', 'abc', '99999999999999999999', '1.0']) {
    await stage.refuse('INVALID_REQUEST', 'refreshCreatorProfile', { params: { userId: wrong } });
  }

  const link = { externalId: 'c-ada', platform: 'tiktok', handle: '@ADA_TOK' };
  const ended = await stage.ok(200, 'disconnectCreator', { body: link });
  expectKeys(ended.data, 'id platform platformUsername disconnectedAt');
  await stage.refuse('NOT_FOUND', 'disconnectCreator', { body: link });
  await stage.refuse('NOT_FOUND', 'disconnectCreator', { body: { ...link, externalId: 'nobody' } });
  await stage.refuse('INVALID_REQUEST', 'disconnectCreator', { body: { externalId: 'c-ada', platform: 'tiktok' } });
  const back = await stage.ok(200, 'registerCreator', { body: link });
  expect(back.data?.socialAccount?.id).toEqual(ended.data?.id);
  await stage.ok(200, 'disconnectCreator', { body: link });
  await stage.ok(200, 'disconnectCreator', {
    body: { externalId: 'c-ada', platform: 'instagram', handle: 'ada.runs' },
  });
  await stage.refuse('HANDLE_NOT_LINKED', 'refreshCreatorProfile', { params: { userId } });
  await stage.ok(200, 'listCreators');
  await externalIdsAreKept(stage);
  await personalData(stage, posts.instagram.url);
}

/** Exported whole, erased for good, and erased once more with nothing left to erase. */
async function personalData(stage: Stage, url: string): Promise<void> {
  const { challengeId } = await createCampaign(stage, 'erase', url);
  const body = { externalId: 'c-erase', platform: 'instagram', handle: 'dora_erased', displayName: 'Dora' };
  const { data } = await stage.ok(201, 'registerCreator', { body });
  const params = { userId: Number(data?.user?.id) };
  const { data: attempt } = await stage.ok(201, 'createAttempt', { params: { challengeId }, body: params });
  const exported = await stage.ok(200, 'exportCreator', { params });
  expectKeys(exported.data, 'creator accounts attempts connectionRequests comments likes deliveries');
  expect(exported.data).toMatchObject({
    creator: { externalId: 'c-erase', displayName: 'Dora' },
    accounts: [{ platformUsername: 'dora_erased' }],
    attempts: [{ id: attempt?.id, metadata: { platformUsername: 'dora_erased' } }],
  });
  const attemptId = Number(attempt?.id);
  const at = { params: { challengeId, attemptId } };
  await stage.ok(200, 'progressAttempt', { ...at, body: { action: 'claim_completion' } });
  await stage.until('getAttempt', at, ({ data: now }) => String(now?.state) === 'failed_retryable');
  const refused = await stage.refuse('CONFLICT', 'eraseCreator', { params });
  expect(refused.json.error?.details?.attempts?.['0']).toMatchObject({ attemptId, challengeId });
  await stage.ok(200, 'forceVerify', at);
  await stage.until('getAttempt', at, ({ data: now }) => String(now?.state) === 'rewarded');

  const erased = await stage.ok(200, 'eraseCreator', { params });
  expectKeys(erased.data, 'userId externalId comments likes deliveries');
  const kept = await stage.ok(200, 'exportCreator', { params });
  expect(kept.data).toMatchObject({
    creator: { id: params.userId, externalId: erased.data?.externalId, displayName: null },
    accounts: [{ profileData: {}, ownershipProven: false }],
    attempts: [{ id: attemptId, state: 'rewarded', pointsAwarded: 50 }],
  });
  expect(JSON.stringify(kept)).not.toMatch(/dora|c-erase\b/i);
  const again = await stage.ok(200, 'eraseCreator', { params });
  expect(again.data).toEqual({ ...erased.data, comments: 0, likes: 0, deliveries: 0 });
  const back = await stage.ok(201, 'registerCreator', { body });
  expect(back.data?.user?.id).not.toBe(params.userId);
  for (const operation of ['exportCreator', 'eraseCreator']) {
    await stage.refuse('NOT_FOUND', operation, { params: { userId: 999_999 } });
    await stage.refuse('INVALID_REQUEST', operation, { params: { userId: '0' } });
  }
}

/** An externalId is the customer's: blanks, case and form of its characters are part of it wherever it is named. */
async function externalIdsAreKept(stage: Stage): Promise<void> {
  const spellings = [
    'c-\u00e9',
    'C-\u00e9',
    'c-e\u0301',
    ' c-\u00e9',
    'c-\u00e9 ',
    '\tc-\u00e9\n',
    'c-\u00e9+',
    '%20c-\u00e9',
  ];
  const ids = new Set<number>();
  for (const [index, externalId] of spellings.entries()) {
    const body = { externalId, platform: 'instagram', handle: `spelt.${index}` };
    const made = await stage.ok(201, 'registerCreator', { body });
    expect(made.data?.user?.externalId).toBe(externalId);
    ids.add(Number(made.data?.user?.id));
  }
  expect(ids.size).toBe(spellings.length);
  for (const [index, externalId] of spellings.entries()) {
    const named = await stage.ok(200, 'listSocialAccounts', { query: { externalId } });
    const { data: token } = await stage.ok(201, 'createToken', { body: { name: 'x', role: 'creator', externalId } });
    expect(token?.externalId).toBe(externalId);
    const as = { token: String(token?.token) };
    expect(await stage.ok(200, 'listSocialAccounts', { as })).toEqual(named);
    expect(Object.values(named.data ?? {}).map(({ platformUsername }) => platformUsername)).toEqual([`spelt.${index}`]);
    await stage.refuse('FORBIDDEN', 'listSocialAccounts', { as, query: { externalId: `${externalId} ` } });
    await stage.ok(200, 'disconnectCreator', { body: { externalId, platform: 'instagram', handle: `spelt.${index}` } });
  }
  await stage.refuse('INVALID_REQUEST', 'listSocialAccounts', { query: { externalId: '  ' } });
  await stage.refuse('INVALID_REQUEST', 'connectSocialAccount', { body: { platform: 'instagram', externalId: '\t' } });
  await stage.refuse('INVALID_REQUEST', 'createToken', { body: { name: 'x', role: 'creator', externalId: ' ' } });
}
