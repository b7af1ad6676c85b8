/** Whether the host answers: one bar says it on every page, and the rest of the page need not. */
import { CredenceApiError, CredenceConnectionError } from '@credence/client';
import { Alert, Button, Group, Text } from '@mantine/core';
import { useSyncExternalStore } from 'react';
import { settings } from '../settings.ts';
import { Time } from './format.tsx';

/** A poll that fails waits longer each time, up to this. */
const SLOWEST_MS = 60_000;

interface Connection {
  /** When something was answered last. */
  readonly answeredAt: number;
  /** Failures since then. */
  readonly failures: number;
}

let connection: Connection = { answeredAt: Date.now(), failures: 0 };
const told = new Set<() => void>();

function change(next: Connection): void {
  connection = next;
  for (const tell of told) tell();
}

/** Told when the host refuses the token of the session. */
let refused: (() => void) | null = null;

/** @returns what ends it */
export function onRefusedToken(tell: () => void): () => void {
  refused = tell;
  return () => {
    refused = null;
  };
}

/** Notes how a call ended: any answer of the host, a refusal too, shows that it lives. */
export function noteAnswer(error: Error | null): void {
  if (error instanceof CredenceApiError && error.status === 401) refused?.();
  if (error instanceof CredenceConnectionError) change({ ...connection, failures: connection.failures + 1 });
  else if (error === null || error instanceof CredenceApiError) change({ answeredAt: Date.now(), failures: 0 });
}

/** For what is no operation of the client. @throws CredenceConnectionError if nothing answers */
export async function ask(path: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(`${settings.apiUrl}${path}`, init);
  } catch (cause) {
    throw new CredenceConnectionError('The host is down, or the network is.', { cause });
  }
}

export function useConnection(): Connection {
  return useSyncExternalStore(
    (tell) => {
      told.add(tell);
      return () => told.delete(tell);
    },
    () => connection,
  );
}

/** For `refetchInterval`: as often as said while the host answers, ever more seldom while it does not. */
export const every = (ms: number) => () =>
  Math.min(ms * 2 ** Math.min(connection.failures, 10), Math.max(ms, SLOWEST_MS));

interface ConnectionBarProps {
  readonly onRetry: () => void;
}

/** Nothing while the host answers. */
export function ConnectionBar({ onRetry }: ConnectionBarProps) {
  const { answeredAt, failures } = useConnection();
  if (failures === 0) return null;
  return (
    <Alert color="red" variant="outline" role="alert" title="The host does not answer" mb="md">
      <Group justify="space-between">
        <Text>
          What you see is as of <Time at={answeredAt} />. The console asks again by itself.
        </Text>
        <Button variant="default" size="xs" onClick={onRetry}>
          Ask again now
        </Button>
      </Group>
    </Alert>
  );
}
