/** Campaigns and their challenge (docs/specification/engagement.md#campaigns). */
import { z } from 'zod';
import { HELD_REASONS } from '../../../core/engagement/attempts/attempt.ts';
import { waitingOf } from '../../../core/engagement/attempts/waiting.ts';
import { heldOf } from '../../../core/engagement/attempts/why-held.ts';
import type { Campaign, Challenge } from '../../../core/engagement/campaigns/campaign.ts';
import type { Engagement } from '../../../core/engagement/index.ts';
import { PARTICIPANT_SORTS, type ParticipantRow } from '../../../core/ports/attempt-store.ts';
import { CAMPAIGN_SORTS, CAMPAIGN_STATES } from '../../../core/ports/campaign-store.ts';
import type { PageRequest } from '../../../core/ports/paging.ts';
import { callerKey } from '../access.ts';
import { ofCampaign, ownRows } from '../brand-access.ts';
import { BY_ID, type ListOrder, readListPage } from '../list-cursor.ts';
import { defineRoute, reply } from '../route.ts';
import { dataOf, flagQuery, idParam, instant, integerQuery, pageOf, pageQuery, text, timestamp } from '../schemas.ts';
import {
  attemptState,
  campaignBody,
  campaignChanges,
  campaignDetail,
  campaignSchema,
  campaignSummary,
  challengeSchema,
  everyState,
  MAX_PREVIEWED,
  participant,
  participantOf,
  rewardsPreview,
  rewardsPreviewOf,
  signal,
} from './campaign-shapes.ts';
import { rulesPreview, rulesPreviewBody } from './comment-rules.ts';
import { READ_ERRORS } from './read-errors.ts';

const TAG = 'Campaigns';
const BY_ATTEMPT: ListOrder<ParticipantRow> = { positionOf: ({ attempt: { id } }) => ({ id }) };
const BY_CHANGE: ListOrder<ParticipantRow> = {
  by: 'at',
  positionOf: ({ attempt: { id, updatedAt } }) => ({ id, at: updatedAt }),
};
const BY_TITLE: ListOrder<Campaign> = { by: 'name', positionOf: ({ id, title }) => ({ id, name: title }) };

const campaignQuery = pageQuery.extend({
  q: text(200).optional().meta({ description: 'A part of the title, in any letter case.' }),
  brandId: idParam.optional().meta({ description: 'Campaigns of this brand only.' }),
  mine: flagQuery.meta({ description: 'Only those in which the creator whose token asks has an attempt.' }),
  state: z.enum(CAMPAIGN_STATES).optional().meta({
    description:
      '`upcoming`: active, with a start to come. `running`: active, within its dates. `ended`: not active, or past its end.',
  }),
  createdFrom: instant.optional().meta({ description: 'Created at this time or later.' }),
  createdBefore: instant.optional().meta({ description: 'Created before this time.' }),
  sort: z.enum(CAMPAIGN_SORTS).default('-id').meta({
    description: 'By id or by title, capital letters before small ones; with a minus sign: descending.',
  }),
});

/** A challenge names its action only if that is not the usual one. */
const withAction = <Found extends { readonly challenge: Challenge }>({ challenge, ...found }: Found) => ({
  ...found,
  challenge: { ...challenge, action: challenge.action === 'like' ? challenge.action : undefined },
});

const common = { tag: TAG, access: 'admin', brand: ofCampaign, audit: 'campaign' } as const;

export function createCampaignRoutes(deps: Pick<Engagement, 'campaigns'>) {
  return [...campaignRoutes(deps), ...campaignAdministration(deps), ...rewardRoutes(deps)];
}

