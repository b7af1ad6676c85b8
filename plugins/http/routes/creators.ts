/** Creators and their linked handles (docs/specification/engagement.md#creators-and-social-accounts). */
import { z } from 'zod';
import type { CreatorListRow } from '../../../core/engagement/creators/creator.ts';
import type { Engagement } from '../../../core/engagement/index.ts';
import type { PlatformRegistry } from '../../../core/platforms/registry.ts';
import { callerKey } from '../access.ts';
import * as example from '../examples/samples.ts';
import { type ListOrder, pageIn, readListPage } from '../list-cursor.ts';
import { defineRoute, reply, rowsReply } from '../route.ts';
import {
  dataOf,
  externalIdText,
  listOf,
  optionalText,
  partQuery,
  platformName,
  registeredPlatform,
  text,
  timestamp,
} from '../schemas.ts';
import { PROFILE_ERRORS, READ_ERRORS } from './read-errors.ts';

/** The bound use cases that these routes call. */
export interface CreatorRouteDeps extends Pick<Engagement, 'creators'> {
  readonly platforms: PlatformRegistry;
}

const BY_ACCOUNT: ListOrder<CreatorListRow> = { positionOf: ({ account: { id } }) => ({ id }) };

const handle = text(100).meta({ description: 'With or without a leading @; upper and lower case are the same.' });
const externalId = externalIdText("The customer's own identifier of the creator.");

const registerBody = (platforms: PlatformRegistry) =>
  z
    .strictObject({
      externalId,
      platform: registeredPlatform(platforms),
      handle,
      email: z.email().max(254).nullish().meta({ description: 'A placeholder is stored when it is left out.' }),
      displayName: optionalText(200),
    })
    .meta({
      example: { externalId: 'user-42', platform: example.PLATFORM, handle: '@ada.l', displayName: 'Ada Lovelace' },
    });

const disconnectBody = (platforms: PlatformRegistry) =>
  z
    .strictObject({ externalId, platform: registeredPlatform(platforms), handle })
    .meta({ example: { externalId: 'user-42', platform: example.PLATFORM, handle: '@ada.l' } });

export const profileData = z
  .object({
    followers: z.int().optional(),
    following: z.int().optional(),
    profile_pic_url: z.string().optional(),
    full_name: z.string().optional(),
    biography: z.string().optional(),
    is_verified: z.boolean().optional(),
  })
  .meta({ id: 'ProfileData', description: 'Best effort; any key may be absent.', example: example.PROFILE });

const refreshedProfile = dataOf(profileData).extend({
  warning: z.string().optional().meta({ description: 'Further handles of the creator that could not be refreshed.' }),
});

const registration = dataOf(
  z.object({
    user: z.object({ id: z.int(), externalId: z.string(), email: z.string() }),
    socialAccount: z.object({ id: z.int(), platform: platformName, platformUsername: z.string(), profileData }),
  }),
).meta({ id: 'Registration' });

const disconnection = dataOf(
  z.object({ id: z.int(), platform: platformName, platformUsername: z.string(), disconnectedAt: timestamp }),
).meta({ id: 'Disconnection' });

const creatorRow = z
  .object({
    userId: z.int(),
    externalId: z.string(),
    email: z.string(),
    displayName: z.string().nullable(),
    avatarUrl: z.string().nullable(),
    platform: platformName,
    platformUsername: z.string(),
    connectedAt: timestamp,
    profileData,
    totalAttempts: z.int(),
    totalVerified: z.int().meta({ description: 'Every attempt that was ever verified, rewarded ones too.' }),
    totalRewarded: z.int(),
    totalPoints: z.int(),
  })
  .meta({ id: 'CreatorRow' });

const common = { tag: 'Creators', access: 'admin', brand: 'none', audit: 'creator' } as const;

export function createCreatorRoutes({ creators, platforms }: CreatorRouteDeps) {
  return [
    defineRoute('registerCreator', 'POST /social-accounts', {
      ...common,
      summary: 'Register a creator and link a handle',
      description:
        'Creates the creator when the externalId is new, and links the handle; ownership is asserted, not checked, so that no `account.connected` is sent. Idempotent by externalId, platform and handle. Posting a disconnected link again connects it again. `profileData` is `{}` when the platform cannot be read at once.',
      body: registerBody(platforms),
      responses: {
        201: { description: 'A new link.', schema: registration },
        200: { description: 'The link existed; it is returned as stored.', schema: registration },
      },
      handle: async ({ body, caller }) => {
        const linked = await creators.register(body, callerKey(caller));
        const answer = { data: { user: linked.creator, socialAccount: linked.account } };
        return linked.outcome === 'created' ? reply(201, answer) : reply(200, answer);
      },
    }),
    defineRoute('disconnectCreator', 'POST /social-accounts/disconnect', {
      ...common,
      summary: 'End a link',
      description: 'Past attempts, matched comments and rewards are kept.',
      body: disconnectBody(platforms),
      responses: { 200: { description: 'The link has ended.', schema: disconnection } },
      errors: ['NOT_FOUND'],
      handle: async ({ body }) => {
        return reply(200, { data: await creators.disconnect(body) });
      },
    }),
    defineRoute('listCreators', 'GET /admin/creators', {
      ...common,
      summary: 'All creators, one row per linked handle',
      description:
        'The whole list is sent while it is read: an answer that ends early is cut off, without the end of its JSON.',
      query: partQuery,
      responses: { 200: { description: 'The rows.', schema: listOf(creatorRow) } },
      handle: async ({ query }) => {
        const part = pageIn(query);
        if (part === null) return rowsReply(200, creators.list(), rowOf);
        return reply(200, await readListPage(part, creators.listPage, BY_ACCOUNT, rowOf));
      },
    }),
    defineRoute('refreshCreatorProfile', 'POST /admin/creators/{userId}/refresh', {
      ...common,
      summary: "Read a creator's profile again",
      description:
        'Replaces `profileData` wholesale. An empty profile gives `{}` and clears what was stored. With several linked handles all are refreshed, and the answer is about the most recently connected one; `warning` names others that could not be read.',
      responses: { 200: { description: 'The new profile.', schema: refreshedProfile } },
      errors: ['HANDLE_NOT_LINKED', ...PROFILE_ERRORS, ...READ_ERRORS],
      handle: async ({ params, signal, caller }) => {
        const options = { signal, caller: callerKey(caller) };
        const { profileData: data, failed } = await creators.refreshProfile(params, options);
        const names = failed.map(
          ({ platform, handle, code }) => `@${handle} on ${platforms.labelOf(platform)} (${code})`,
        );
        return reply(200, names.length === 0 ? { data } : { data, warning: `Not refreshed: ${names.join(', ')}.` });
      },
    }),
    defineRoute('isHandleRegistered', 'GET /admin/creators/verify/{handle}', {
      ...common,
      summary: 'Whether a handle is linked to a registered creator',
      params: z.object({ handle }),
      responses: { 200: { description: 'Yes or no.', schema: dataOf(z.object({ verified: z.boolean() })) } },
      handle: async ({ params }) =>
        reply(200, { data: { verified: await creators.isHandleRegistered(params.handle) } }),
    }),
  ];
}

function rowOf({ creator, account, ...totals }: CreatorListRow) {
  return { ...creator, ...account, ...totals, userId: creator.id };
}
