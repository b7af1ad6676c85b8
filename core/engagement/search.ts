/** One field that finds what support asks about: a creator, a campaign, an attempt, a delivery or a request. */
import { normaliseHandle } from '../platforms/handle.ts';
import { beginsWith } from '../ports/search-text.ts';
import type { Stores } from '../ports/storage.ts';
import type { Attempt } from './attempts/attempt.ts';
import { lastHandle } from './attempts/load-facts.ts';
import type { Campaign } from './campaigns/campaign.ts';
import type { Creator } from './creators/creator.ts';
import { isAboutCreators, isOperators } from './webhooks/webhook.ts';

export const SEARCH_KINDS = ['creator', 'campaign', 'attempt', 'delivery', 'audit-entry'] as const;

export interface SearchHit {
  readonly kind: (typeof SEARCH_KINDS)[number];
  readonly id: number;
  readonly title: string;
  /** Of the page in the console. */
  readonly path: string;
}

export interface SearchInput {
  readonly q: string;
  /** Only what belongs to this brand. */
  readonly brandId?: number | undefined;
}

type Deps = Stores<'creators' | 'campaigns' | 'attempts' | 'deliveries' | 'webhooks' | 'audit'>;

/** Hits of each kind. */
const MOST = 20;
/** What is looked at to find those that belong to a brand. */
const CANDIDATES = 100;
const AN_ID = /^[1-9]\d{0,14}$/;

/**
 * Finds creators by the beginning of external id, display name, handle or email; campaigns by a text in the title or by id; attempts
 * by id; deliveries of webhooks by the beginning of the message id; entries of the audit log by request id. At most 20 of each.
 * A brand finds those who take part in its campaigns, by what its lists of participants show, and no entries of the audit log.
 */
export function search({ storage }: Deps) {
  return async ({ q, brandId }: SearchInput): Promise<readonly SearchHit[]> => {
    const found = await Promise.all([
      brandId === undefined ? findCreators(storage, q) : findParticipants(storage, q, brandId),
      findCampaigns(storage, q, brandId),
      findAttempt(storage, q, brandId),
      q.startsWith('msg_') ? findDeliveries(storage, q, brandId) : [],
      brandId === undefined ? findRequest(storage, q) : [],
    ]);
    return found.flat();
  };
}

type From<Name extends keyof Deps['storage']> = Pick<Deps['storage'], Name>;

const hit = (kind: SearchHit['kind'], id: number, title: string, path: string): SearchHit => ({
  kind,
  id,
  title,
  path,
});

const nameOf = ({ displayName, externalId }: Creator) =>
  displayName === null ? externalId : `${displayName} (${externalId})`;

async function findCreators({ creators }: From<'creators'>, text: string): Promise<readonly SearchHit[]> {
  const found = await creators.search({ text, email: true, limit: MOST });
  return found.map((creator) => hit('creator', creator.id, nameOf(creator), `/creators/${creator.id}`));
}

/** A brand must not learn from hits what else is known of a creator, an email for example. */
async function findParticipants(
  storage: From<'creators' | 'attempts' | 'campaigns'>,
  text: string,
  brandId: number,
): Promise<readonly SearchHit[]> {
  const hits: SearchHit[] = [];
  const handle = normaliseHandle(text);
  for (const creator of await storage.creators.search({ text, limit: CANDIDATES })) {
    if (hits.length === MOST) break;
    const isNamed = beginsWith(creator.externalId, text) || beginsWith(creator.displayName, text);
    const { items } = await storage.attempts.ofCreator(creator.id, { page: 1, limit: CANDIDATES });
    for (const attempt of items) {
      if (!isNamed && !beginsWith(lastHandle(attempt), handle)) continue;
      const campaign = await campaignOf(storage, attempt);
      if (campaign?.brandId !== brandId) continue;
      hits.push(hit('creator', creator.id, nameOf(creator), pathOf(campaign, attempt)));
      break;
    }
  }
  return hits;
}

async function findCampaigns(
  { campaigns }: From<'campaigns'>,
  text: string,
  brandId: number | undefined,
): Promise<readonly SearchHit[]> {
  const byId = AN_ID.test(text) ? await campaigns.find(Number(text)) : null;
  const { items } = await campaigns.list({ page: 1, limit: MOST }, { text, brandId });
  const named = byId === null ? [] : [byId.campaign].filter((one) => brandId === undefined || one.brandId === brandId);
  const all = new Map([...named, ...items].map((campaign) => [campaign.id, campaign]));
  return [...all.values()].slice(0, MOST).map(({ id, title }) => hit('campaign', id, title, `/campaigns/${id}`));
}

async function findAttempt(
  storage: From<'attempts' | 'campaigns'>,
  text: string,
  brandId: number | undefined,
): Promise<readonly SearchHit[]> {
  const attempt = AN_ID.test(text) ? await storage.attempts.find(Number(text)) : null;
  const campaign = attempt && (await campaignOf(storage, attempt));
  if (attempt === null || campaign === null || (brandId !== undefined && campaign.brandId !== brandId)) return [];
  return [hit('attempt', attempt.id, `Attempt ${attempt.id}: ${campaign.title}`, pathOf(campaign, attempt))];
}

async function findDeliveries(
  { deliveries, webhooks }: From<'deliveries' | 'webhooks'>,
  messageId: string,
  brandId: number | undefined,
): Promise<readonly SearchHit[]> {
  const hits: SearchHit[] = [];
  for (const { id, target, event, status } of await deliveries.search({ messageId }, CANDIDATES)) {
    if (hits.length === MOST) break;
    // Subscribers in process have no page.
    const webhook = typeof target === 'number' ? await webhooks.find(target, brandId) : null;
    if (webhook === null) continue;
    if (brandId !== undefined && (isAboutCreators(event) || isOperators(webhook))) continue;
    const path = `/webhooks/${webhook.brandId}/${webhook.id}/deliveries/${id}`;
    hits.push(hit('delivery', id, `${event}: ${status}`, path));
  }
  return hits;
}

async function findRequest({ audit }: From<'audit'>, requestId: string): Promise<readonly SearchHit[]> {
  const { items } = await audit.list({ requestId }, { page: 1, limit: MOST });
  const path = `/audit-log?${new URLSearchParams({ request: requestId })}`;
  const titleOf = (operation: string, target: string | null) =>
    target === null ? operation : `${operation} ${target}`;
  return items.map(({ id, operation, target }) => hit('audit-entry', id, titleOf(operation, target), path));
}

async function campaignOf({ campaigns }: From<'campaigns'>, { challengeId }: Attempt): Promise<Campaign | null> {
  return (await campaigns.find({ challengeId }))?.campaign ?? null;
}

const pathOf = (campaign: Campaign, attempt: Attempt) => `/campaigns/${campaign.id}/participants/${attempt.id}`;
