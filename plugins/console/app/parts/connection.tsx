/** Whether the host answers: one bar says it on every page, and the rest of the page need not. */
import { CredenceApiError, CredenceConnectionError } from '@credence/client';
import { Alert, Button, Group, Text } from '@mantine/core';
import { createStore, useStore } from '@mantine/store';
import { settings } from '../settings.ts';
import { Time } from './format.tsx';

/** A poll that fails waits longer each time, up to this. */
const SLOWEST_MS = 60_000;

const connection = createStore({
  /** When something was answered last, the page itself at first. */
  answeredAt: Date.now(),
  /** When the first call after that failed. Null: none has. */
  downSince: null as number | null,
});

export const useConnection = () => useStore(connection);

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
  if (error instanceof CredenceConnectionError)
    connection.setState((before) => ({ ...before, downSince: before.downSince ?? Date.now() }));
  else if (error === null || error instanceof CredenceApiError)
    connection.setState({ answeredAt: Date.now(), downSince: null });
}

/** For what is no operation of the client. @throws CredenceConnectionError if nothing answers */
export async function ask(path: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(`${settings.apiUrl}${path}`, init);
  } catch (cause) {
    throw new CredenceConnectionError('The host is down, or the network is.', { cause });
  }
}

/** For `refetchInterval`: as often as said while the host answers, ever more seldom while it does not. */
export const every = (ms: number) => () =>
  Math.max(ms, Math.min(Date.now() - (connection.getState().downSince ?? Date.now()), SLOWEST_MS));

/** For one small call, which shows soon after the host is back that it is. */
export const heartbeat = () => (connection.getState().downSince === null ? 10_000 : 3_000);

/** Nothing while the host answers. */
export function ConnectionBar({ onRetry }: { readonly onRetry: () => void }) {
  const { answeredAt, downSince } = useConnection();
  if (downSince === null) return null;
  return (
    <Alert color="red" variant="outline" role="alert" title="The host does not answer" mb="md">
      <Group justify="space-between">
        <Text>
          It last answered <Time at={answeredAt} />. The console asks again by itself.
        </Text>
        <Button variant="default" size="xs" onClick={onRetry}>
          Ask again now
        </Button>
      </Group>
    </Alert>
  );
}
