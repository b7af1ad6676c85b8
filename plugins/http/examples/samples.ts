/** What the examples of several operations and schemas show: one story, so that a reader finds its ids again. */
export const PLATFORM = 'instagram';
export const POST_URL = 'https://www.instagram.com/p/C8xample123/';
export const TIME = '2026-11-01T09:30:00.000Z';
export const PROFILE = { followers: 1204, full_name: 'Ada Lovelace', is_verified: false };
export const BRAND = { id: 3, name: 'Acme', slug: 'acme', logoUrl: null, createdAt: TIME };
export const WEBHOOK = {
  id: 3,
  url: 'https://hooks.example.com/credence',
  events: ['creator.verified', 'reward.issued'],
  active: true,
  description: 'Production',
  lastTriggeredAt: null,
  createdAt: TIME,
};
export const CONNECTION = {
  id: 4,
  source: 'connected',
  platform: PLATFORM,
  accountId: '17841400000000000',
  handle: 'acme',
  scopes: ['instagram_business_basic', 'instagram_business_manage_comments'],
  status: 'active',
  connectedAt: TIME,
  expiresAt: '2026-12-31T09:30:00.000Z',
  refreshExpiresAt: null,
  subscribedAt: TIME,
  lastFailure: null,
};
export const REDIRECT_URI = 'https://app.example.com/connected';
export const STATE = 'x1.3q2-7wAAc2VhbGVk';
export const HEALTH = {
  successRate: 0.97,
  succeeded: 96,
  failed: 2,
  retrying: 1,
  lastFailure: { at: TIME, status: 503, error: 'The receiver answered 503.' },
};
export const SECRET = 'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=';
