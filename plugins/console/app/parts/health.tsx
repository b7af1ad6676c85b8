/** How the deliveries of a webhook go. */
import type { ListedWebhook } from '@credence/client';
import { Text } from '@mantine/core';
import { number, PERCENT, Time } from './format.tsx';

interface HealthProps {
  readonly of: ListedWebhook['health'];
}

/** Below this, somebody should look. */
const GOOD_RATE = 0.95;

/** The share that succeeded, and what became of the others. */
export function SuccessRate({ of: { successRate, succeeded, failed, retrying } }: HealthProps) {
  if (successRate === null) return <>–</>;
  const others = [failed > 0 && `${number(failed)} failed`, retrying > 0 && `${number(retrying)} tried again`];
  return (
    <>
      <Text span fw={600} c={successRate < GOOD_RATE ? 'var(--mantine-color-error)' : undefined}>
        {PERCENT.format(successRate)}
      </Text>{' '}
      of {number(succeeded + failed + retrying)}
      {others.some(Boolean) && ` (${others.filter(Boolean).join(', ')})`}
    </>
  );
}

/** When and why a try failed last. */
export function LastFailure({ of: { lastFailure } }: HealthProps) {
  if (lastFailure === null) return <>–</>;
  return (
    <>
      {lastFailure.error} <Time at={lastFailure.at} />
    </>
  );
}
