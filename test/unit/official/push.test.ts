import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PushedChange, PushRequest } from '../../../core/ports/official-api.ts';
import { CONTROL_PREFIX } from '../../../hosts/platform-simulator/control.ts';
import { mediaIdOf, SIMULATED_APP } from '../../../hosts/platform-simulator/official/apps.ts';
import { createPlatformSimulator } from '../../../hosts/platform-simulator/server.ts';
import { anyCharacter } from '../../support/any-character.ts';
import { closingAfterEach } from '../../support/closing.ts';
import { withJunk } from '../../support/drift.ts';
import { OFFICIAL_PLATFORMS, officialApi } from '../../support/official.ts';
import type { SpecifiedPlatform } from '../../support/platforms.ts';
import { runs } from '../../support/property-runs.ts';
import { startReceiver } from '../../support/receiver.ts';

const NOW = new Date('2026-11-29T10:00:00Z');
const SECONDS = NOW.getTime() / 1_000;
const bytes = (value: unknown) => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value));
const sign = (text: string | Uint8Array, secret: string = SIMULATED_APP.appSecret) =>
  createHmac('sha256', secret).update(text).digest('hex');

const comment = (id: number | string, more: object = {}) => ({
  field: 'comments',
  value: { id: String(id), text: 'hi', from: { id: '99', username: 'Fan.One' }, media: { id: '18' }, ...more },
});
const delivery = (changes: readonly unknown[]) => ({
  object: 'instagram',
  entry: [{ id: '17841', time: SECONDS, changes }],
});
const CONTENT = {
  comment_id: '7100000000000000001',
  video_id: '7200000000000000001',
  comment_type: 'comment',
  comment_action: 'insert',
  timestamp: SECONDS,
  unique_identifier: 'uid-1',
  text: 'hi',
};
const event = (content: unknown, more: object = {}) => ({
  event: 'comment.update',
  create_time: SECONDS,
  user_openid: '_000abc',
  content,
  ...more,
});

const apis = { instagram: officialApi('instagram').push, tiktok: officialApi('tiktok').push };
const good: Readonly<Record<SpecifiedPlatform, Buffer>> = {
  instagram: bytes(delivery([comment(1)])),
  tiktok: bytes(event(JSON.stringify(CONTENT))),
};

function signed(
  platform: SpecifiedPlatform,
  body: Uint8Array,
  { at = SECONDS, secret = SIMULATED_APP.appSecret as string } = {},
): PushRequest {
  const headers: Record<string, string> =
    platform === 'instagram'
      ? { 'x-hub-signature-256': `sha256=${sign(body, secret)}` }
      : { 'tiktok-signature': `t=${at},s=${sign(Buffer.concat([bytes(`${at}.`), body]), secret)}` };
  return { body, headers, now: NOW };
}

describe.each(OFFICIAL_PLATFORMS)('what %s pushes', (platform) => {
  const push = apis[platform];

  it('is authentic with the secret of the app only, to the last byte', () => {
    const request = signed(platform, good[platform]);
    expect(push.isAuthentic(request)).toBe(true);
    expect(push.isAuthentic({ ...request, body: Buffer.concat([good[platform], bytes(' ')]) })).toBe(false);
    expect(push.isAuthentic(signed(platform, good[platform], { secret: 'another' }))).toBe(false);
    const [name, value = ''] = Object.entries(request.headers)[0] ?? ['', ''];
    for (const forged of [undefined, '', 'sha256=', value.slice(0, -1), `${value}0`, value.replace(/.$/, 'z')]) {
      expect(push.isAuthentic({ ...request, headers: { [name]: forged } }), String(forged)).toBe(false);
    }
    expect(push.isAuthentic({ ...request, headers: {} })).toBe(false);
  });

  it('is authentic or not, and never fails, whatever the header says', () => {
    const header = fc.string({ unit: anyCharacter, maxLength: 300 });
    fc.assert(
      fc.property(header, fc.uint8Array({ maxLength: 50 }), (value, body) => {
        const headers = { 'x-hub-signature-256': value, 'tiktok-signature': value };
        return push.isAuthentic({ body, headers, now: NOW }) === false;
      }),
      runs(200),
    );
  });

  it('is refused if it is no object of JSON', () => {
    for (const body of ['', 'null', '[]', '7', '{', '[['.repeat(200_000)]) {
      expect(() => push.read(bytes(body)), body.slice(0, 10)).toThrow('The body must be a JSON object.');
    }
    expect(() => push.read(Uint8Array.from([0x7b, 0xff, 0x7d]))).toThrow('JSON object');
  });

  it('says nothing of what is none of its events', () => {
    for (const body of [{}, { object: 'page', entry: [] }, { event: 'video.publish.completed', content: '{}' }]) {
      expect(push.read(bytes(body))).toEqual({ changes: [], unreadable: 0 });
    }
    const deep = `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`;
    for (const body of [`{"object":"instagram","entry":[${deep}]}`, `{"event":"comment.update","content":${deep}}`]) {
      expect(push.read(bytes(body)).changes).toEqual([]);
    }
  });

  it('is read or counted, whatever one field turns into', () => {
    const junk = fc.oneof(
      fc.constantFrom(undefined, null, '', 'abc', -1, 0, 1.5, 1e300, true, [], {}, [null], 'x'.repeat(50_000)),
      fc.jsonValue({ maxDepth: 3 }),
    );
    fc.assert(
      fc.property(junk, fc.nat(), (replacement, choice) => {
        const text = withJunk(String(good[platform]), choice, replacement);
        if (!text?.startsWith('{')) return;
        const { changes, unreadable } = push.read(bytes(text));
        expect(changes.length + unreadable).toBeLessThanOrEqual(1);
        for (const { commentId, postApiId, at, text: said } of changes) {
          expect([commentId, postApiId].every((id) => /^\d{1,30}$/.test(id))).toBe(true);
          expect(Number.isNaN(at.getTime()) || said.length > 10_000).toBe(false);
        }
      }),
      runs(300),
    );
  });
});

