/** A state in a colour and, for those who see none, in words. */
import { Badge } from '@mantine/core';
import { term } from './terms.ts';

/** All others are gray. */
const STATES_OF_COLOR = {
  green: ['rewarded', 'succeeded', 'running', 'active', 'ok'],
  teal: ['verified'],
  yellow: ['pending', 'verification_pending', 'awaiting_claim'],
  blue: ['upcoming'],
  orange: ['failed_retryable', 'after_end', 'shared_handle', 'hidden', 'removed'],
  red: ['failed', 'failed_terminal', 'refused', 'expired', 'revoked', 'scope'],
};

export function StateBadge({ state }: { readonly state: string }) {
  const color = Object.entries(STATES_OF_COLOR).find(([, states]) => states.includes(state))?.[0] ?? 'gray';
  return (
    <Badge color={color} variant="dot" tt="none" fw={500} miw="max-content">
      {term(state)}
    </Badge>
  );
}
