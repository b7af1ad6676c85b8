/** What the contract asks about each platform, whichever reader is under test. */
import { instagramDescriptor } from '../../../adapters/instagram/index.ts';
import { tiktokDescriptor } from '../../../adapters/tiktok/index.ts';

export const INSTAGRAM_LINK = {
  url: 'https://www.instagram.com/share/reel/BAabc123/?igsh=x',
  path: '/share/reel/BAabc123',
};
export const INSTAGRAM = {
  descriptor: instagramDescriptor,
  unknownContentId: 'DAAAAAAAAAA',
  kinds: { all: ['video', 'image', 'carousel'], album: 'carousel' },
  foreignLinks: [
    'https://www.instagram.com/someone/',
    'https://vm.tiktok.com/ZMabc/',
    'https://www.instagram.com.example/share/p/x',
    'http://127.0.0.1/share/p/x',
    'file:///etc/passwd',
    '',
  ],
} as const;

export const TIKTOK_LINK = { url: 'https://vm.tiktok.com/ZMabc1234/', path: '/ZMabc1234' };
export const TIKTOK = {
  descriptor: tiktokDescriptor,
  unknownContentId: '7123456789012345678',
  kinds: { all: ['video', 'photo'], album: 'photo' },
  foreignLinks: [
    'https://www.tiktok.com/@someone',
    'https://www.instagram.com/share/p/BAabc/',
    'https://vm.tiktok.com.example/ZMabc/',
    'http://127.0.0.1/ZMabc',
    'file:///etc/passwd',
    '',
  ],
} as const;