describe('a push of Instagram', () => {
  it('tells every comment, also those that come twice or out of order', () => {
    const { changes, unreadable } = apis.instagram.read(
      bytes(delivery([comment(2, { parent_id: '1' }), comment(1), comment(1), { field: 'mentions', value: {} }])),
    );
    expect(unreadable).toBe(0);
    const ids = changes.map(({ commentId, parentId }) => [commentId, parentId]);
    expect(ids).toEqual([
      ['2', '1'],
      ['1', null],
      ['1', null],
    ]);
    expect(changes[1]).toEqual({
      accountId: '17841',
      postApiId: '18',
      commentId: '1',
      action: 'added',
      at: NOW,
      parentId: null,
      handle: 'fan.one',
      scopedAuthorId: '1234567890/99',
      text: 'hi',
    } satisfies PushedChange);
  });

  it('holds a thousand changes, and those beyond are counted', () => {
    const many = (count: number) =>
      apis.instagram.read(bytes(delivery(Array.from({ length: count }, (_, n) => comment(n + 1)))));
    expect(many(1_000)).toMatchObject({ changes: { length: 1_000 }, unreadable: 0 });
    expect(many(1_003)).toMatchObject({ changes: { length: 1_000 }, unreadable: 3 });
  });

  it('counts the comments that cannot be read, and tells their neighbours', () => {
    const broken = [comment('x'), comment(2, { text: 7 }), comment(3, { media: null }), comment(4, { parent_id: {} })];
    const read = apis.instagram.read(bytes(delivery([...broken, comment(5)])));
    expect([read.changes.map(({ commentId }) => commentId), read.unreadable]).toEqual([['5'], 4]);
  });

  it('names the post that an advertisement shows', () => {
    const value = { media: { id: '18', ad_id: '7', original_media_id: '19' } };
    expect(apis.instagram.read(bytes(delivery([comment(1, value)]))).changes[0]?.postApiId).toBe('19');
  });

  it('is preceded by a challenge, which is answered for the right token only', () => {
    const asked = {
      'hub.mode': 'subscribe',
      'hub.verify_token': SIMULATED_APP.verifyToken,
      'hub.challenge': '115820',
    };
    expect(apis.instagram.answer?.(asked)).toBe('115820');
    const others = [
      {},
      { ...asked, 'hub.verify_token': 'another' },
      { ...asked, 'hub.verify_token': undefined },
      { ...asked, 'hub.mode': 'unsubscribe' },
      { ...asked, 'hub.challenge': '<script>' },
      { ...asked, 'hub.challenge': '1'.repeat(201) },
    ];
    for (const other of others) expect(apis.instagram.answer?.(other)).toBeNull();
  });
});

