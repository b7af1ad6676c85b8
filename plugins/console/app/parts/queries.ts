/** The cache of answers. The client repeats failed calls itself. */

import { CredenceApiError } from '@credence/client';
import { notifications } from '@mantine/notifications';
import { MutationCache, type Query, QueryCache, QueryClient, useQuery } from '@tanstack/react-query';
import { noteAnswer } from './connection.tsx';

const FRESH_MS = 5_000;

export const queries = new QueryClient({
  queryCache: new QueryCache({
    // A script may come from the browser's own cache: it says nothing of the host.
    onSuccess: (_, { queryKey }) => queryKey[0] !== 'script' && noteAnswer(null),
    onError: noteAnswer,
  }),
  mutationCache: new MutationCache({ onSuccess: () => noteAnswer(null), onError: noteAnswer }),
  defaultOptions: {
    // A host on the same machine answers without a network too. "Offline", calls would wait without a word.
    queries: { retry: false, staleTime: FRESH_MS, networkMode: 'always' },
    mutations: { retry: false, networkMode: 'always' },
  },
});

/** A refusal stays one; a host that is overloaded or down does not. */
export const hasFailedForNow = ({ state: { status, error } }: Query): boolean =>
  status === 'error' && !(error instanceof CredenceApiError && error.status < 500 && error.status !== 429);

let session = new AbortController();

/** Aborted when the session of now ends. */
export const sessionSignal = () => session.signal;

/** What one session read and was told is none of the next one's business. `lost`: nobody signed out in this tab. */
export function forgetAnswers(why?: 'lost'): void {
  session.abort(why);
  session = new AbortController();
  queries.clear();
  notifications.clean();
}

/** State that outlives its page, for what ends while somebody looks at another page. It ends with the session. */
export function useKept<Value>(name: string, first: Value) {
  const queryKey = ['kept', name];
  const ended = sessionSignal();
  const { data } = useQuery({
    queryKey,
    initialData: first as never,
    staleTime: 'static',
    gcTime: Number.POSITIVE_INFINITY,
    structuralSharing: false,
  });
  const change = (next: (before: Value) => Value) => {
    if (!ended.aborted) queries.setQueryData<Value>(queryKey, (before = first) => next(before));
  };
  return [data as Value, change] as const;
}
