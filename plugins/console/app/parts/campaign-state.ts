import type { Campaign } from '@credence/client';

/** As the filter `state` of the list means it. */
export function campaignState({ isActive, startsAt, endsAt }: Campaign, now = Date.now()): string {
  if (!isActive || (endsAt !== null && Date.parse(endsAt) <= now)) return 'ended';
  return startsAt !== null && Date.parse(startsAt) > now ? 'upcoming' : 'running';
}
