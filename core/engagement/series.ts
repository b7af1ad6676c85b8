/** Figures by time, for charts: what happened in each hour or day. */
import { DomainError } from '../errors.ts';
import { readsKey } from '../platforms/count-reads.ts';
import type { PlatformRegistry } from '../platforms/registry.ts';
import { BUCKET_MS, type SeriesCount, type SeriesRange } from '../ports/series.ts';
import { requireOwn } from './brands/own-brand.ts';
import { requireCampaign } from './campaigns/find-campaign.ts';
import type { Needs } from './use-case-parts.ts';
import { requireWebhook } from './webhooks/manage-webhooks.ts';
import { ACCOUNT_EVENT_NAMES } from './webhooks/outbox.ts';

export const SERIES = ['attempts', 'deliveries', 'reads', 'failures'] as const;

/** Days of a range: the most, and those without `from`. */
const LONGEST = { hour: 14, day: 90 } as const;
const USUAL = { hour: 1, day: 30 } as const;

const NARROWED = ['campaignId', 'brandId', 'webhookId'] as const;

/** What each series can be narrowed to. */
const TAKES: Readonly<Record<(typeof SERIES)[number], readonly (typeof NARROWED)[number][]>> = {
  attempts: ['campaignId', 'brandId'],
  deliveries: ['brandId', 'webhookId'],
  reads: [],
  failures: [],
};

export interface ReadSeriesInput extends Pick<SeriesRange, 'by'> {
  readonly what: (typeof SERIES)[number];
  /** By default a day before `to` by hour, 30 by day. */
  readonly from?: Date | undefined;
  /** By default now. */
  readonly to?: Date | undefined;
  readonly campaignId?: number | undefined;
  readonly brandId?: number | undefined;
  readonly webhookId?: number | undefined;
  /** The brand that the caller is bound to. */
  readonly own?: number | undefined;
}

export interface ReadSeriesDeps extends Needs<'attempts' | 'campaigns' | 'webhooks' | 'deliveries' | 'usage', 'clock'> {
  readonly platforms: Pick<PlatformRegistry, 'names'>;
}

/**
 * By time, then by name; without empty buckets.
 * @throws DomainError `INVALID_REQUEST` for a range that is empty or too long, or a filter that does not go with the series;
 * `NOT_FOUND` for a campaign or webhook that is not the caller's; `FORBIDDEN` if a brand asks for reads
 */
export function readSeries(deps: ReadSeriesDeps) {
  const checkOwn = requireOwn(deps);
  return async ({ own, ...asked }: ReadSeriesInput): Promise<readonly SeriesCount[]> => {
    const { what, campaignId, brandId = own } = asked;
    if (own !== undefined) {
      if (TAKES[what].length === 0)
        throw new DomainError('FORBIDDEN', 'Reads of platforms are not for tokens of one brand.');
      await checkOwn(own, campaignId === undefined ? { brandId: brandId ?? own } : { campaignId });
    }
    const input = { ...asked, brandId };
    checkNarrowed(input);
    const range = rangeOf(input, deps.clock.now());
    const sums = new Map<string, SeriesCount>();
    for (const { at, name, count } of await countsOf(deps, input, range, own !== undefined)) {
      const key = `${at.getTime()} ${name}`;
      sums.set(key, { at, name, count: count + (sums.get(key)?.count ?? 0) });
    }
    return [...sums.values()].sort((a, b) => a.at.getTime() - b.at.getTime() || (a.name < b.name ? -1 : 1));
  };
}

function checkNarrowed(input: ReadSeriesInput): void {
  const { what } = input;
  for (const name of NARROWED) {
    if (input[name] !== undefined && !TAKES[what].includes(name)) throw invalid(name, `does not go with "${what}"`);
    const isNeeded = what === 'deliveries' && TAKES.deliveries.includes(name);
    if (isNeeded && input[name] === undefined) throw invalid(name, 'is missing: deliveries are those of one webhook');
  }
}

/** From the beginning of the first bucket on, so that it is whole. */
function rangeOf({ by, ...given }: ReadSeriesInput, now: Date): SeriesRange {
  const { to = now } = given;
  const { from = new Date(to.getTime() - USUAL[by] * BUCKET_MS.day) } = given;
  if (to <= from) throw invalid('from', 'must be before `to`');
  if (to.getTime() - from.getTime() > LONGEST[by] * BUCKET_MS.day) {
    const limits = Object.entries(LONGEST).map(([bucket, days]) => `${days} days by ${bucket}`);
    throw invalid('from', `is too early: a range has at most ${limits.join(', ')}`);
  }
  return { by, to, from: new Date(Math.floor(from.getTime() / BUCKET_MS[by]) * BUCKET_MS[by]) };
}

function invalid(path: string, problem: string): DomainError {
  const message = `\`${path}\` ${problem}.`;
  return new DomainError('INVALID_REQUEST', message, { details: { issues: [{ path, message }] } });
}

async function countsOf(
  { storage, platforms }: ReadSeriesDeps,
  { what, campaignId, brandId, webhookId = 0 }: ReadSeriesInput,
  range: SeriesRange,
  asBrand: boolean,
): Promise<readonly SeriesCount[]> {
  const ofBrand = brandId === undefined ? {} : { brandId };
  if (what === 'attempts') {
    const challenge = campaignId === undefined ? null : (await requireCampaign(storage, campaignId)).challenge;
    return storage.attempts.series(range, { ...ofBrand, ...(challenge && { challengeId: challenge.id }) });
  }
  if (what === 'deliveries') {
    await requireWebhook({ storage }, brandId ?? 0, webhookId, asBrand);
    return storage.deliveries.series(webhookId, range, asBrand ? { exceptEvents: ACCOUNT_EVENT_NAMES } : {});
  }
  const [from, to] = [range.from, range.to].map((at) => at.toISOString());
  const read = platforms.names.map(async (name) => {
    const hours = await storage.usage.between(readsKey(name), from as string, to as string);
    return hours.map(({ period, counts }) => ({ at: bucketOf(period, range), name, count: counts[what] ?? 0 }));
  });
  return (await Promise.all(read)).flat().filter(({ count }) => count > 0);
}

function bucketOf(hour: string, { by }: SeriesRange): Date {
  return new Date(by === 'hour' ? `${hour}:00Z` : hour.slice(0, '2026-11-28'.length));
}
