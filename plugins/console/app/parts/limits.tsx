/** What a campaign pays at most. */
import type { CampaignDetail } from '@credence/client';
import { limitsText } from './campaign-words.ts';
import { useValue } from './fields.ts';
import { FormPart, NumberFields, type PartProps } from './form-part.tsx';
import { given } from './given.ts';

const FIELDS = [
  ['maxRewards', 'Rewards', 100_000, 'Empty: no limit'],
  ['pointsBudget', 'Points in all', 1_000_000_000_000, 'Empty: no limit'],
  ['pointsPerCreatorAndDay', 'Points for a creator in a day (UTC)', 1_000_000_000_000, 'Empty: no limit'],
] as const;

export const useLimits = (stored?: CampaignDetail['limits'], isFixed?: boolean) =>
  useValue(stored ?? {}, given, isFixed);

export function LimitsPart({ of: { state, value }, fixed }: PartProps<typeof useLimits>) {
  return (
    <FormPart title="What it pays at most" says={limitsText(value)} fixed={fixed}>
      <NumberFields of={FIELDS} state={state} />
    </FormPart>
  );
}
