/** The way to the login of a platform and back. The code that comes back stays neither in the address nor in the history. */
import { settings } from '../settings.ts';

/** In this tab, while the browser is at the platform. */
const BRAND = 'credence-connecting-brand';

export interface Landing {
  readonly brandId: number;
  readonly state: string;
  /** Null if the owner did not agree. */
  readonly code: string | null;
}

let landed: Landing | null = null;

export function leaveFor(authorizationUrl: string, brandId: number): void {
  sessionStorage.setItem(BRAND, String(brandId));
  location.assign(authorizationUrl);
}

/** Before anything is drawn: the address becomes one of the console. Whether the state is good, the API says. */
export function receiveLanding(): void {
  const query = new URLSearchParams(location.search);
  const state = query.get('state');
  if (state === null) return;
  const brand = sessionStorage.getItem(BRAND);
  sessionStorage.removeItem(BRAND);
  if (brand !== null) landed = { brandId: Number(brand), state, code: query.get('code') };
  history.replaceState(null, '', `${settings.pageUrl}#/connected`);
}

/** Null if this tab did not begin to connect an account. */
export const landing = () => landed;
