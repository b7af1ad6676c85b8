/** The console's app: it finds the page it runs in and draws itself there. */
// All of the library's styles, in its order. Ours come last, since they change some.
import '@mantine/core/styles.css';
import '@mantine/notifications/styles.css';
import './console.css';
import { MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClientProvider } from '@tanstack/react-query';
import { createRoot } from 'react-dom/client';
import { Router } from 'wouter';
import { App } from './app.tsx';
import { receiveLanding } from './parts/landing.ts';
import { useFragmentPath } from './parts/location.ts';
import { PageBoundary } from './parts/page-boundary.tsx';
import { queries } from './parts/queries.ts';
import { settings, styleNonce } from './settings.ts';
import { cssVariables, theme } from './theme.ts';

receiveLanding();
createRoot(settings.root).render(
  <MantineProvider
    theme={theme}
    cssVariablesResolver={cssVariables}
    defaultColorScheme="auto"
    getStyleNonce={() => styleNonce}
  >
    <Notifications position="bottom-right" />
    <QueryClientProvider client={queries}>
      <Router hook={useFragmentPath}>
        <PageBoundary location="">
          <App />
        </PageBoundary>
      </Router>
    </QueryClientProvider>
  </MantineProvider>,
);
