/** The cache of answers. The client repeats failed calls itself. */
import { QueryClient } from '@tanstack/react-query';

const FRESH_MS = 5_000;

export const queries = new QueryClient({
  defaultOptions: { queries: { retry: false, staleTime: FRESH_MS }, mutations: { retry: false } },
});
