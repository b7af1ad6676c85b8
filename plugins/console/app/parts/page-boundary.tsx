/** What is shown in place of a page that cannot be shown. */
import { Button, Group, Text } from '@mantine/core';
import { Component, type ReactNode } from 'react';
import { NotLoaded, type WhyNotLoaded } from './on-demand.tsx';
import { Page } from './page.tsx';
import { queries } from './queries.ts';

interface PageBoundaryProps {
  /** An error of the page before is not kept for another one. */
  readonly location: string;
  readonly children: ReactNode;
}

type PageBoundaryState = { readonly error: Error | null };

/** Keeps an error of a page from ending the whole console. */
export class PageBoundary extends Component<PageBoundaryProps, PageBoundaryState> {
  override state: PageBoundaryState = { error: null };

  static getDerivedStateFromError(error: unknown): PageBoundaryState {
    return { error: error instanceof Error ? error : new Error(String(error)) };
  }

  override componentDidUpdate(before: PageBoundaryProps, { error }: PageBoundaryState) {
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
