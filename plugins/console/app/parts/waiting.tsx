/** Why an attempt waits, in a sentence. */
import type { AttemptDetail } from '@credence/client';
import { Text } from '@mantine/core';
import { Time } from './format.tsx';

interface WaitingTextProps {
  readonly waiting: AttemptDetail['waiting'];
  readonly platform: string | undefined;
}

export function WaitingText({ waiting, platform }: WaitingTextProps) {
  if (waiting === null) return null;
  const { message, since, nextCheckAt } = waiting;
  const named = platform === undefined ? message : message.replace('The platform', platformLabel(platform));
  return (
    <Text component="span" size="sm" c="dimmed" className="break">
      {named} Waiting since <Time at={since} />;{' '}
      {nextCheckAt === null ? (
        'the creator has to claim again.'
      ) : (
        <>
          next check <Time at={nextCheckAt} />.
        </>
      )}
    </Text>
  );
}

/** What keeps a verified attempt from its reward. */
export function HeldText({ held }: { readonly held: AttemptDetail['held'] }) {
  if (held === undefined) return null;
  return (
    <Text component="span" size="sm" c="dimmed" className="break">
      {held.message} Held since <Time at={held.since} />
    </Text>
  );
}

const LABELS: Readonly<Record<string, string>> = { tiktok: 'TikTok', youtube: 'YouTube' };
export const platformLabel = (name: string) => LABELS[name] ?? name.charAt(0).toUpperCase() + name.slice(1);
