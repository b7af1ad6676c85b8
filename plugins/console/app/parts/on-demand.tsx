/** Components whose scripts are loaded when they are first shown. */
import { useSuspenseQuery } from '@tanstack/react-query';
import type { ComponentType } from 'react';
import { settings } from '../settings.ts';

const RETRIES = 2;
const RETRY_MS = 1_000;
const PAGE_MS = 10_000;

/** `new-version`: the host has no scripts of this one any more. `missing`: it answers, but not with the script. */
export type WhyNotLoaded = 'new-version' | 'host-down' | 'missing';

export class NotLoaded extends Error {
  readonly why: WhyNotLoaded;
  constructor(why: WhyNotLoaded, cause: unknown) {
    super('', { cause });
    this.why = why;
  }
}

/** Loads the script of a component. */
export type Load<Properties> = () => Promise<{ readonly default: ComponentType<Properties> }>;

interface OnDemandProps<Properties> {
  /** Tells its script from others. */
  readonly name: string;
  readonly load: Load<Properties>;
  readonly properties: Properties;
}

/** Suspends until the script is there. One that does not come is asked for again; then the reason is thrown. */
export function OnDemand<Properties extends object>({ name, load, properties }: OnDemandProps<Properties>) {
  const { data: Loaded } = useSuspenseQuery({
    queryKey: ['script', name],
    queryFn: async () => {
      try {
        return (await load()).default;
      } catch (cause) {
        throw await reasonOf(cause);
      }
    },
    retry: (tries, error) => tries < RETRIES && !(error instanceof NotLoaded && error.why === 'new-version'),
    retryDelay: RETRY_MS,
    staleTime: 'static',
    gcTime: Number.POSITIVE_INFINITY,
  });
  return <Loaded {...properties} />;
}

/** Browsers do not say why a script did not come. The page of the console names the scripts of its version. */
async function reasonOf(cause: unknown): Promise<Error> {
  try {
    const response = await fetch(settings.pageUrl, { cache: 'no-store', signal: AbortSignal.timeout(PAGE_MS) });
    const [, script] = /<script type="module" src="([^"]+)"/.exec(await response.text()) ?? [];
    const isOther = response.ok && script !== undefined && script !== settings.script;
    return new NotLoaded(isOther ? 'new-version' : 'missing', cause);
  } catch {
    return new NotLoaded('host-down', cause);
  }
}
