/**
 * The parts of a worked example of the format: notary key 32 × 01, time 1780272000 and server `a.test`. The query value of its
 * request is hidden, and its response is short.
 */
import { hexToBytes } from '@noble/hashes/utils.js';
import { createSecp256k1Signer } from '../../core/web-proof/tlsnotary/attestation-signer.ts';
import type { CertificateOpening } from '../../core/web-proof/tlsnotary/presentation.ts';

const CERTIFICATE = [
  '308201a130820127a00302010202094d5f0b433649443de3300a06082a8648ce3d040302304f310b3009060355040613025a',
  '5a31293027060355040a13204c6f6f706261636b207465737420726f6f74202d206e6f742074727573746564311530130603',
  '550403130c5370696b6520526f6f742031301e170d3236303130313030303030305a170d3237303130313031303030305a30',
  '11310f300d06035504031306612e746573743059301306072a8648ce3d020106082a8648ce3d030107034200043a43950a89',
  '6e9c146f7bd9627911f64c38175a76529d8a2ad7f03f9f168c79d53692a327402ded2fc04a68f9a9653da534d8daa38aed52',
  '91bacd8acc8579a67ca32a302830110603551d11040a30088206612e7465737430130603551d25040c300a06082b06010505',
  '070301300a06082a8648ce3d0403020368003065023046fc4f293b13f155b858975cc6c993834afbf272d4a6dad8d90cb3b9',
  '5835db3ef9f01362c3bd37e42893c610eee04b1a023100da895490a2492c7298841e894c93b99ff2b9160aa585fd6750e2ce',
  '157900dbdcf1acf7037f1873c9d54be286500107fa',
].join('');
const ROOT = [
  '308201f53082017ba00302010202094d94ba9c9aa64a4679300a06082a8648ce3d040302304f310b3009060355040613025a',
  '5a31293027060355040a13204c6f6f706261636b207465737420726f6f74202d206e6f742074727573746564311530130603',
  '550403130c5370696b6520526f6f742031301e170d3236313132303230343531335a170d3236313232303231343531335a30',
  '4f310b3009060355040613025a5a31293027060355040a13204c6f6f706261636b207465737420726f6f74202d206e6f7420',
  '74727573746564311530130603550403130c5370696b6520526f6f7420313076301006072a8648ce3d020106052b81040022',
  '03620004c0da56c3d89eba89e484661de2d1ee3036de37f3aad992fce1a653ae720ea1916e7d6e93fba63386c38bf14da7f7',
  '91c9d90e33291df7c6d5ea64a8c15d5947a1c2b2b5661b2e60a5c04b87788b4b865636e6e81449767964780ddd04d87c9471',
  'a3233021300f0603551d130101ff040530030101ff300e0603551d0f0101ff040403020204300a06082a8648ce3d04030203',
  '68003065023100d57cef641fdb2e8ea20e9162f1dc1b3c4488f33a9fdd211b11a8374d63594cae1a0b8c56d7c1124013b81a',
  '8029cf7c3602307f1f43c898934fe374a3740ed044925f7542f11505cb7e8f8bf623a282161c40f1db2d46d01370b53ab0fe',
  'ae7b7d0b4f',
].join('');
const EPHEMERAL_KEY =
  '040e133bac1a80db925c4654aa4341d016ab84e43969dac63972926909dc9430cff48ff745911cf65fbd540c4e7513dcf5e1ef68f2c5ecd7b0dffb188c026e3f31';
const KEY_EXCHANGE_SIGNATURE =
  '304502201212116b6668089e576c7b3b81edd7051e62858d11400b53b9f9994d27b710a6022100ce882297c04bc9c683dfea49b39b7605b673c43de03908a6f269cf5eb1fd84ef';

const fill = (length: number, byte: number) => new Uint8Array(length).fill(byte);
const ascii = (text: string) => new TextEncoder().encode(text);

export const rootCertificate = hexToBytes(ROOT);
export const signer = createSecp256k1Signer(fill(32, 0x01));
export const time = 1_780_272_000;
export const serverName = 'a.test';
export const sent = ascii('GET /?k=secret HTTP/1.1\r\nHost: a.test\r\n\r\n');
export const received = ascii('HTTP/1.1 200 OK\r\n\r\nhi');
export const handshake: Omit<CertificateOpening, 'blinder'> = {
  certificates: [hexToBytes(CERTIFICATE)],
  scheme: 3,
  signature: hexToBytes(KEY_EXCHANGE_SIGNATURE),
  clientRandom: fill(32, 0xc1),
  serverRandom: fill(32, 0x5e),
  serverEphemeralKey: hexToBytes(EPHEMERAL_KEY),
};
export const revealed = {
  sent: [
    { start: 0, end: 8 },
    { start: 14, end: 41 },
  ],
  received: [{ start: 0, end: 21 }],
};

/** Hands out runs of the given bytes, one per call, so that a build is repeatable. */
export function scriptedRandom(...bytes: number[]): { bytes(length: number): Uint8Array } {
  let next = 0;
  return {
    bytes(length) {
      const byte = bytes[next++];
      if (byte === undefined) throw new Error('The script holds no more random bytes');
      return fill(length, byte);
    },
  };
}
