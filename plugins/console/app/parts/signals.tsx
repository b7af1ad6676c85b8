/** What may be worth a look at a participant, and what it means. */
import type { Participant } from '@credence/client';
import { Badge, Group } from '@mantine/core';
import { term } from './format.tsx';
import { Facts } from './page.tsx';

export type Signal = NonNullable<Participant['signals']>[number];

const MEANINGS: Readonly<Record<Signal, string>> = {
  'shared-account': 'The handle is linked to several creators.',
  'same-text': 'Another account wrote the same text of at least three words before.',
  burst: 'At least 10 comments came within 10 seconds, more than half of those of 2 minutes.',
  'new-account': 'The account was less than a week old.',
  'first-second': 'The comment came within a second of the post or of the start of the campaign.',
};
export const SIGNALS = Object.keys(MEANINGS) as readonly Signal[];

interface SignalsProps {
  readonly of: Participant['signals'];
}

export function SignalBadges({ of }: SignalsProps) {
  if (!of || of.length === 0) return '–';
  return (
    <Group gap={4}>
      {of.map((signal) => (
        <Badge key={signal} title={MEANINGS[signal]} color="orange" variant="dot" tt="none" fw={500} miw="max-content">
          {term(signal)}
        </Badge>
      ))}
    </Group>
  );
}

export function SignalFacts({ of }: SignalsProps) {
  return <Facts of={Object.fromEntries((of ?? []).map((signal) => [term(signal), MEANINGS[signal]]))} />;
}
