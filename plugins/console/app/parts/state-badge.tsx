/** A state in a colour and, for those who see none, in words. */
import { Badge } from '@mantine/core';
import { term } from './terms.ts';

const COLORS: Readonly<Record<string, string>> = {
  rewarded: 'green',
  verified: 'teal',
  succeeded: 'green',
  running: 'green',
  active: 'green',
  ok: 'green',
  pending: 'yellow',
  verification_pending: 'yellow',
  awaiting_claim: 'yellow',
  upcoming: 'blue',
  failed: 'red',
  failed_terminal: 'red',
  failed_retryable: 'orange',
  after_end: 'orange',
  shared_handle: 'orange',
  refused: 'red',
  expired: 'red',
  revoked: 'red',
  scope: 'red',
  hidden: 'orange',
  removed: 'orange',
  cancelled: 'gray',
  ended: 'gray',
};

export function StateBadge({ state }: { readonly state: string }) {
  return (
    <Badge color={COLORS[state] ?? 'gray'} variant="dot" tt="none" fw={500} miw="max-content">
      {term(state)}
    </Badge>
  );
}
