/** The cache of answers. The client repeats failed calls itself. */
import { QueryClient } from '@tanstack/react-query';

const FRESH_MS = 5_000;

export const queries = new QueryClient({
  defaultOptions: {
    // A host on the same machine answers without a network too. "Offline", calls would wait without a word.
    queries: { retry: false, staleTime: FRESH_MS, networkMode: 'always' },
    mutations: { retry: false, networkMode: 'always' },
  },
});