describe('a push of TikTok', () => {
  it.each([
    ['insert', 'added'],
    ['delete', 'removed'],
    ['set_to_hidden', 'hidden'],
    ['set_to_friends_only', 'hidden'],
    ['set_to_public', 'shown'],
  ])('tells %s as %s, in an object or in its text', (comment_action, action) => {
    const content = { ...CONTENT, comment_action };
    for (const body of [event(content), event(JSON.stringify(content))]) {
      expect(apis.tiktok.read(bytes(body))).toEqual({
        unreadable: 0,
        changes: [
          {
            accountId: '_000abc',
            postApiId: '7200000000000000001',
            commentId: '7100000000000000001',
            action,
            at: NOW,
            parentId: null,
            handle: '',
            scopedAuthorId: '1234567890/uid-1',
            text: 'hi',
          },
        ],
      });
    }
  });

  it('keeps the digits of ids that are written as numbers, and takes milliseconds', () => {
    const text = JSON.stringify({ ...CONTENT, timestamp: SECONDS * 1_000 }).replace(/"(7\d{18})"/g, '$1');
    const [change] = apis.tiktok.read(bytes(event(text))).changes;
    expect([change?.commentId, change?.at]).toEqual(['7100000000000000001', NOW]);
  });

  it('counts an action that nobody knows', () => {
    for (const comment_action of ['toString', 'pin', null]) {
      expect(apis.tiktok.read(bytes(event({ ...CONTENT, comment_action })))).toEqual({ changes: [], unreadable: 1 });
    }
  });

  it('is not authentic five minutes before or after its time', () => {
    const at = (seconds: number) => apis.tiktok.isAuthentic(signed('tiktok', good.tiktok, { at: SECONDS + seconds }));
    expect([-301, -300, 300, 301].map(at)).toEqual([false, true, true, false]);
  });
});

describe('the simulator pushes', () => {
  const closing = closingAfterEach();

  async function open(platform: SpecifiedPlatform) {
    const simulator = await createPlatformSimulator();
    const receiver = await startReceiver();
    closing.push(
      () => simulator.close(),
      () => receiver.close(),
    );
    const { world, instagramBaseUrl } = simulator;
    const account = world.official.connect(platform, 'maker.one');
    const post = world.addPost({ platform, owner: 'maker.one', comments: 3 });
    const api = officialApi(platform, simulator);
    closing.push(() => api.close());
    await api.push.subscribe({ connectionId: 1, brandId: 1, handle: 'maker.one', ...account }, receiver.url);
    // Instagram is told its receiver with the app.
    if (platform === 'instagram') world.official.receive(platform, receiver.url);
    const changes = () =>
      receiver.received.flatMap(({ body, headers }) => {
        const request = { body: bytes(body), headers: headers as Record<string, string>, now: new Date() };
        expect(api.push.isAuthentic(request)).toBe(true);
        return api.push.read(request.body).changes;
      });
    return { world, instagramBaseUrl, receiver, account, post, changes };
  }

  it.each(OFFICIAL_PLATFORMS)('what happens to comments of %s, until it is answered', async (platform) => {
    const { receiver, account, post, changes } = await open(platform);
    receiver.answers.push(503, 500);
    const id = post.thread.add({ handle: 'fan.one', text: 'Me!' });
    await receiver.waitFor(3);
    const postApiId = platform === 'instagram' ? mediaIdOf(post) : post.contentId;
    const { accountId } = account;
    expect(changes()[2]).toMatchObject({ accountId, postApiId, commentId: id, action: 'added', text: 'Me!' });
    expect(new Set(changes().map(({ commentId }) => commentId)).size).toBe(1);
    post.thread.hide(id, true);
    if (platform === 'tiktok') await receiver.waitFor(4);
    post.thread.remove(id);
    if (platform === 'tiktok') await receiver.waitFor(5);
    const actions = changes().map(({ action }) => action);
    expect(actions.slice(2)).toEqual(platform === 'tiktok' ? ['added', 'hidden', 'removed'] : ['added']);
    expect(() => post.thread.remove(id)).toThrow(RangeError);
  });

  it('to nobody who does not answer the challenge of Instagram', async () => {
    const { receiver, instagramBaseUrl } = await open('instagram');
    for (const url of [receiver.url, 'http://127.0.0.1:1/hook']) {
      const body = JSON.stringify({ platform: 'instagram', url });
      expect((await fetch(`${instagramBaseUrl}${CONTROL_PREFIX}receivers`, { method: 'POST', body })).status).toBe(400);
    }
  });
});
