import { describe, expect, it } from 'vitest';
import type { StoredComment, SweepProgress } from '../../../core/engagement/challenge-data/comment.ts';
import { textKeyOf } from '../../../core/engagement/rules/comment-text.ts';
import {
  countComments,
  later,
  NASTY_TEXTS,
  newComment,
  newSweep,
  parallel,
  storedChallenge,
  T0,
  unique,
} from './samples.ts';
import { prepareStage, type StorageWorld } from './world.ts';

const textsOf = ({ username, withheld, visibilityAt }: StoredComment) => [username, withheld, visibilityAt];

export function commentStoreContract(create: () => Promise<StorageWorld>): void {
  describe('comments', () => {
    const stage = prepareStage(create);

    it('are inserted once by platformCommentId within their challenge; known ones stay unchanged', async () => {
      const { comments } = stage.storage;
      const [one, two] = [await storedChallenge(stage.storage), await storedChallenge(stage.storage)];
      const first = newComment({ commentText: 'first' });
      expect(await comments.insertNew(one, [first, newComment(), { ...first, commentText: 'twin' }], later(1))).toBe(2);
      expect(await comments.insertNew(one, [{ ...first, commentText: 'edited' }], later(2))).toBe(0);
      expect(await comments.insertNew(two, [first], later(1))).toBe(1);
      expect(await comments.insertNew(two, [], T0)).toBe(0);
      expect(await countComments(comments, one)).toBe(2);
      const { items } = await stage.other.comments.page(one, { page: 1, limit: 10 });
      expect(items.find((item) => item.platformCommentId === first.platformCommentId)).toEqual({
        ...first,
        id: expect.any(Number),
        challengeId: one,
        createdAt: later(1),
      });
    });

    it('concurrent inserts of overlapping pages store each comment once', async () => {
      const challengeId = await storedChallenge(stage.storage);
      const all = Array.from({ length: 370 }, () => newComment());
      const before = await stage.world.count('comments');
      const counts = await parallel(3, (index) => {
        return stage.turn(index).comments.insertNew(challengeId, all.slice(index * 50, index * 50 + 270), T0);
      });
      expect(counts.reduce((sum, n) => sum + n, 0)).toBe(370);
      expect(await stage.world.count('comments')).toBe(before + 370);
      expect(await countComments(stage.storage.comments, challengeId)).toBe(370);
    });

    it('page and count: the total follows what other processes store', async () => {
      const challengeId = await storedChallenge(stage.storage);
      const total = async () => {
        const { total: ofPage } = await stage.storage.comments.page(challengeId, { page: 1, limit: 1 });
        expect(await countComments(stage.storage.comments, challengeId)).toBe(ofPage);
        return ofPage;
      };
      expect(await total()).toBe(0);
      for (let stored = 1; stored <= 3; stored += 1) {
        await stage.other.comments.insertNew(challengeId, [newComment()], T0);
        expect(await total()).toBe(stored);
        expect(await total()).toBe(stored);
      }
      await Promise.all([
        parallel(6, (index) => stage.turn(index).comments.insertNew(challengeId, [newComment(), newComment()], T0)),
        parallel(6, () => countComments(stage.storage.comments, challengeId)),
      ]);
      expect(await total()).toBe(15);
    });

    it('page: newest first, then by descending id', async () => {
      const challengeId = await storedChallenge(stage.storage);
      const texts = ['a', 'b', 'c', 'd'];
      const times = [1, 3, 3, 2];
      for (const [index, commentText] of texts.entries()) {
        const comment = newComment({ commentText, commentedAt: later(times[index] ?? 0) });
        await stage.storage.comments.insertNew(challengeId, [comment], T0);
      }
      const first = await stage.storage.comments.page(challengeId, { page: 1, limit: 3 });
      expect(first.items.map((item) => item.commentText)).toEqual(['c', 'b', 'd']);
      expect(first.total).toBe(4);
      const second = await stage.storage.comments.page(challengeId, { page: 2, limit: 3 });
      expect(second.items.map((item) => item.commentText)).toEqual(['a']);
      expect((await stage.storage.comments.page(challengeId, { page: 9e15, limit: 100 })).items).toEqual([]);
    });

    it('page: those that were met since a time, without what is removed', async () => {
      const { comments } = stage.storage;
      const challengeId = await storedChallenge(stage.storage);
      const ids = ['old', 'met', 'hidden', 'removed', 'new'];
      const all = ids.map((platformCommentId) => newComment({ platformCommentId }));
      await comments.insertNew(challengeId, all.slice(0, 4), T0);
      await comments.insertNew(challengeId, all.slice(1), later(5));
      await comments.insertNew(await storedChallenge(stage.storage), all, later(9));
      for (const withheld of ['hidden', 'removed'] as const)
        await comments.withhold(challengeId, [{ platformCommentId: withheld, withheld, at: later(6) }]);
      const metSince = async (seconds: number) => {
        const page = { page: 1, limit: 9 };
        const { items, total } = await stage.other.comments.page(challengeId, page, { metSince: later(seconds) });
        expect(total).toBe(items.length);
        return items.map(({ platformCommentId }) => platformCommentId).toSorted();
      };
      expect(await metSince(0)).toEqual(['hidden', 'met', 'new', 'old']);
      expect(await metSince(5)).toEqual(['hidden', 'met', 'new']);
      expect(await metSince(6)).toEqual([]);
    });

    it.each(NASTY_TEXTS)('text is data: %.30j', async (nasty) => {
      const challengeId = await storedChallenge(stage.storage);
      const comment = newComment({ platformCommentId: unique(nasty), username: nasty, commentText: nasty });
      expect(await stage.storage.comments.insertNew(challengeId, [comment], T0)).toBe(1);
      expect(await stage.storage.comments.insertNew(challengeId, [comment], T0)).toBe(0);
      const { items } = await stage.storage.comments.page(challengeId, { page: 1, limit: 10 });
      expect(items).toMatchObject([comment]);
      const found = await stage.storage.comments.earliestByAuthors(challengeId, [nasty.toLowerCase()]);
      expect([...found.values()]).toEqual(items);
    });

    it('knownAmong: those that are stored for the challenge', async () => {
      const challengeId = await storedChallenge(stage.storage);
      const [one, two] = [newComment(), newComment()];
      await stage.storage.comments.insertNew(challengeId, [one], T0);
      await stage.storage.comments.insertNew(await storedChallenge(stage.storage), [two], T0);
      const ids = [two, one].map(({ platformCommentId }) => platformCommentId);
      expect(await stage.other.comments.knownAmong(challengeId, ids)).toEqual(new Set([one.platformCommentId]));
      expect(await stage.other.comments.knownAmong(challengeId, [])).toEqual(new Set());
      expect(await stage.other.comments.knownAmong(challengeId, ids, T0)).toEqual(new Set([one.platformCommentId]));
      expect(await stage.other.comments.knownAmong(challengeId, ids, later(0.001))).toEqual(new Set());
    });

    it('knownAmong: known comments that were met again, after they were stored', async () => {
      const { comments } = stage.storage;
      const challengeId = await storedChallenge(stage.storage);
      const all = Array.from({ length: 60 }, () => newComment());
      const idsOf = (some: typeof all) => new Set(some.map(({ platformCommentId }) => platformCommentId));
      await comments.insertNew(challengeId, all.slice(0, 50), T0);
      await comments.insertNew(await storedChallenge(stage.storage), all, later(9));
      // Full statements of them and single ones, known and new.
      expect(await comments.insertNew(challengeId, all.slice(3, 57), later(5))).toBe(7);
      expect(await comments.insertNew(challengeId, all.slice(0, 1), later(7))).toBe(0);
      const metSince = (seconds: number) =>
        stage.other.comments.knownAmong(challengeId, [...idsOf(all)], later(seconds));
      expect(await metSince(5)).toEqual(idsOf([...all.slice(0, 1), ...all.slice(3, 57)]));
      expect(await metSince(6)).toEqual(idsOf(all.slice(0, 1)));
      expect(await metSince(8)).toEqual(new Set());
      expect(await countComments(comments, challengeId)).toBe(57);
      const { items } = await comments.page(challengeId, { page: 1, limit: 100 });
      expect(items.filter(({ createdAt }) => createdAt.getTime() === T0.getTime())).toHaveLength(50);
      expect(Object.keys(items[0] ?? {})).not.toContain('metAt');
    });

    it('scoped ids of authors: stored, completed, and looked for', async () => {
      const { comments } = stage.storage;
      const challengeId = await storedChallenge(stage.storage);
      const first = newComment({ username: '', authorId: null, scopedAuthorId: 'app-1/5', commentText: '' });
      const second = newComment({ username: 'ann', commentedAt: later(9) });
      await comments.insertNew(challengeId, [first, second], T0);
      const told = { ...first, username: 'Bob', commentText: 'hi', scopedAuthorId: 'app-1/6' };
      await comments.insertNew(challengeId, [told, { ...second, scopedAuthorId: 'app-1/7' }], later(1));
      const keys = ['~app-1/5', '~app-1/6', '~app-1/7', 'bob'];
      const found = await stage.other.comments.earliestByAuthors(challengeId, keys);
      const bob = { username: 'Bob', commentText: 'hi', scopedAuthorId: 'app-1/5' };
      expect(Object.fromEntries(found)).toMatchObject({ '~app-1/5': bob, '~app-1/7': { username: 'ann' }, bob });
      expect(found.size).toBe(3);
    });

    it('withhold: what is hidden or removed decides nothing, and of two changes the later one stands', async () => {
      const { comments } = stage.storage;
      const challengeId = await storedChallenge(stage.storage);
      const [one, two] = [newComment({ username: 'ann' }), newComment({ username: 'ben' })];
      await comments.insertNew(challengeId, [one, two], T0);
      const change = (comment: typeof one, withheld: 'hidden' | 'removed' | null, seconds: number) =>
        stage.other.comments.withhold(challengeId, [
          { platformCommentId: comment.platformCommentId, withheld, at: later(seconds) },
        ]);
      const found = async () => [...(await comments.earliestByAuthors(challengeId, ['ann', 'ben', 'cat'])).keys()];
      await change(one, 'hidden', 5);
      expect(await found()).toEqual(['ben']);
      await change(one, null, 4);
      await change(two, 'removed', 6);
      expect(await found()).toEqual([]);
      const since = async (seconds: number) => (await comments.withheldSince(challengeId, later(seconds))).map(textsOf);
      expect(await since(5)).toEqual([
        ['ann', 'hidden', later(5)],
        ['ben', 'removed', later(6)],
      ]);
      expect(await since(6)).toEqual([['ben', 'removed', later(6)]]);
      await change(one, null, 7);
      expect(await found()).toEqual(['ann']);
      // One that is deleted before it is stored.
      const third = newComment({ username: 'cat' });
      await change(third, 'removed', 8);
      await comments.insertNew(challengeId, [third], later(9));
      expect(await found()).toEqual(['ann']);
      expect(await since(8)).toEqual([['cat', 'removed', later(8)]]);
      await change(newComment(), null, 8);
      expect(await countComments(comments, challengeId)).toBe(3);
      await comments.withhold(987_654, [{ platformCommentId: 'x', withheld: 'removed', at: T0 }]);
      expect(await comments.withheldSince(987_654, T0)).toEqual([]);
    });

    it('withheldSince: more of one time than one call gives', async () => {
      const { comments } = stage.storage;
      const challengeId = await storedChallenge(stage.storage);
      const all = Array.from({ length: 2_100 }, () => newComment({ scopedAuthorId: 'app-1/5' }));
      await comments.insertNew(challengeId, all, T0);
      await comments.withhold(challengeId, { unmetSince: later(1), now: later(2) });
      const found: string[] = [];
      for (let afterId = 0; ; ) {
        const some = await stage.other.comments.withheldSince(challengeId, later(2), afterId);
        found.push(...some.map(({ platformCommentId }) => platformCommentId));
        if (some.length < 1_000) break;
        afterId = some.at(-1)?.id ?? 0;
      }
      expect(found).toEqual(all.map(({ platformCommentId }) => platformCommentId));
      expect(await comments.withheldSince(challengeId, later(1), 1e15)).toHaveLength(1_000);
    });

    it('earliestByAuthors: hidden comments count where they are asked for, removed ones never', async () => {
      const { comments } = stage.storage;
      const challengeId = await storedChallenge(stage.storage);
      const [ann, ben] = ['ann', 'ben'].map((username, at) => {
        return newComment({ username, authorId: at === 0 ? '5' : null, scopedAuthorId: `app-1/${username}` });
      });
      await comments.insertNew(
        challengeId,
        [ann, ben, newComment({ username: 'cat' })].flatMap((one) => one ?? []),
        T0,
      );
      const withhold = (withheld: 'hidden' | 'removed', seconds: number) =>
        comments.withhold(
          challengeId,
          [ann, ben].map((one) => ({ platformCommentId: one?.platformCommentId ?? '', withheld, at: later(seconds) })),
        );
      const keys = ['ann', '#5', '~app-1/ben', 'cat'];
      const found = async (...how: ['unnumbered'?, boolean?]) =>
        [
          ...(await stage.other.comments.earliestByAuthors(challengeId, how[0] ? ['ben'] : keys, ...how)).keys(),
        ].toSorted();
      await withhold('hidden', 5);
      expect([await found(), await found('unnumbered')]).toEqual([['cat'], []]);
      expect([await found(undefined, true), await found('unnumbered', true)]).toEqual([keys.toSorted(), ['ben']]);
      await withhold('removed', 6);
      expect([await found(undefined, true), await found('unnumbered', true)]).toEqual([['cat'], []]);
    });

    it('countAround: the comments of the challenge near each of these times', async () => {
      const { comments } = stage.storage;
      const [one, two] = [await storedChallenge(stage.storage), await storedChallenge(stage.storage)];
      const at = (seconds: number) => newComment({ commentedAt: later(seconds) });
      await comments.insertNew(one, [at(0), at(0), at(5), at(6), at(100)], T0);
      await comments.insertNew(two, [at(0)], T0);
      const around = async (seconds: number[], withinMs: number, most = 9) => {
        const counts = await stage.other.comments.countAround(one, seconds.map(later), withinMs, most);
        return seconds.map((second) => counts.get(later(second).getTime()));
      };
      expect(await around([0, 5, 50, 100], 5_000)).toEqual([3, 4, 0, 1]);
      expect(await around([0, 5, 100], 5_000, 2)).toEqual([2, 2, 1]);
      expect(await around([0], 0)).toEqual([2]);
      expect(await around([], 5_000)).toEqual([]);
      expect(await comments.countAround(987_654, [T0], 5_000, 9)).toEqual(new Map([[T0.getTime(), 0]]));
    });

    it('withhold: what a whole list does not show any more, of comments with a scoped id; hidden ones as it says', async () => {
      const { comments } = stage.storage;
      const challengeId = await storedChallenge(stage.storage);
      const scoped = (name: string, isHidden = false) =>
        newComment({ username: name, scopedAuthorId: `app-1/${name}`, isHidden });
      const [ann, ben, cat] = [scoped('ann'), scoped('ben'), scoped('cat', true)];
      const reply = { ...scoped('eve'), isReply: true };
      await comments.insertNew(challengeId, [ann, ben, cat, newComment({ username: 'dan' }), reply], T0);
      await comments.insertNew(
        challengeId,
        [
          { ...ann, isHidden: true },
          { ...cat, isHidden: false },
        ],
        later(5),
      );
      await stage.other.comments.withhold(challengeId, { unmetSince: later(5), now: later(6), topLevelOnly: true });
      const { items } = await comments.page(challengeId, { page: 1, limit: 9 });
      expect(items.map(textsOf).toSorted()).toEqual([
        ['ann', 'hidden', later(5)],
        ['ben', 'removed', later(6)],
        ['cat', undefined, later(5)],
        ['dan', undefined, undefined],
        ['eve', undefined, undefined],
      ]);
    });

    it('earliestByAuthors: the earliest comment of each handle, case-insensitively', async () => {
      const challengeId = await storedChallenge(stage.storage);
      const wanted = newComment({ username: 'Al.Ice', commentedAt: later(2) });
      await stage.storage.comments.insertNew(
        challengeId,
        [
          newComment({ username: 'al.ice', commentedAt: later(5) }),
          wanted,
          newComment({ username: 'al.ice', commentedAt: later(2) }),
          newComment({ username: '@BOB' }),
          newComment({ username: 'alxice', commentedAt: T0 }),
          newComment({ username: 'ÉMILE' }),
        ],
        T0,
      );
      await stage.storage.comments.insertNew(
        await storedChallenge(stage.storage),
        [newComment({ username: 'carol' })],
        T0,
      );
      const found = await stage.other.comments.earliestByAuthors(challengeId, [
        'al.ice',
        'bob',
        'carol',
        'émile',
        'dora',
      ]);
      expect([...found.keys()].sort()).toEqual(['al.ice', 'bob', 'émile']);
      expect(found.get('al.ice')).toMatchObject({ platformCommentId: wanted.platformCommentId });
      expect(await stage.other.comments.earliestByAuthors(challengeId, [])).toEqual(new Map());
    });

    it('earliestByAuthors: 1,000 handles at most', async () => {
      const challengeId = await storedChallenge(stage.storage);
      const authors = Array.from({ length: 1_001 }, (_, index) => `author${index}`);
      const comments = authors.map((username) => newComment({ username }));
      await stage.storage.comments.insertNew(challengeId, comments, T0);
      const found = await stage.storage.comments.earliestByAuthors(challengeId, authors.slice(0, 1_000));
      expect(found.size).toBe(1_000);
      await expect(stage.storage.comments.earliestByAuthors(challengeId, authors)).rejects.toThrow('1000');
    });

    it('finds the earliest comment of each author, by handle and by number', async () => {
      const { comments } = stage.storage;
      const challengeId = await storedChallenge(stage.storage);
      const by = (username: string, authorId: string | null, seconds: number) =>
        newComment({ username, authorId, commentedAt: later(seconds) });
      const [late, early, renamed, plain, unnamed] = [
        by('Ada', '5', 9),
        by('ada', '99', 1),
        by('ada.new', '5', 3),
        by('ada', null, 4),
        by('', 'Uc7', 2),
      ];
      await comments.insertNew(challengeId, [late, early, plain, renamed, unnamed, by('ada', null, 2)], T0);
      await comments.insertNew(await storedChallenge(stage.storage), [by('ada', '5', 0)], T0);
      const found = await stage.other.comments.earliestByAuthors(challengeId, ['ada', '#5', '#Uc7', '#uc7', '5', '']);
      expect([...found].map(([author, { platformCommentId }]) => [author, platformCommentId])).toEqual([
        ['ada', early.platformCommentId],
        ['#5', renamed.platformCommentId],
        ['#Uc7', unnamed.platformCommentId],
        ['', unnamed.platformCommentId],
      ]);
      const first = await stage.other.comments.earliestByAuthors(challengeId, ['ada', 'ada.new'], 'unnumbered');
      expect([...first.values()]).toMatchObject([{ ...plain, challengeId }]);
      await expect(comments.earliestByAuthors(challengeId, Array(1_001).fill('x'), 'unnumbered')).rejects.toThrow(
        '1000',
      );
    });

    it('ofAuthors: the newest 100 comments of each author, oldest first, by handle, number and scoped id', async () => {
      const { comments } = stage.storage;
      const challengeId = await storedChallenge(stage.storage);
      const many = Array.from({ length: 103 }, (_, index) =>
        newComment({ username: 'Ada', authorId: '5', commentedAt: later(index % 52) }),
      );
      const scoped = newComment({ username: 'bob', scopedAuthorId: 'app/7', commentedAt: later(3) });
      const withheld = ['hidden', 'removed'].map((how) => newComment({ username: 'cat', commentText: how }));
      await comments.insertNew(challengeId, [...many, scoped, ...withheld], T0);
      await comments.insertNew(await storedChallenge(stage.storage), [newComment({ username: 'ada' })], T0);
      const changes = withheld.map(({ platformCommentId, commentText }) => ({
        platformCommentId,
        withheld: commentText as 'hidden',
        at: later(1),
      }));
      await comments.withhold(challengeId, changes);
      const keys = ['@ADA', '#5', '~app/7', 'cat', 'eve'];
      const found = await stage.other.comments.ofAuthors(challengeId, keys);
      expect([...found.keys()]).toEqual(['@ADA', '#5', '~app/7']);
      const own = found.get('#5') ?? [];
      expect(found.get('@ADA')).toEqual(own);
      expect(own).toHaveLength(100);
      expect(own.map(({ commentedAt, id }) => [commentedAt.getTime(), id])).toEqual(
        own
          .map(({ commentedAt, id }) => [commentedAt.getTime(), id])
          .toSorted(([a = 0, b = 0], [c = 0, d = 0]) => a - c || b - d),
      );
      expect(own[0]?.commentedAt).toEqual(later(1));
      expect(found.get('~app/7')).toMatchObject([{ ...scoped, challengeId }]);
      const hidden = await stage.other.comments.ofAuthors(challengeId, ['cat'], true);
      expect(hidden.get('cat')?.map(({ commentText }) => commentText)).toEqual(['hidden']);
      await expect(comments.ofAuthors(challengeId, Array(1_001).fill('x'))).rejects.toThrow('1000');
    });

    it('firstOfTexts: the earliest comment with the same words, of any author', async () => {
      const { comments } = stage.storage;
      const challengeId = await storedChallenge(stage.storage);
      const say = (commentText: string, seconds: number) => newComment({ commentText, commentedAt: later(seconds) });
      const [copy, first, other, blank] = [say('LOVE it!', 9), say('love, it', 2), say('love', 1), say(' ', 0)];
      await comments.insertNew(challengeId, [copy, first, other, blank], T0);
      await comments.insertNew(await storedChallenge(stage.storage), [say('love it', 0)], T0);
      const gone = { platformCommentId: first.platformCommentId, withheld: 'removed', at: later(9) } as const;
      await comments.withhold(challengeId, [gone]);
      const key = textKeyOf('Love it') ?? '';
      const found = await stage.other.comments.firstOfTexts(challengeId, [key, textKeyOf('hate it') ?? '']);
      expect([...found].map(([of, { platformCommentId }]) => [of, platformCommentId])).toEqual([
        [key, first.platformCommentId],
      ]);
      await expect(comments.firstOfTexts(challengeId, Array(1_001).fill('x'))).rejects.toThrow('1000');
    });

    it('firstOfTexts: of texts that many wrote, beside rare ones', async () => {
      const { comments } = stage.storage;
      const challengeId = await storedChallenge(stage.storage);
      const said = ['count me in', 'me too please', 'once'].flatMap((commentText, nth) =>
        Array.from({ length: [40, 25, 1][nth] ?? 0 }, (_, index) =>
          newComment({ commentText, commentedAt: later(50 - index) }),
        ),
      );
      await comments.insertNew(challengeId, said, T0);
      const keys = ['nobody', 'me too please', 'once', 'count me in'].map((text) => textKeyOf(text) ?? '');
      const found = await stage.other.comments.firstOfTexts(challengeId, keys);
      expect(keys.map((key) => found.get(key)?.commentedAt)).toEqual([undefined, later(26), later(50), later(11)]);
    });

    it('tells of a comment whether it is a reply, as soon as a reading has told it', async () => {
      const { comments } = stage.storage;
      const challengeId = await storedChallenge(stage.storage);
      const [top, reply, unknown] = [newComment({ isReply: false }), newComment({ isReply: true }), newComment()];
      await comments.insertNew(challengeId, [top, reply, unknown], T0);
      const answers = async () => {
        const { items } = await stage.other.comments.page(challengeId, { page: 1, limit: 9 });
        return [top, reply, unknown].map(
          (one) => items.find((item) => item.platformCommentId === one.platformCommentId)?.isReply,
        );
      };
      expect(await answers()).toEqual([false, true, undefined]);
      await comments.insertNew(
        challengeId,
        [
          { ...top, isReply: true },
          { ...unknown, isReply: true },
        ],
        later(1),
      );
      expect(await answers()).toEqual([false, true, true]);
    });

    it('gives a stored comment the number that is told later', async () => {
      const { comments } = stage.storage;
      const challengeId = await storedChallenge(stage.storage);
      const [plain, numbered] = [newComment({ username: 'ada' }), newComment({ username: 'bob', authorId: '6' })];
      await comments.insertNew(challengeId, [plain, numbered], T0);
      await comments.insertNew(challengeId, [plain, { ...numbered, authorId: '7' }], later(1));
      expect(await comments.insertNew(challengeId, [{ ...plain, username: 'x', authorId: '5' }], later(2))).toBe(0);
      const page = await stage.other.comments.page(challengeId, { page: 1, limit: 9 });
      expect(page.items.map(({ username, authorId }) => [username, authorId]).toSorted()).toEqual([
        ['ada', '5'],
        ['bob', '6'],
      ]);
    });

    it('gives a stored comment without a handle the one that is told later', async () => {
      const { comments } = stage.storage;
      const challengeId = await storedChallenge(stage.storage);
      const unnamed = newComment({ username: '', authorId: '5' });
      const unknown = newComment({ username: '', authorId: null });
      await comments.insertNew(challengeId, [unnamed, unknown], T0);
      await comments.insertNew(challengeId, [unnamed, unknown], later(1));
      const told = [
        { ...unnamed, username: 'Ada', authorId: null },
        { ...unknown, username: 'bob', authorId: '6' },
      ];
      expect(await comments.insertNew(challengeId, told, later(2))).toBe(0);
      await comments.insertNew(challengeId, [{ ...unnamed, username: 'eve' }], later(3));
      const found = await stage.other.comments.earliestByAuthors(challengeId, ['ada', 'bob', '#5', '#6', 'eve']);
      expect([...found].map(([key, { username, authorId }]) => [key, username, authorId])).toEqual([
        ['ada', 'Ada', '5'],
        ['bob', 'bob', '6'],
        ['#5', 'Ada', '5'],
        ['#6', 'bob', '6'],
      ]);
    });

    it('insertNew: saves the progress that it is given, also when nothing is new', async () => {
      const challengeId = await storedChallenge(stage.storage);
      const progress = newSweep(challengeId, { totalFetched: 600 });
      const comments = Array.from({ length: 600 }, () => newComment());
      expect(await stage.storage.comments.insertNew(challengeId, comments, T0, progress)).toBe(600);
      expect(await stage.other.comments.sweep(challengeId)).toEqual(progress);
      const later1 = { ...progress, pagesRead: 2 };
      expect(await stage.storage.comments.insertNew(challengeId, comments.slice(0, 1), T0, later1)).toBe(0);
      expect(await stage.other.comments.sweep(challengeId)).toEqual(later1);
      const later2 = { ...progress, pagesRead: 3 };
      expect(await stage.storage.comments.insertNew(challengeId, [], T0, later2)).toBe(0);
      expect(await stage.other.comments.sweep(challengeId)).toEqual(later2);
      await stage.storage.comments.insertNew(challengeId, [newComment()], T0);
      expect(await stage.other.comments.sweep(challengeId)).toEqual(later2);
    });

    it('saveSweep and sweep', async () => {
      const challengeId = await storedChallenge(stage.storage);
      expect(await stage.storage.comments.sweep(challengeId)).toBeNull();
      const progress: SweepProgress = {
        challengeId,
        cursor: '{"$gt":""}\u0000',
        pendingReplies: [
          { commentId: 'a.b', cursor: null },
          { commentId: '$set', cursor: 'next' },
        ],
        pagesRead: 3,
        totalFetched: 120,
        status: 'running',
        historyComplete: false,
        expectedTotal: 551,
        unreadReplies: 7,
        skipped: 2,
        unnumbered: 5,
        unnamed: 1,
        confirmed: false,
        refusedSince: later(2),
        lease: 3,
        leasedAt: later(1),
        lastSwept: {
          totalFetched: 100,
          expectedTotal: 102,
          unreadReplies: 0,
          skipped: 0,
          unnumbered: null,
          unnamed: 0,
          historyComplete: true,
          confirmed: false,
          lease: 2,
          leasedAt: T0,
          startedAt: later(-60),
          updatedAt: later(-1),
        },
        startedAt: T0,
        updatedAt: later(3),
      };
      await stage.storage.comments.saveSweep(progress);
      expect(await stage.other.comments.sweep(challengeId)).toEqual(progress);
      const done = {
        ...progress,
        cursor: null,
        pendingReplies: [],
        status: 'swept',
        historyComplete: true,
        confirmed: true,
      } as const;
      await parallel(5, (index) => stage.turn(index).comments.saveSweep(done));
      expect(await stage.other.comments.sweep(challengeId)).toEqual(done);
    });

    it('beginSweep: true for one of the callers that saw the same; after it, an older sweep saves nothing', async () => {
      const challengeId = await storedChallenge(stage.storage);
      const begin = async (start: SweepProgress, last: SweepProgress | null) => {
        const begun = await parallel(6, (index) => {
          const pagesRead = index;
          return stage.turn(index).comments.beginSweep({ ...start, pagesRead }, last);
        });
        expect(begun.filter((one) => one)).toHaveLength(1);
        const stored = { ...start, pagesRead: begun.indexOf(true) };
        expect(await stage.other.comments.sweep(challengeId)).toEqual(stored);
        return stored;
      };
      const first = await begin(newSweep(challengeId), null);
      const second = await begin(newSweep(challengeId, { lease: 2, leasedAt: later(1), updatedAt: later(1) }), first);
      // What gave a sign of life since is not what was seen.
      const alive = { ...second, updatedAt: later(2) };
      await stage.other.comments.saveSweep(alive);
      const third = newSweep(challengeId, { lease: 3, updatedAt: later(3) });
      expect(await stage.storage.comments.beginSweep(third, second)).toBe(false);
      expect(await stage.storage.comments.beginSweep(third, null)).toBe(false);

      const late = { ...first, status: 'partial', updatedAt: later(9) } as const;
      await expect(stage.storage.comments.saveSweep(late)).rejects.toMatchObject({ name: 'SweepTakenOver' });
      const [one, two] = [newComment(), newComment()];
      for (const comments of [[one], [one, two], []]) {
        const inserting = stage.storage.comments.insertNew(challengeId, comments, T0, late);
        await expect(inserting).rejects.toMatchObject({ name: 'SweepTakenOver' });
      }
      expect(await countComments(stage.storage.comments, challengeId)).toBe(2);
      expect(await stage.other.comments.sweep(challengeId)).toEqual(alive);
      expect(await stage.storage.comments.beginSweep(newSweep(987_654), null)).toBe(false);
      await stage.storage.comments.saveSweep(newSweep(987_654));
      expect(await stage.storage.comments.sweep(987_654)).toBeNull();
    });
  });
}
