/** The pages: add a row to add one. Each is loaded when it is first opened. */
import type { IconName } from './parts/icon.tsx';
import type { Load } from './parts/on-demand.tsx';
import type { Role } from './session.tsx';

export interface PageEntry {
  /** Below the hash; `:name` becomes a property of the component. */
  readonly path: string;
  /** In the menu; none for pages below others. */
  readonly label?: string;
  readonly icon?: IconName;
  /** Whose tokens may read what it shows. */
  readonly roles: readonly Role[];
  /** The service that it needs. */
  readonly service?: string;
  readonly load: Load<Readonly<Record<string, string | undefined>>>;
}

const ADMIN: readonly Role[] = ['admin'];
const OPERATORS: readonly Role[] = ['admin', 'brand'];

export const PAGES: readonly PageEntry[] = [
  {
    path: '/overview',
    label: 'Overview',
    icon: 'overview',
    roles: ADMIN,
    load: () => import('./pages/overview.tsx'),
  },
  {
    path: '/campaigns',
    label: 'Campaigns',
    icon: 'campaigns',
    roles: ['admin', 'brand', 'client'],
    service: 'engagement',
    load: () => import('./pages/campaigns.tsx'),
  },
  {
    path: '/campaigns/new',
    roles: OPERATORS,
    service: 'engagement',
    load: () => import('./pages/new-campaign.tsx'),
  },
  {
    path: '/campaigns/:id',
    roles: ['admin', 'brand', 'client'],
    service: 'engagement',
    load: () => import('./pages/campaign.tsx'),
  },
  {
    path: '/campaigns/:id/participants',
    roles: OPERATORS,
    service: 'engagement',
    load: () => import('./pages/participants.tsx'),
  },
  {
    path: '/campaigns/:id/participants/:attemptId',
    roles: OPERATORS,
    service: 'engagement',
    load: () => import('./pages/participant.tsx'),
  },
  {
    path: '/webhooks',
    label: 'Webhooks',
    icon: 'webhooks',
    roles: OPERATORS,
    service: 'engagement',
    load: () => import('./pages/webhooks.tsx'),
  },
  {
    path: '/webhooks/:brandId',
    roles: OPERATORS,
    service: 'engagement',
    load: () => import('./pages/webhooks.tsx'),
  },
  {
    path: '/webhooks/:brandId/:webhookId',
    roles: OPERATORS,
    service: 'engagement',
    load: () => import('./pages/webhook.tsx'),
  },
  {
    path: '/webhooks/:brandId/:webhookId/deliveries/:deliveryId',
    roles: OPERATORS,
    service: 'engagement',
    load: () => import('./pages/delivery.tsx'),
  },
  {
    path: '/proofs',
    label: 'Web proofs',
    icon: 'proofs',
    roles: ['admin', 'client', 'brand', 'creator'],
    service: 'web-prover',
    load: () => import('./pages/proofs.tsx'),
  },
  {
    path: '/creators',
    label: 'Creators',
    icon: 'creators',
    roles: ADMIN,
    service: 'engagement',
    load: () => import('./pages/creators.tsx'),
  },
  {
    path: '/creators/import',
    roles: ADMIN,
    service: 'engagement',
    load: () => import('./pages/import-creators.tsx'),
  },
  {
    path: '/creators/:id',
    roles: ADMIN,
    service: 'engagement',
    load: () => import('./pages/creator.tsx'),
  },
  {
    path: '/brands',
    label: 'Brands',
    icon: 'brands',
    roles: OPERATORS,
    service: 'engagement',
    load: () => import('./pages/brands.tsx'),
  },
  {
    path: '/brands/:id',
    roles: OPERATORS,
    service: 'engagement',
    load: () => import('./pages/brand.tsx'),
  },
  {
    path: '/connected',
    roles: OPERATORS,
    service: 'engagement',
    load: () => import('./pages/connected.tsx'),
  },
  {
    path: '/tokens',
    label: 'Tokens',
    icon: 'tokens',
    roles: ADMIN,
    load: () => import('./pages/tokens.tsx'),
  },
  {
    path: '/jobs',
    label: 'Jobs',
    icon: 'jobs',
    roles: ADMIN,
    service: 'engagement',
    load: () => import('./pages/jobs.tsx'),
  },
  {
    path: '/audit-log',
    label: 'Audit log',
    icon: 'audit',
    roles: ADMIN,
    load: () => import('./pages/audit-log.tsx'),
  },
  {
    path: '/settings',
    label: 'Settings',
    icon: 'settings',
    roles: ADMIN,
    load: () => import('./pages/settings.tsx'),
  },
];
