/** The pages: add a row to add one. Each is loaded when it is first opened. */
import type { Load } from './parts/page-boundary.tsx';
import type { Role } from './session.tsx';

export interface PageEntry {
  /** Below the hash; `:name` becomes a property of the component. */
  readonly path: string;
  /** In the menu, with the icon that is named as the path; none for pages below others. */
  readonly label?: string;
  /** Whose tokens may read what it shows. */
  readonly roles: readonly Role[];
  /** The service that it needs. */
  readonly service?: string;
  readonly load: Load;
}

export type PathParameters = Readonly<Record<string, string | undefined>>;

type For = Pick<PageEntry, 'roles' | 'service'>;
/** Whatever it serves. */
const INSTANCE: For = { roles: ['admin'] };
const ADMIN: For = { roles: ['admin'], service: 'engagement' };
const OPERATORS: For = { roles: ['admin', 'brand'], service: 'engagement' };
const READERS: For = { roles: ['admin', 'brand', 'client'], service: 'engagement' };
const PROVERS: For = { roles: ['admin', 'client', 'brand', 'creator'], service: 'web-prover' };

export const PAGES: readonly PageEntry[] = [
  { path: '/overview', label: 'Overview', ...INSTANCE, load: () => import('./pages/overview.tsx') },
  { path: '/campaigns', label: 'Campaigns', ...READERS, load: () => import('./pages/campaigns.tsx') },
  { path: '/campaigns/new', ...OPERATORS, load: () => import('./pages/new-campaign.tsx') },
  { path: '/campaigns/:id', ...READERS, load: () => import('./pages/campaign.tsx') },
  { path: '/campaigns/:id/participants', ...OPERATORS, load: () => import('./pages/participants.tsx') },
  { path: '/campaigns/:id/participants/:attemptId', ...OPERATORS, load: () => import('./pages/participant.tsx') },
  { path: '/webhooks', label: 'Webhooks', ...OPERATORS, load: () => import('./pages/webhooks.tsx') },
  { path: '/webhooks/:brandId', ...OPERATORS, load: () => import('./pages/webhooks.tsx') },
  { path: '/webhooks/:brandId/:webhookId', ...OPERATORS, load: () => import('./pages/webhook.tsx') },
  {
    path: '/webhooks/:brandId/:webhookId/deliveries/:deliveryId',
    ...OPERATORS,
    load: () => import('./pages/delivery.tsx'),
  },
  { path: '/proofs', label: 'Web proofs', ...PROVERS, load: () => import('./pages/proofs.tsx') },
  { path: '/creators', label: 'Creators', ...ADMIN, load: () => import('./pages/creators.tsx') },
  { path: '/creators/import', ...ADMIN, load: () => import('./pages/import-creators.tsx') },
  { path: '/creators/:id', ...ADMIN, load: () => import('./pages/creator.tsx') },
  { path: '/brands', label: 'Brands', ...OPERATORS, load: () => import('./pages/brands.tsx') },
  { path: '/brands/:id', ...OPERATORS, load: () => import('./pages/brand.tsx') },
  { path: '/connected', ...OPERATORS, load: () => import('./pages/connected.tsx') },
  { path: '/tokens', label: 'Tokens', ...INSTANCE, load: () => import('./pages/tokens.tsx') },
  { path: '/jobs', label: 'Jobs', ...ADMIN, load: () => import('./pages/jobs.tsx') },
  { path: '/audit-log', label: 'Audit log', ...INSTANCE, load: () => import('./pages/audit-log.tsx') },
  { path: '/settings', label: 'Settings', ...INSTANCE, load: () => import('./pages/settings.tsx') },
];
