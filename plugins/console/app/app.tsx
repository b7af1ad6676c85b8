/** The frame of all pages: navigation, who is signed in, and the page that the address names. */
import {
  Anchor,
  AppShell,
  Burger,
  Button,
  Group,
  Loader,
  NavLink,
  ScrollArea,
  Text,
  useComputedColorScheme,
  useMantineColorScheme,
} from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Suspense, useEffect } from 'react';
import { Link, Redirect, Route, Switch, useLocation } from 'wouter';
import { PAGES, type PageEntry, type PathParameters } from './pages.tsx';
import { ActionButton } from './parts/action.tsx';
import { BrandName } from './parts/brands.tsx';
import { ConnectionBar, heartbeat, useConnection } from './parts/connection.tsx';
import { Icon, type IconName, Logo } from './parts/icon.tsx';
import { entryNumber } from './parts/location.ts';
import { Page } from './parts/page.tsx';
import { OnDemand, PageBoundary } from './parts/page-boundary.tsx';
import { hasFailedForNow, queries } from './parts/queries.ts';
import { useRead } from './parts/reads.tsx';
import { SearchButton } from './parts/search.tsx';
import { ShownOnce } from './parts/shown-once.tsx';
import { SignedIn, useSession } from './session.tsx';
import { settings } from './settings.ts';

export function App() {
  return (
    <SignedIn>
      <Shell />
    </SignedIn>
  );
}

function Shell() {
  const [isOpen, { toggle, close }] = useDisclosure(false);
  const { caller, signOut } = useSession();
  const [location] = useLocation();
  const isDown = useConnection().downSince !== null;
  // Whether the host lives and still takes the token, also on a page that asks nothing by itself.
  const { dataUpdatedAt: answeredAt } = useRead('tokens.caller', {}, { refetchInterval: heartbeat });
  useEffect(() => {
    // What failed for now. The rest asks by itself.
    if (answeredAt > 0 && !isDown) void queries.refetchQueries({ type: 'active', predicate: hasFailedForNow });
  }, [answeredAt, isDown]);
  const isServed = (service: string | undefined) => service === undefined || settings.services.has(service);
  const pages = PAGES.filter(({ roles, service }) => roles.includes(caller.role) && isServed(service));
  const first = pages.find(({ label }) => label !== undefined)?.path ?? '/';
  return (
    <AppShell
      transitionDuration={0}
      header={{ height: 56 }}
      navbar={{ width: 232, breakpoint: 'sm', collapsed: { mobile: !isOpen } }}
      padding={{ base: 'md', lg: 'xl' }}
      layout="alt"
    >
      <AppShell.Header>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          <Burger opened={isOpen} onClick={toggle} hiddenFrom="sm" size="sm" aria-label="Menu" aria-expanded={isOpen} />
          <Group gap="xs" wrap="nowrap" ml="auto">
            <Text size="sm" c="dimmed" visibleFrom="xs">
              {caller.brandId === null ? 'Role' : 'Brand'}:{' '}
              {caller.brandId === null ? caller.role : <BrandName id={caller.brandId} />}
            </Text>
            {settings.services.has('engagement') && (caller.role === 'admin' || caller.role === 'brand') && (
              <SearchButton />
            )}
            <SchemeButton />
            {signOut && (
              <ActionButton size="xs" run={signOut}>
                Sign out
              </ActionButton>
            )}
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="sm" aria-label="Pages">
        <AppShell.Section component={Group} gap="0.6rem" px="0.5rem" pt="0.25rem" pb="1rem">
          <Logo />
          <Text component="span" fw={700} size="lg">
            Credence
          </Text>
          <Burger opened={isOpen} onClick={toggle} hiddenFrom="sm" size="sm" ml="auto" aria-label="Close the menu" />
        </AppShell.Section>
        <AppShell.Section grow component={ScrollArea}>
          {pages.map((page) => page.label && <MenuLink key={page.path} {...page} onClick={close} />)}
        </AppShell.Section>
        <AppShell.Section p="xs">
          <Anchor href={`${settings.apiUrl}docs`} size="sm" className="together">
            <Icon name="docs" /> API documentation
          </Anchor>
        </AppShell.Section>
      </AppShell.Navbar>
      <AppShell.Main className="main" data-outdated={isDown || undefined}>
        <ShownOnce />
        <ConnectionBar onRetry={() => void queries.refetchQueries({ type: 'active' })} />
        <PageBoundary location={location}>
          <Suspense fallback={<Loader role="status" aria-label="Loading" />}>
            <Switch>
              {pages.map(({ path, load }) => (
                <Route key={path} path={path}>
                  {(parameters: PathParameters) => (
                    <OnDemand key={`${entryNumber()} ${location}`} name={path} load={load} properties={parameters} />
                  )}
                </Route>
              ))}
              <Route path="/">
                <Redirect to={first} replace />
              </Route>
              <Route>
                <Page title="There is no such page">
                  <Text>Choose one in the menu. Your token may not see every page.</Text>
                </Page>
              </Route>
            </Switch>
          </Suspense>
        </PageBoundary>
      </AppShell.Main>
    </AppShell>
  );
}

function MenuLink({ path, label, onClick }: PageEntry & { readonly onClick: () => void }) {
  const [location] = useLocation();
  const isActive = location === path || location.startsWith(`${path}/`);
  return (
    <NavLink
      component={Link}
      href={path}
      label={label}
      active={isActive}
      leftSection={<Icon name={path.slice(1) as IconName} />}
      className="page-link"
      aria-current={isActive ? 'page' : undefined}
      onClick={onClick}
    />
  );
}

/** Switches between light and dark; at first it is as the system says. */
function SchemeButton() {
  const { toggleColorScheme } = useMantineColorScheme();
  const scheme = useComputedColorScheme('light');
  return (
    <Button variant="subtle" color="gray" size="xs" onClick={toggleColorScheme}>
      {scheme === 'light' ? 'Dark' : 'Light'}
    </Button>
  );
}