function campaignRoutes({ campaigns }: Pick<Engagement, 'campaigns'>) {
  return [
    defineRoute('listCampaigns', 'GET /campaigns', {
      tag: TAG,
      summary: 'Campaigns, by default newest first',
      access: 'token',
      brand: 'own-rows',
      query: campaignQuery,
      responses: { 200: { description: 'A page.', schema: pageOf(campaignSchema) } },
      handle: async ({ query, caller }) => {
        const { q, mine, page, limit, cursor, ...filters } = query;
        const filter = { ...filters, text: q, ...ownRows(caller), ...(mine && { ofCaller: caller }) };
        // Another brand is as if it did not exist.
        const isForeign = filters.brandId !== undefined && filter.brandId !== filters.brandId;
        const read = async (request: PageRequest) =>
          isForeign ? { items: [], total: 0 } : campaigns.list(request, filter);
        return reply(200, await readListPage(query, read, query.sort.endsWith('title') ? BY_TITLE : BY_ID));
      },
    }),
    defineRoute('getCampaign', 'GET /campaigns/{id}', {
      tag: TAG,
      summary: 'A campaign with its challenge and the caller’s attempt',
      access: 'token',
      brand: ofCampaign,
      responses: { 200: { description: 'The campaign.', schema: dataOf(campaignDetail) } },
      handle: async ({ params, caller }) => {
        const { campaign, myAttempt, ...rest } = withAction(await campaigns.get({ campaignId: params.id, caller }));
        const mine = myAttempt && { ...myAttempt, waiting: waitingOf(myAttempt) ?? undefined, held: heldOf(myAttempt) };
        return reply(200, { data: { ...campaign, ...rest, myAttempt: mine } });
      },
    }),
    defineRoute('createCampaign', 'POST /admin/campaigns', {
      tag: TAG,
      summary: 'Create a campaign with its challenge',
      description:
        'The campaign is active at once. The post is named by its URL and not read; a URL that is no post URL of a registered platform is answered with 422.',
      access: 'admin',
      brand: ({ body }) => ({ brandId: body.brandId }),
      audit: 'campaign',
      body: campaignBody,
      responses: {
        201: {
          description: 'Campaign and challenge.',
          schema: dataOf(z.object({ campaign: campaignSchema, challenge: challengeSchema })),
        },
      },
      errors: ['NOT_FOUND', 'VALIDATION_ERROR', 'POST_NOT_FOUND', ...READ_ERRORS],
      handle: async ({ body, signal, caller }) => {
        return reply(201, { data: withAction(await campaigns.create(body, { signal, caller: callerKey(caller) })) });
      },
    }),
  ];
}

function campaignAdministration({ campaigns }: Pick<Engagement, 'campaigns'>) {
  return [
    defineRoute('summariseCampaign', 'GET /admin/campaigns/{id}/summary', {
      ...common,
      summary: 'Attempts by state, and the points issued',
      responses: { 200: { description: 'The summary.', schema: dataOf(campaignSummary) } },
      handle: async ({ params }) => {
        const { byState, ...totals } = await campaigns.summarise(params.id);
        return reply(200, { data: { ...totals, byState: everyState(byState) } });
      },
    }),
    defineRoute('listResults', 'GET /admin/campaigns/{id}/results', {
      ...common,
      summary: 'Participants and how they stand',
      query: pageQuery.extend({
        state: attemptState.optional(),
        held: z.enum(HELD_REASONS).optional().meta({ description: 'Verified attempts that are held for this reason.' }),
        signal: signal.optional().meta({ description: 'Attempts with this one among their `signals`.' }),
        q: text(200).optional().meta({
          description:
            'The beginning of an external id, a display name or a handle on the platform. If over 1,000 creators have it, the first 1,000 are looked for.',
        }),
        sort: z.enum(PARTICIPANT_SORTS).default('id').meta({
          description: 'By attempt id or by the last change; with a minus sign: descending.',
        }),
      }),
      responses: {
        200: { description: 'A page.', schema: pageOf(participant) },
      },
      handle: async ({ params, query }) => {
        const { state, signal, held, q, sort } = query;
        const read = (request: PageRequest) =>
          campaigns.listResults({ campaignId: params.id, state, signal, held, sort, text: q, ...request });
        const order = sort.endsWith('updatedAt') ? BY_CHANGE : BY_ATTEMPT;
        return reply(200, await readListPage(query, read, order, participantOf));
      },
    }),
    defineRoute('updateCampaign', 'PATCH /admin/campaigns/{id}', {
      ...common,
      summary: 'Change a campaign',
      description:
        'What is left out stays as it is. 409 `CONFLICT` for other points once a creator is verified, and for other dates after the campaign was ended. The post cannot be changed.',
      body: campaignChanges,
      responses: {
        200: {
          description: 'Campaign and challenge as they are now.',
          schema: dataOf(z.object({ campaign: campaignSchema, challenge: challengeSchema })),
        },
      },
      errors: ['CONFLICT'],
      handle: async ({ params, body }) => {
        const { challenge, ...changes } = body;
        return reply(200, {
          data: withAction(await campaigns.update({ campaignId: params.id, changes: { ...changes, ...challenge } })),
        });
      },
    }),
    defineRoute('endCampaign', 'POST /admin/campaigns/{id}/end', {
      ...common,
      summary: 'End a campaign',
      description: 'Idempotent. An earlier end is kept, and so are attempts and rewards.',
      responses: {
        200: {
          description: 'The campaign has ended.',
          schema: dataOf(z.object({ id: z.int(), isActive: z.literal(false), endsAt: timestamp })),
        },
      },
      handle: async ({ params }) => reply(200, { data: await campaigns.end(params.id) }),
    }),
    defineRoute('deleteCampaign', 'DELETE /admin/campaigns/{id}', {
      ...common,
      summary: 'Delete a campaign without attempts',
      description: 'Removes its challenge, stored comments, likers and metrics as well.',
      responses: { 200: { description: 'It is gone.', schema: dataOf(z.object({ id: z.int() })) } },
      errors: ['CAMPAIGN_HAS_ATTEMPTS'],
      handle: async ({ params }) => {
        await campaigns.delete(params.id);
        return reply(200, { data: { id: params.id } });
      },
    }),
  ];
}

