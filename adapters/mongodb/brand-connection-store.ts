import type { BrandConnectionFilter, BrandConnectionStore } from '../../core/ports/brand-connection-store.ts';
import { isDuplicateKey } from './failures.ts';
import { ANY_DATE } from './indexes.ts';
import type { Database } from './items.ts';
import { oneAtATime } from './one-at-a-time.ts';
import { added, kept } from './outbox.ts';
import { equals, instant, integer, text } from './values.ts';

type Group = Awaited<ReturnType<BrandConnectionStore['count']>>[number];

export function createBrandConnectionStore(db: Database): BrandConnectionStore {
  const { brandConnections, officialPosts } = db;
  return {
    async connect(made) {
      const { brandId, platform, accountId } = made;
      const own = { brandId: integer(brandId), platform: text(platform), accountId: text(accountId) };
      return oneAtATime(db, `account ${platform} ${accountId}`, async () => {
        for (;;) {
          const again = await brandConnections.change(own, { $set: made, $inc: { revision: 1 } });
          if (again !== null) return again;
          if (await brandConnections.exists({ ...own, brandId: { $ne: brandId } })) return 'taken';
          try {
            return await brandConnections.append({ ...made, revision: 1, ...kept([], made.connectedAt) });
          } catch (error) {
            if (!isDuplicateKey(error)) throw error;
          }
        }
      });
    },

    find: (id) => brandConnections.find({ _id: integer(id) }),

    async list(filter) {
      const [which, options] = chosen(filter);
      return brandConnections.list(which, options);
    },

    async count() {
      const which = { platform: '$platform', status: '$status' };
      const groups = brandConnections.raw.aggregate<Group>([
        { $group: { _id: which, count: { $sum: 1 } } },
        { $project: { _id: 0, platform: '$_id.platform', status: '$_id.status', count: 1 } },
      ]);
      return groups.toArray();
    },

    async update({ id, revision }, changes, events = []) {
      const update = { $set: { ...changes, revision: revision + 1 }, ...added(events, new Date()) };
      return brandConnections.change(equals({ _id: id, revision }), update);
    },

    delete: async (brandId, id) => brandConnections.delete(equals({ _id: id, brandId })),

    async findPost(platform, which) {
      const found = await officialPosts.find(equals({ platform: text(platform), ...which }));
      return found && { contentId: found.contentId, apiId: found.apiId, accountId: found.accountId };
    },

    async rememberPosts(platform, posts) {
      const documents = posts.map((post) => ({ ...post, platform, _id: `${text(platform)}:${text(post.contentId)}` }));
      await officialPosts.insertMissing(documents);
    },
  };
}

function chosen(filter: BrandConnectionFilter) {
  if ('brandId' in filter) return [{ brandId: integer(filter.brandId) }, { sort: { _id: 1 } }] as const;
  if ('accountId' in filter)
    return [{ platform: text(filter.platform), accountId: text(filter.accountId) }, {}] as const;
  if ('newest' in filter) return [{}, { sort: { _id: -1 }, limit: 1 }] as const;
  const due = { $lte: instant(filter.dueBy), ...ANY_DATE };
  return [{ renewAt: due }, { sort: { renewAt: 1, _id: 1 }, limit: integer(filter.limit) }] as const;
}
