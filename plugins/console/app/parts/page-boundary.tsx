/** Pages whose scripts are loaded when they are first shown, and what is in the place of one that cannot be shown. */

import { Button, Group, Text } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { Component, type ComponentType, type ReactNode } from 'react';
import type { PathParameters } from '../pages.tsx';
import { settings } from '../settings.ts';
import { Page } from './page.tsx';
import { queries } from './queries.ts';

const RETRIES = 2;
const RETRY_MS = 1_000;
const PAGE_MS = 10_000;

/** `new-version`: the host has no scripts of this one any more. `missing`: it answers, but not with the script. */
type WhyNotLoaded = 'new-version' | 'host-down' | 'missing';

class NotLoaded extends Error {
  readonly why: WhyNotLoaded;
  constructor(why: WhyNotLoaded, cause: unknown) {
    super('', { cause });
    this.why = why;
  }
}

/** Loads the script of a component. */
export type Load = () => Promise<{ readonly default: ComponentType<PathParameters> }>;

interface OnDemandProps {
  /** Tells its script from others. */
  readonly name: string;
  readonly load: Load;
  readonly properties: PathParameters;
}

/** Suspends until the script is there. One that does not come is asked for again; then the reason is thrown. */
export function OnDemand({ name, load, properties }: OnDemandProps) {
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

interface PageBoundaryProps {
  /** An error of the page before is not kept for another one. */
  readonly location: string;
  readonly children: ReactNode;
}

type State = { readonly error: Error | null };

/** Keeps an error of a page from ending the whole console. */
export class PageBoundary extends Component<PageBoundaryProps, State> {
  override state: State = { error: null };

  static getDerivedStateFromError(error: unknown): State {
    return { error: error instanceof Error ? error : new Error(String(error)) };
  }

  override componentDidUpdate(before: PageBoundaryProps, { error }: State) {
    if (error !== null && before.location !== this.props.location) this.retry();
  }

  /** What is stored of answers may be what the page failed of. Nothing shown uses it now. */
  readonly retry = () => {
    queries.removeQueries({ type: 'inactive' });
    this.setState({ error: null });
  };

  override render() {
    const { error } = this.state;
    return error === null ? this.props.children : <Failed error={error} onRetry={this.retry} />;
  }
}

const ADVICE: Readonly<Record<WhyNotLoaded | 'error', { readonly title: string; readonly advice: string }>> = {
  'new-version': {
    title: 'A new version is here',
    advice: 'The host has another version of the console since you opened this one. Reload it.',
  },
  'host-down': {
    title: 'The host does not answer',
    advice: 'The host is down, or the network is. Try again when it is back.',
  },
  missing: {
    title: 'This page did not load',
    advice: 'The host answers, but not with the script of this page. Try again. If this stays, tell who runs the host.',
  },
  error: {
    title: 'This page has an error',
    advice: 'Try again, or choose another page in the menu. If this stays, report the error below:',
  },
};

function Failed({ error, onRetry }: { readonly error: Error; readonly onRetry: () => void }) {
  const why = error instanceof NotLoaded ? error.why : 'error';
  const { title, advice } = ADVICE[why];
  return (
    <Page title={title}>
      <Text role="alert">{advice}</Text>
      {error.message !== '' && <Text className="break">{error.message}</Text>}
      <Group>
        {why !== 'new-version' && (
          <Button variant="default" onClick={onRetry}>
            Try again
          </Button>
        )}
        <Button variant="default" onClick={() => location.reload()}>
          Reload
        </Button>
      </Group>
    </Page>
  );
}