function rewardRoutes({ campaigns }: Pick<Engagement, 'campaigns'>) {
  return [
    defineRoute('previewRules', 'POST /admin/campaigns/{id}/preview', {
      ...common,
      summary: 'Which stored comments meet rules, and which fail which',
      description:
        'Changes nothing but the audit log. Judges the stored comments of all authors; refresh them first. Reads the post only to learn who published it, for `mentions` and `notByOwner`.',
      body: rulesPreviewBody,
      responses: { 200: { description: 'The preview.', schema: dataOf(rulesPreview) } },
      handle: async ({ params, body, signal, caller }) => {
        const input = { campaignId: params.id, ...body };
        return reply(200, { data: await campaigns.previewRules(input, { signal, caller: callerKey(caller) }) });
      },
    }),
    defineRoute('previewRewards', 'GET /admin/campaigns/{id}/verify-and-reward/preview', {
      ...common,
      summary: 'Whom `verify-and-reward` would verify and reward now',
      description:
        'Changes nothing, and reads stored comments and likers only, as `verify-and-reward` does. Shows what to look at before paying: comments from the end or later, and handles that several creators have.',
      query: z.object({ limit: integerQuery(1, MAX_PREVIEWED, 100) }),
      responses: { 200: { description: 'The preview.', schema: dataOf(rewardsPreview) } },
      handle: async ({ params, query }) => {
        const preview = await campaigns.previewRewards({ campaignId: params.id, limit: query.limit });
        return reply(200, { data: rewardsPreviewOf(preview) });
      },
    }),
    defineRoute('verifyAndReward', 'POST /admin/campaigns/{id}/verify-and-reward', {
      ...common,
      summary: 'Verify and reward every creator who has fulfilled the challenge',
      description:
        'Matches registered creators without an attempt against the stored comments (likers for like challenges); refresh them first. Works on ended campaigns too. Each attempt is created, verified and rewarded in one write, so `rewarded` equals `verified`. If something may hold rewards, jobs issue them after it, and `rewarded` is 0.',
      responses: {
        200: {
          description: 'What was done.',
          schema: dataOf(z.object({ matched: z.int(), verified: z.int(), rewarded: z.int() })).meta({
            id: 'BatchVerification',
            example: { data: { matched: 12, verified: 12, rewarded: 12 } },
          }),
        },
      },
      handle: async ({ params }) => reply(200, { data: await campaigns.verifyAndReward({ campaignId: params.id }) }),
    }),
  ];
}
