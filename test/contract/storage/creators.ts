import { describe, expect, it } from 'vitest';
import type { LinkedCreator, ProfileData } from '../../../core/engagement/creators/creator.ts';
import { activeAccounts } from '../../../core/engagement/creators/creator.ts';
import type { LinkResult } from '../../../core/ports/creator-store.ts';
import {
  allRows,
  createAttempt,
  later,
  linkInput,
  NASTY_OBJECT,
  NASTY_TEXTS,
  newAttempt,
  parallel,
  storedChallenge,
  T0,
  unique,
} from './samples.ts';
import { prepareStage, type StorageWorld } from './world.ts';

export function creatorStoreContract(create: () => Promise<StorageWorld>): void {
  describe('creators', () => {
    const stage = prepareStage(create);

    it('link registers a creator and its handle', async () => {
      const input = linkInput({ profileData: { followers: 12, is_verified: false } });
      const linked = await stage.storage.creators.link(input);
      expect(linked).toEqual({
        outcome: 'created',
        creator: {
          id: expect.any(Number),
          externalId: input.externalId,
          email: 'creator@example.com',
          displayName: 'A Creator',
          avatarUrl: null,
          createdAt: T0,
        },
        account: {
          id: expect.any(Number),
          creatorId: linked.creator.id,
          platform: 'instagram',
          platformUsername: input.handle,
          profileData: { followers: 12, is_verified: false },
          ownershipProven: false,
          platformAccountId: null,
          rememberedAccountId: null,
          connectedAt: T0,
          disconnectedAt: null,
        },
      });
      expect(linked.creator.id).toBeGreaterThan(0);
      expect(await stage.other.creators.find(linked.creator.id)).toEqual(linked.creator);
      expect(await stage.other.creators.find({ externalId: input.externalId })).toEqual(linked.creator);
      expect(await stage.other.creators.accountsOf(linked.creator.id)).toEqual([linked.account]);
    });

    it('link returns a stored active triple unchanged, and remembers proven ownership only', async () => {
      const input = linkInput();
      const first = await stage.storage.creators.link(input);
      const changed = {
        ...input,
        email: 'new@example.com',
        displayName: 'New',
        profileData: { followers: 1 },
        now: later(9),
      };
      expect(await stage.storage.creators.link(changed)).toEqual({ ...first, outcome: 'existing' });
      const account = { ...first.account, ownershipProven: true };
      const remembered = { creator: first.creator, account, outcome: 'existing' };
      expect(await stage.storage.creators.link({ ...changed, ownershipProven: true })).toEqual(remembered);
      expect(await stage.storage.creators.link(changed)).toEqual(remembered);
    });

    it('search: by the beginning of external id, name, handle or email, also in other letter case', async () => {
      const { creators } = stage.storage;
      const word = unique('find').replace('-', '');
      const [titled, loud] = [`${word.charAt(0).toUpperCase()}${word.slice(1)}`, word.toUpperCase()];
      const link = async (changes: Parameters<typeof linkInput>[0]) =>
        (await creators.link(linkInput(changes))).creator.id;
      const byId = await link({ externalId: `${word}-42` });
      const byName = await link({ displayName: `${titled} Lovelace` });
      const byMail = await link({ email: `${word}@example.com` });
      const byHandle = await link({ platform: 'tiktok', handle: `${word}.tok` });
      await link({ externalId: `x${word}`, displayName: `x ${word}` });
      const found = async (search: Omit<Parameters<typeof creators.search>[0], 'limit'>, limit = 20) =>
        (await stage.other.creators.search({ ...search, limit })).map(({ id }) => id);
      expect(await found({ text: word, email: true })).toEqual([byId, byName, byMail, byHandle]);
      expect(await found({ text: titled, platform: 'instagram' })).toEqual([byId, byName]);
      expect(await found({ text: `@${loud}` })).toEqual([byHandle]);
      expect(await found({ text: word }, 2)).toEqual([byId, byName]);
      expect(await found({ text: `${word}-42` })).toEqual([byId]);
      for (const text of ['%', '_', '.*', "' OR 1=1 --", ...NASTY_TEXTS]) {
        expect(await found({ text: `${word}${text}`, email: true })).toEqual([]);
      }
      const operator = { $gt: '' } as unknown as string;
      expect(await stage.other.creators.search({ text: operator, limit: 5 }).catch(() => [])).toEqual([]);
    });

    it('linksOf: all links of handles, on the platform, while they are linked', async () => {
      const { creators } = stage.storage;
      const [shared, own, elsewhere, ended] = [unique('shared'), unique('own'), unique('elsewhere'), unique('ended')];
      for (const handle of [shared, shared, own, elsewhere, ended, ended]) await creators.link(linkInput({ handle }));
      await creators.link(linkInput({ handle: elsewhere, platform: 'tiktok' }));
      const [one] = await creators.findByHandle('instagram', ended);
      const externalId = one?.creator.externalId ?? '';
      await creators.disconnect({ externalId, platform: 'instagram', handle: ended }, later(1));
      const asked = [shared, own, elsewhere, ended, unique('nobody')];
      const links = await stage.other.creators.linksOf('instagram', asked);
      const handles = links.map(({ account }) => account.platformUsername);
      expect(handles).toEqual([shared, shared, own, elsewhere, ended]);
      expect(await stage.other.creators.linksOf('instagram', [])).toEqual([]);
    });

    it('linksOf: disconnected links too, if they are asked for', async () => {
      const { creators } = stage.storage;
      const [kept, ended] = [linkInput(), linkInput()];
      for (const input of [kept, ended]) await creators.link(input);
      await creators.disconnect(ended, later(1));
      const linked = async (which?: { readonly ended: boolean }) =>
        (await stage.other.creators.linksOf('instagram', [kept.handle, ended.handle], which)).map(
          ({ account }) => account.platformUsername,
        );
      expect(await linked({ ended: true })).toEqual([kept.handle, ended.handle]);
      expect(await linked()).toEqual([kept.handle]);
    });

    const proven = (platformAccountId: string, changes: Parameters<typeof linkInput>[0] = {}) =>
      linkInput({ ownershipProven: true, platformAccountId, ...changes });
    /** All links of the creator, as another process sees them. */
    const linksOf = async ({ creator }: { readonly creator: Pick<LinkResult['creator'], 'id'> }) =>
      stage.other.creators.accountsOf(creator.id);

    it('link records the account id of a proof, and keeps it when the handle is asserted or disconnected', async () => {
      const input = linkInput();
      const first = await stage.storage.creators.link(input);
      const id = unique('9');
      const proof = { ...input, ownershipProven: true, platformAccountId: id };
      const account = { ...first.account, ownershipProven: true, platformAccountId: id };
      expect(await stage.storage.creators.link(proof)).toEqual({ ...first, outcome: 'existing', account });
      expect(await stage.other.creators.link(input)).toEqual({ ...first, outcome: 'existing', account });
      await stage.storage.creators.disconnect(input, later(5));
      const again = await stage.storage.creators.link({ ...input, now: later(9) });
      expect(again).toEqual({ ...first, outcome: 'reconnected', account: { ...account, connectedAt: later(9) } });
      const [found] = await stage.other.creators.findByHandle('instagram', input.handle);
      expect(found?.account).toEqual(again.account);
    });

    it('link takes no account id of what is only asserted', async () => {
      const { account } = await stage.storage.creators.link(linkInput({ platformAccountId: unique('9') }));
      expect(account).toMatchObject({ ownershipProven: false, platformAccountId: null });
    });

    it('link of a renamed account ends the link of its old handle', async () => {
      const id = unique('9');
      const old = proven(id);
      const first = await stage.storage.creators.link(old);
      const second = await stage.storage.creators.link({ ...old, handle: unique('renamed'), now: later(7) });
      expect(second.outcome).toBe('created');
      expect(await linksOf(first)).toEqual([
        {
          ...first.account,
          ownershipProven: false,
          platformAccountId: null,
          rememberedAccountId: id,
          disconnectedAt: later(7),
        },
        second.account,
      ]);
      // And back: one account has one handle at a time.
      const back = await stage.storage.creators.link({ ...old, now: later(9) });
      expect(back).toMatchObject({ outcome: 'reconnected', account: { platformAccountId: id, disconnectedAt: null } });
      expect((await linksOf(first)).map(({ disconnectedAt }) => disconnectedAt)).toEqual([null, later(9)]);
    });

    it('link of a handle that another account has now leaves the links that were proven for the former', async () => {
      const handle = unique('reused');
      const former = await stage.storage.creators.link(proven(unique('9'), { handle }));
      const asserted = await stage.storage.creators.link(linkInput({ handle }));
      const id = unique('9');
      const latter = await stage.storage.creators.link(proven(id, { handle, now: later(7) }));
      expect(latter.account).toMatchObject({ ownershipProven: true, platformAccountId: id });
      for (const link of [former, asserted]) expect(await linksOf(link)).toEqual([link.account]);
      // The same creator may have the account that the handle was given to.
      const other = await stage.storage.creators.link({
        ...proven(unique('9'), { handle }),
        externalId: latter.creator.externalId,
      });
      expect(other).toMatchObject({ outcome: 'existing', account: { id: latter.account.id } });
      expect(other.account.platformAccountId).not.toBe(id);
    });

    it('link of an account that another creator had takes the proof over and leaves the link', async () => {
      const id = unique('9');
      const first = await stage.storage.creators.link(proven(id));
      const handle = first.account.platformUsername;
      const second = await stage.storage.creators.link(proven(id, { handle, now: later(7) }));
      expect(second).toMatchObject({ outcome: 'created', account: { ownershipProven: true, platformAccountId: id } });
      const released = { ownershipProven: false, platformAccountId: null, rememberedAccountId: id };
      expect(await linksOf(first)).toEqual([{ ...first.account, ...released }]);
    });

    it('remembers the account of a first match, of concurrent ones exactly one', async () => {
      const { creators } = stage.storage;
      const input = linkInput();
      const { account } = await creators.link(input);
      const remember = (accountId: string, { creators: of } = stage.other, linkId = account.id) =>
        of.rememberAccounts([{ linkId, accountId }]);
      const seen = await parallel(8, (index) => remember(`n${index}`, stage.turn(index)));
      const [first] = seen.map((known) => known.get(account.id));
      expect(seen).toEqual(seen.map(() => new Map([[account.id, first]])));
      expect(await linksOf({ creator: { id: account.creatorId } })).toEqual([
        { ...account, rememberedAccountId: first },
      ]);

      // A proof decides instead, and a proven account is remembered for no link.
      const id = unique('9');
      const proof = { ...input, ownershipProven: true, platformAccountId: id };
      expect((await creators.link(proof)).account).toMatchObject({ platformAccountId: id, rememberedAccountId: null });
      expect(await remember('other')).toEqual(new Map([[account.id, id]]));
      expect(await remember('other', stage.other, 987_654)).toEqual(new Map());
      await expect(creators.rememberAccounts(Array(1_001).fill({ linkId: 1, accountId: '1' }))).rejects.toThrow('1000');
    });

    it('forgets a remembered account with the link, so that it can be asserted again', async () => {
      const { creators } = stage.storage;
      const input = linkInput();
      const { account } = await creators.link(input);
      await creators.rememberAccounts([{ linkId: account.id, accountId: '5' }]);
      await creators.disconnect(input, later(3));
      expect(await creators.rememberAccounts([{ linkId: account.id, accountId: '5' }])).toEqual(new Map());
      const again = await creators.link({ ...input, now: later(5) });
      expect(again).toMatchObject({ outcome: 'reconnected', account: { rememberedAccountId: null } });
    });

    it('remembers one scoped id of an app for a link, and finds links by it and by handle', async () => {
      const { creators } = stage.storage;
      const input = linkInput();
      const { account } = await creators.link(input);
      const [scopedId, otherApp] = [`app-1/${unique('s')}`, `app-2/${unique('s')}`];
      const remember = (accountId: string, of = stage.storage) =>
        of.creators.rememberAccounts([{ linkId: account.id, accountId }], 'scoped');
      const seen = await parallel(4, (index) =>
        remember(index === 0 ? scopedId : `${scopedId}-${index}`, stage.turn(index)),
      );
      const [first = ''] = seen.map((known) => known.get(account.id));
      expect(seen).toEqual(seen.map(() => new Map([[account.id, first]])));
      const linked = async (...keys: string[]) =>
        (await stage.other.creators.linksOf(input.platform, keys)).map(({ account: { id } }) => id);
      expect(await linked(`~${first}`)).toEqual([account.id]);
      expect(await linked(input.handle, `~${first}`, 'nobody-else')).toEqual([account.id]);
      expect(await stage.other.creators.linksOf('tiktok', [`~${first}`])).toEqual([]);
      // What another app knows says nothing about it, and takes its place.
      expect(await remember(otherApp)).toEqual(new Map([[account.id, otherApp]]));
      // Its number is another matter, until it turns out to be another account's.
      await creators.rememberAccounts([{ linkId: account.id, accountId: unique('5') }]);
      expect(await linksOf({ creator: { id: account.creatorId } })).toMatchObject([{ scopedAccountId: otherApp }]);
      await creators.link({ ...input, ownershipProven: true, platformAccountId: unique('9') });
      expect(await linked(`~${otherApp}`)).toEqual([]);
      await remember(otherApp);
      await creators.disconnect(input, later(3));
      expect(await linked(`~${otherApp}`, input.handle)).toEqual([]);
      const again = await creators.link({ ...input, now: later(5) });
      expect(again.account).not.toHaveProperty('scopedAccountId');
    });

    const followed = (of: LinkResult, accountId: string, handle: string, seenAt = later(7)) =>
      stage.other.creators.followHandle({ link: of.account, accountId, handle, seenAt, now: later(8) });

    it('lets the handle of a proven link follow its account, and remembers the account under the former one', async () => {
      const { creators } = stage.storage;
      const [id, handle] = [unique('9'), unique('renamed')];
      const first = await creators.link(proven(id, { profileData: { followers: 3 } }));
      const strangers = [
        await creators.link(linkInput({ handle })),
        await creators.link(proven(unique('9'), { handle })),
      ];
      const account = await followed(first, id, handle);
      expect(account).toMatchObject({
        creatorId: first.creator.id,
        platformUsername: handle,
        profileData: { followers: 3 },
        ownershipProven: true,
        platformAccountId: id,
        rememberedAccountId: null,
        connectedAt: later(7),
        disconnectedAt: null,
      });
      const ended = { ownershipProven: false, platformAccountId: null, rememberedAccountId: id };
      expect(await linksOf(first)).toEqual([{ ...first.account, ...ended, disconnectedAt: later(8) }, account]);
      for (const stranger of strangers) expect(await linksOf(stranger)).toEqual([stranger.account]);
      // Anyone who registers the former handle for the creator again means the same account.
      const { externalId } = first.creator;
      const again = await creators.link(linkInput({ externalId, handle: first.account.platformUsername }));
      expect(again).toMatchObject({ outcome: 'reconnected', account: { rememberedAccountId: id } });
    });

    it('lets it follow to a handle that the creator has asserted already', async () => {
      const { creators } = stage.storage;
      const [id, handle] = [unique('9'), unique('renamed')];
      const first = await creators.link(proven(id));
      const { externalId } = first.creator;
      const own = linkInput({ externalId, handle });
      const asserted = await creators.link(own);
      await creators.disconnect(own, later(1));
      const account = await followed(first, id, handle);
      expect(account).toMatchObject({ id: asserted.account.id, platformAccountId: id, disconnectedAt: null });
      expect((await linksOf(first)).map(({ disconnectedAt }) => disconnectedAt)).toEqual([later(8), null]);
    });

    it('lets no handle follow that is not the creator’s to have, or that was seen too early', async () => {
      const { creators } = stage.storage;
      const [id, other, handle] = [unique('9'), unique('9'), unique('renamed')];
      const first = await creators.link(proven(id, { now: later(5) }));
      const { externalId } = first.creator;
      // The creator's link of that handle is another account.
      const second = await creators.link(proven(other, { externalId, handle }));
      expect(await followed(first, id, handle)).toBeNull();
      expect(await followed(first, other, unique('renamed'))).toBeNull();
      expect(await followed(first, id, unique('renamed'), later(4))).toBeNull();
      expect(await followed(first, id, first.account.platformUsername)).toBeNull();
      const asserted = await creators.link(linkInput());
      expect(await followed(asserted, id, unique('renamed'))).toBeNull();
      expect(await linksOf(first)).toEqual([first.account, second.account]);
      await creators.disconnect(
        { externalId, platform: 'instagram', handle: first.account.platformUsername },
        later(6),
      );
      expect(await followed(first, id, unique('renamed'))).toBeNull();
    });

    it('of handles that are seen at once one is followed, and of a proof meanwhile the proof stands', async () => {
      const id = unique('9');
      const first = await stage.storage.creators.link(proven(id));
      const rival = proven(id, { handle: first.account.platformUsername });
      await Promise.all([
        parallel(6, (index) =>
          stage.turn(index).creators.followHandle({
            link: first.account,
            accountId: id,
            handle: unique('h'),
            seenAt: later(7),
            now: later(8),
          }),
        ),
        stage.other.creators.link(rival),
      ]);
      const stands = await stage.storage.creators.link(rival);
      const links = [...(await linksOf(first)), ...(await linksOf(stands))];
      expect(links.filter(({ platformAccountId }) => platformAccountId === id)).toEqual([stands.account]);
      expect(links.filter(({ disconnectedAt }) => disconnectedAt === null).length).toBeGreaterThan(0);
    });

    it('of concurrent proofs of one account exactly one is in the end', async () => {
      const id = unique('9');
      const handle = unique('wanted');
      const results = await parallel(12, (index) => stage.turn(index).creators.link(proven(id, { handle })));
      expect(results.map(({ outcome }) => outcome)).toEqual(results.map(() => 'created'));
      const links = (await Promise.all(results.map(linksOf))).flat();
      expect(links).toHaveLength(12);
      expect(links.filter(({ ownershipProven }) => ownershipProven)).toMatchObject([{ platformAccountId: id }]);
      expect(links.filter(({ platformAccountId }) => platformAccountId !== null)).toHaveLength(1);
      expect(links.filter(({ disconnectedAt }) => disconnectedAt !== null)).toEqual([]);
    });

    it('of concurrent proofs of one account under many handles exactly one link stays', async () => {
      const base = proven(unique('9'));
      const results = await parallel(12, (index) =>
        stage.turn(index).creators.link({ ...base, handle: unique('name') }),
      );
      const links = results[0] === undefined ? [] : await linksOf(results[0]);
      expect(links).toHaveLength(12);
      expect(links.filter(({ platformAccountId }) => platformAccountId !== null)).toHaveLength(1);
      const active = links.filter(({ disconnectedAt }) => disconnectedAt === null);
      expect(active).toMatchObject([{ ownershipProven: true, platformAccountId: base.platformAccountId }]);
    });

    it('an externalId is reused for further handles; a handle may belong to several creators', async () => {
      const input = linkInput();
      const first = await stage.storage.creators.link(input);
      const second = await stage.storage.creators.link({ ...input, platform: 'tiktok' });
      const third = await stage.storage.creators.link(linkInput({ handle: input.handle }));
      expect(second.outcome).toBe('created');
      expect(second.creator).toEqual(first.creator);
      expect(third.creator.id).not.toBe(first.creator.id);
      const both = await stage.storage.creators.findByHandle('instagram', input.handle);
      expect(both.map((linked) => linked.creator.id)).toEqual([first.creator.id, third.creator.id]);
      const all = await stage.storage.creators.findByHandle(null, input.handle);
      expect(all.map((linked) => linked.account.id)).toEqual([first.account.id, second.account.id, third.account.id]);
    });

    it('of 20 concurrent links of one triple exactly one creates', async () => {
      const input = linkInput();
      const before = await Promise.all([stage.world.count('creators'), stage.world.count('accounts')]);
      const results = await parallel(20, (index) => stage.turn(index).creators.link(input));
      expect(results.filter((one) => one.outcome === 'created')).toHaveLength(1);
      expect(results.filter((one) => one.outcome === 'existing')).toHaveLength(19);
      expect(new Set(results.map((one) => `${one.creator.id}/${one.account.id}`)).size).toBe(1);
      expect(await stage.world.count('creators')).toBe(before[0] + 1);
      expect(await stage.world.count('accounts')).toBe(before[1] + 1);
    });

    it('lists the active links of a platform by creator, all of a creator’s together', async () => {
      const { creators } = stage.storage;
      const inputs = Array.from({ length: 3 }, () => linkInput({ platform: 'tiktok' }));
      const [first, ...others] = inputs;
      const one = first && (await creators.link(first));
      // Many creators in between have no link there.
      await parallel(20, () => creators.link(linkInput({ platform: 'instagram' })));
      const [two, three] = await Promise.all(others.map((input) => creators.link(input)));
      if (!(one && two && three && first)) throw new Error('Three links were made.');
      const second = await creators.link({ ...first, handle: unique('second') });
      await creators.link({ ...first, platform: 'instagram' });
      const ended = { ...first, handle: unique('ended') };
      await creators.link(ended);
      await creators.disconnect(ended, later(1));
      const expected = [one, second, two, three]
        .map(({ creator, account }) => ({ creator, account }))
        .sort((a, b) => a.creator.id - b.creator.id || a.account.id - b.account.id);
      const before = Math.min(...expected.map(({ creator }) => creator.id)) - 1;
      for (const limit of [1, 2, 100]) {
        const seen: LinkedCreator[] = [];
        for (let after = before; ; ) {
          const links = await stage.other.creators.activeLinks('tiktok', after, limit);
          const last = links.at(-1);
          if (last === undefined) break;
          expect(links.every(({ creator }) => creator.id > after)).toBe(true);
          expect(new Set(links.map(({ creator }) => creator.id)).size).toBeLessThanOrEqual(limit);
          seen.push(...links);
          after = last.creator.id;
        }
        expect(seen).toEqual(expected);
      }
    });

    it('concurrent links of one new creator to different handles share the creator', async () => {
      const input = linkInput();
      const results = await parallel(20, (index) =>
        stage.turn(index).creators.link({ ...input, handle: unique('many') }),
      );
      expect(results.every((one) => one.outcome === 'created')).toBe(true);
      expect(new Set(results.map((one) => one.creator.id)).size).toBe(1);
      expect(new Set(results.map((one) => one.account.id)).size).toBe(20);
    });

    it('disconnect: one of concurrent callers gets the account; then nothing is active', async () => {
      const input = linkInput();
      const { creator, account } = await stage.storage.creators.link(input);
      const results = await parallel(10, (index) => stage.turn(index).creators.disconnect(input, later(5)));
      const won = results.filter((one) => one !== null);
      expect(won).toEqual([{ ...account, disconnectedAt: later(5) }]);
      expect(activeAccounts(await stage.storage.creators.accountsOf(creator.id))).toEqual([]);
      expect(await stage.storage.creators.findByHandle('instagram', input.handle)).toEqual([]);
      expect(await stage.storage.creators.accountsOf(creator.id)).toEqual(won);
      expect(await stage.storage.creators.findByHandle('instagram', input.handle, { ended: true })).toEqual([
        { creator, account: won[0] },
      ]);
      expect(await stage.storage.creators.disconnect(linkInput(), T0)).toBeNull();
    });

    it('everLinked: active and disconnected links of a handle on one platform, by creator id', async () => {
      const input = linkInput();
      const { creators } = stage.storage;
      const first = await creators.link(input);
      const account = await creators.disconnect(input, later(5));
      await creators.link({ ...input, platform: 'tiktok' });
      const second = await creators.link(linkInput({ handle: input.handle }));
      const both = [
        { creator: first.creator, account },
        { creator: second.creator, account: second.account },
      ];
      expect(await stage.other.creators.findByHandle('instagram', input.handle, { ended: true })).toEqual(both);
      expect(await stage.other.creators.findByHandle('instagram', unique('nobody'), { ended: true })).toEqual([]);
    });

    it('link reconnects a disconnected triple once, with the same ids', async () => {
      const input = linkInput({ profileData: { followers: 3 }, ownershipProven: true });
      const { creator, account } = await stage.storage.creators.link(input);
      await stage.storage.creators.disconnect(input, later(5));
      const again = { ...input, profileData: {}, ownershipProven: false, now: later(9) };
      const results = await parallel(20, (index) => stage.turn(index).creators.link(again));
      expect(results.filter((one) => one.outcome === 'reconnected')).toHaveLength(1);
      expect(results.filter((one) => one.outcome === 'existing')).toHaveLength(19);
      for (const one of results) {
        expect(one.creator).toEqual(creator);
        // What is known of the profile, and the proof, outlast the disconnection.
        expect(one.account).toEqual({ ...account, connectedAt: later(9) });
      }
    });

    it('the first of activeAccounts is the most recently connected one', async () => {
      const input = linkInput();
      const { creator } = await stage.storage.creators.link({ ...input, now: later(2) });
      await stage.storage.creators.link({ ...input, handle: unique('older'), now: later(1) });
      await stage.storage.creators.link({ ...input, platform: 'tiktok', handle: unique('elsewhere'), now: later(9) });
      const accounts = activeAccounts(await stage.storage.creators.accountsOf(creator.id));
      const active = accounts.find(({ platform }) => platform === 'instagram');
      expect(active?.platformUsername).toBe(input.handle);
    });

    it('replaceProfile replaces wholesale', async () => {
      const { creator, account } = await stage.storage.creators.link(
        linkInput({ profileData: { followers: 3, biography: 'x' } }),
      );
      expect(
        await stage.storage.creators.replaceProfile(account.id, { following: 4 }, 'https://example.com/a.jpg'),
      ).toBe(true);
      const [replaced] = await stage.storage.creators.accountsOf(creator.id);
      expect(replaced?.profileData).toEqual({ following: 4 });
      expect((await stage.storage.creators.find(creator.id))?.avatarUrl).toBe('https://example.com/a.jpg');
      expect(await stage.storage.creators.replaceProfile(999_999_999, {}, null)).toBe(false);
    });

    it('listPage: a row per active link with the totals of its creator', async () => {
      const input = linkInput();
      const { creator, account } = await stage.storage.creators.link(input);
      const second = await stage.storage.creators.link({ ...input, platform: 'tiktok' });
      const gone = await stage.storage.creators.link({ ...input, handle: unique('gone') });
      await stage.storage.creators.disconnect({ ...input, handle: gone.account.platformUsername }, T0);
      const states = [
        { state: 'rewarded', verifiedAt: T0, rewardedAt: T0, pointsAwarded: 30 },
        { state: 'verified', verifiedAt: T0, pointsAwarded: 0 },
        { state: 'created' },
      ] as const;
      for (const changes of states) {
        const challengeId = await storedChallenge(stage.storage);
        await createAttempt(stage.storage.attempts, newAttempt(challengeId, creator.id, changes), []);
      }
      const rows = (await allRows(stage.storage)).filter((row) => row.creator.id === creator.id);
      const totals = { totalAttempts: 3, totalVerified: 2, totalRewarded: 1, totalPoints: 30 };
      expect(rows).toEqual([
        { creator, account, ...totals },
        { creator, account: second.account, ...totals },
      ]);
    });

    it('listPage goes through more creators than one piece holds, in order', async () => {
      await parallel(260, (index) => stage.turn(index).creators.link(linkInput()));
      const rows = await allRows(stage.storage);
      const active = rows.map((row) => row.account.id);
      expect(active.length).toBeGreaterThanOrEqual(260);
      expect(new Set(active).size).toBe(active.length);
      const order = [...rows].sort((a, b) => a.creator.id - b.creator.id || a.account.id - b.account.id);
      expect(rows).toEqual(order);
    });

    it.each(NASTY_TEXTS)('text is data: %.30j', async (nasty) => {
      const externalId = unique(nasty);
      const input = linkInput({ externalId, email: nasty, displayName: nasty, handle: unique(nasty) });
      const { creator } = await stage.storage.creators.link(input);
      expect(await stage.storage.creators.find({ externalId })).toEqual({
        ...creator,
        externalId,
        email: nasty,
        displayName: nasty,
      });
      expect(await stage.storage.creators.findByHandle(null, input.handle)).toHaveLength(1);
      expect((await stage.storage.creators.link(input)).outcome).toBe('existing');
    });

    it('objects keep keys that look like operators, paths or prototypes', async () => {
      const profileData = NASTY_OBJECT as ProfileData;
      const { creator } = await stage.storage.creators.link(linkInput({ profileData }));
      const [account] = await stage.storage.creators.accountsOf(creator.id);
      expect(JSON.stringify(account?.profileData)).toBe(JSON.stringify(NASTY_OBJECT));
      expect(Object.keys(account?.profileData ?? {})).toContain('__proto__');
    });

    it('an operator in place of text or an id matches nothing', async () => {
      await stage.storage.creators.link(linkInput());
      for (const operator of [{ $gt: '' }, { $ne: null }, { $where: 'true' }, ['a']]) {
        // What a caller without types could pass.
        const value = operator as unknown as string & number;
        for (const ask of [
          () => stage.storage.creators.find({ externalId: value }),
          () => stage.storage.creators.find(value),
          () => stage.storage.creators.disconnect({ externalId: value, platform: 'instagram', handle: value }, T0),
        ]) {
          expect(await ask().catch(() => null)).toBeNull();
        }
        expect(await stage.storage.creators.findByHandle(null, value).catch(() => [])).toEqual([]);
      }
    });
  });
}
