/** A seal with a tick, as SVG. */
export const LOGO =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><circle cx="12" cy="12" r="11" fill="#0a6f60"/><path d="M7 12.5l3.5 3.5L17 9" fill="none" stroke="#fff" stroke-width="2.5" stroke-linecap="round" stroke-linejoin="round"/></svg>';

/** For `<link rel="icon">`. */
export const LOGO_URL = `data:image/svg+xml,${encodeURIComponent(LOGO)}`;
