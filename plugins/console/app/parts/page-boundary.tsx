/** What is shown in place of a page that cannot be shown. */
import { Button, Group, Text } from '@mantine/core';
import { Component, type ReactNode } from 'react';
import { HostDown, NewVersion, ScriptMissing } from './on-demand.tsx';
import { Page } from './page.tsx';
import { queries } from './queries.ts';

interface PageBoundaryProps {
  /** An error of the page before is not kept for another one. */
  readonly location: string;
  readonly children: ReactNode;
}

interface PageBoundaryState {
  readonly error: Error | null;
}

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

function Failed({ error, onRetry }: { readonly error: Error; readonly onRetry: () => void }) {
  const { title, advice } = adviceOn(error);
  return (
    <Page title={title}>
      <Text role="alert">{advice}</Text>
      {error.message !== '' && <Text className="break">{error.message}</Text>}
      <Group>
        {!(error instanceof NewVersion) && (
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

function adviceOn(error: Error): { readonly title: string; readonly advice: string } {
  if (error instanceof NewVersion) {
    return {
      title: 'A new version is here',
      advice: 'The host has another version of the console since you opened this one. Reload it.',
    };
  }
  if (error instanceof HostDown) {
    return {
      title: 'The host does not answer',
      advice: 'The host is down, or the network is. Try again when it is back.',
    };
  }
  if (error instanceof ScriptMissing) {
    return {
      title: 'This page did not load',
      advice:
        'The host answers, but not with the script of this page. Try again. If this stays, tell who runs the host.',
    };
  }
  return {
    title: 'This page has an error',
    advice: 'Try again, or choose another page in the menu. If this stays, report the error below:',
  };
}
