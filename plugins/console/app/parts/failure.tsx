/** What went wrong, and what to do. */

import { CredenceApiError, CredenceConnectionError } from '@credence/client';
import { Alert, Button, Group, Text } from '@mantine/core';
import { Id } from './copy.tsx';
import { Time } from './format.tsx';

interface FailureProps {
  readonly error: Error;
  readonly onRetry?: (() => void) | undefined;
}

/** The message of the API, which says what to do; what it names of the input, and the request for the logs. */
export function describe(error: Error): string {
  if (!(error instanceof CredenceApiError)) return error.message;
  // Nobody in front of a page has seen the key.
  if (error.code === 'IDEMPOTENCY_KEY_IN_USE')
    return 'The host may still be at work on the first press. Try again in half a minute.';
  const { issues } = (error.details ?? {}) as { readonly issues?: readonly { path?: unknown; message?: unknown }[] };
  const named = (issues ?? []).map(({ path, message }) => `${Array.isArray(path) ? path.join('.') : path}: ${message}`);
  const texts = [error.message, ...named.filter((text) => !error.message.includes(text))];
  return texts.map((text) => text.replace(/[^.]$/, '$&.')).join(' ');
}

export function Failure({ error, onRetry }: FailureProps) {
  const requestId = error instanceof CredenceApiError ? error.requestId : null;
  return (
    <Alert color="red" variant="outline" role="alert" title={titleOf(error)}>
      <Text className="break">{describe(error)}</Text>
      {requestId !== null && (
        <Text size="sm" c="dimmed" className="break">
          Request <Id name="the request id">{requestId}</Id>
        </Text>
      )}
      {onRetry && (
        <Group mt="sm">
          <Button variant="default" size="xs" onClick={onRetry}>
            Try again
          </Button>
        </Group>
      )}
    </Alert>
  );
}

interface OutdatedProps {
  readonly query: { readonly error: Error | null; readonly dataUpdatedAt: number };
}

/** Beside an answer that is shown though a later reading of it failed. If the host does not answer, the bar above says it. */
export function Outdated({ query: { error, dataUpdatedAt } }: OutdatedProps) {
  if (error === null || error instanceof CredenceConnectionError) return null;
  return (
    <Text role="alert" size="sm" className="break">
      As of <Time at={dataUpdatedAt} />. It could not be read again: {describe(error)}
    </Text>
  );
}

function titleOf(error: Error): string {
  if (error instanceof CredenceConnectionError) return 'The host does not answer';
  if (!(error instanceof CredenceApiError)) return 'This did not work';
  if (error.status === 401) return 'The token is not valid';
  if (error.status === 403) return 'Your token may not do this';
  if (error.status === 404) return 'Not found';
  return error.code === null ? `Refused with status ${error.status}` : `Refused: ${error.code}`;
}
