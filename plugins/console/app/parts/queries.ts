/** The cache of answers. The client repeats failed calls itself. */
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
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
